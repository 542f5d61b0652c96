/// Contacts: which bodies touch, their impulses of the last step, and the rows.
#include "reference_world.h"

#undef NDEBUG // the twin's limits hold in release builds, too
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- pairs ---------------------------------------------------------------------------------------

typedef struct reference_box {
    double min_x, min_y, max_x, max_y;
} reference_box;

static reference_box box_make(const reference_body *body, double growth) {
    const double c = cos(body->angle), s = sin(body->angle);
    reference_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < body->shape.count; ++i) {
        const reference_vec v = reference_add(body->position, reference_rotate(c, s, body->shape.vertices[i]));
        box = (reference_box){fmin(box.min_x, v.x), fmin(box.min_y, v.y), fmax(box.max_x, v.x), fmax(box.max_y, v.y)};
    }
    growth += body->shape.radius;
    return (reference_box){box.min_x - growth, box.min_y - growth, box.max_x + growth, box.max_y + growth};
}

static bool box_overlaps(const reference_box *a, const reference_box *b) {
    return a->min_x <= b->max_x && b->min_x <= a->max_x && a->min_y <= b->max_y && b->min_y <= a->max_y;
}

static bool pair_is_allowed(const reference_world *world, uint32_t a, uint32_t b) {
    const reference_body *body_a = &world->bodies[a], *body_b = &world->bodies[b];
    const iso_filter *filter_a = &body_a->shape.filter, *filter_b = &body_b->shape.filter;
    assert(filter_a->group == 0 && filter_b->group == 0);
    if ((!body_a->is_dynamic && !body_b->is_dynamic) || (filter_a->mask & filter_b->category) == 0 ||
        (filter_b->mask & filter_a->category) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        const reference_joint *joint = &world->joints[i];
        const bool joins = (joint->body_a == a && joint->body_b == b) || (joint->body_a == b && joint->body_b == a);
        if (joins && !joint->collide_connected) {
            return false;
        }
    }
    return true;
}

/// Gives a new contact the impulses of the old contact's points with the same features.
static void contact_match(reference_contact *contact, const reference_contact *old) {
    contact->touches = old->touches;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        for (uint32_t q = 0; q < old->manifold.count; ++q) {
            if (contact->manifold.points[p].feature == old->manifold.points[q].feature) {
                contact->manifold.points[p].normal_impulse = old->manifold.points[q].normal_impulse;
                contact->manifold.points[p].tangent_impulse = old->manifold.points[q].tangent_impulse;
            }
        }
    }
}

static void contact_prepare(const reference_world *world, reference_contact *contact) {
    const reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    contact->friction = sqrt(a->shape.friction * b->shape.friction);
    contact->restitution = fmax(a->shape.restitution, b->shape.restitution);
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        reference_point *point = &contact->manifold.points[p];
        point->approach = reference_dot(contact->manifold.normal,
                                        reference_relative_velocity(a, point->anchor_a, b, point->anchor_b));
    }
}

void reference_collide(reference_world *world) {
    static reference_box boxes[REFERENCE_BODIES_MAX];
    const uint32_t old_count = world->contact_count;
    uint32_t old = 0;
    memcpy(world->contacts_old, world->contacts, old_count * sizeof *world->contacts);
    world->contact_count = 0;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        boxes[i] = box_make(&world->bodies[i], world->settings.speculative / 2);
    }
    for (uint32_t a = 0; a < world->body_count; ++a) {
        for (uint32_t b = a + 1; b < world->body_count; ++b) {
            if (!box_overlaps(&boxes[a], &boxes[b]) || !pair_is_allowed(world, a, b)) {
                continue;
            }
            while (old < old_count && (world->contacts_old[old].body_a < a ||
                                       (world->contacts_old[old].body_a == a && world->contacts_old[old].body_b < b))) {
                ++old;
            }
            const reference_contact *last = &world->contacts_old[old];
            const bool was =
                old < old_count && world->contacts_old[old].body_a == a && world->contacts_old[old].body_b == b;
            reference_contact contact = {.body_a = a, .body_b = b};
            if (!was || !reference_pose_keep(world, last, &contact)) {
                reference_pose_take(world, &contact);
            }
            if (contact.manifold.count == 0) {
                continue;
            }
            if (was) {
                contact_match(&contact, last);
                contact.is_touching = last->is_touching;
            }
            contact_prepare(world, &contact);
            assert(world->contact_count < REFERENCE_CONTACTS_MAX);
            world->contacts[world->contact_count++] = contact;
        }
    }
}

// ---- rows ----------------------------------------------------------------------------------------

static void contact_apply(reference_body *a, reference_body *b, const reference_point *point, reference_vec direction,
                          double impulse) {
    reference_body_push(a, point->anchor_a, reference_scale(-impulse, direction));
    reference_body_push(b, point->anchor_b, reference_scale(impulse, direction));
}

/// 1/mA + 1/mB + (rA x d)^2/IA + (rB x d)^2/IB, the inverse of the row's mass.
static double row_inverse_mass(const reference_body *a, const reference_body *b, const reference_point *point,
                               reference_vec direction) {
    const double arm_a = reference_cross(point->anchor_a, direction),
                 arm_b = reference_cross(point->anchor_b, direction);
    return a->inverse_mass + b->inverse_mass + a->inverse_inertia * arm_a * arm_a + b->inverse_inertia * arm_b * arm_b;
}

static double row_velocity(const reference_body *a, const reference_body *b, const reference_point *point,
                           reference_vec direction) {
    return reference_dot(direction, reference_relative_velocity(a, point->anchor_a, b, point->anchor_b));
}

static reference_vec tangent_of(reference_vec normal) {
    return (reference_vec){-normal.y, normal.x};
}

void reference_contact_warm_start(reference_world *world, const reference_contact *contact) {
    reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    const reference_vec n = contact->manifold.normal;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        const reference_point *point = &contact->manifold.points[p];
        contact_apply(a, b, point, n, point->normal_impulse);
        contact_apply(a, b, point, tangent_of(n), point->tangent_impulse);
    }
}

/// The separation to first order in what the bodies have moved and turned since the step began.
static double point_separation(const reference_body *a, const reference_body *b, const reference_point *point,
                               reference_vec normal) {
    return point->separation + reference_dot(normal, reference_sub(b->moved, a->moved)) +
           b->turned * reference_cross(point->anchor_b, normal) - a->turned * reference_cross(point->anchor_a, normal);
}

static void point_solve_normal(const reference_settings *settings, reference_body *a, reference_body *b,
                               reference_point *point, reference_vec normal, const reference_softness *soft) {
    const double s = point_separation(a, b, point, normal);
    double bias = 0, mass_scale = 1, impulse_scale = 0;
    if (s > 0) {
        bias = s / settings->h;
    } else if (soft) {
        bias = fmax(soft->rate * s, -settings->push);
        mass_scale = soft->mass_scale;
        impulse_scale = soft->impulse_scale;
    }
    const double velocity = row_velocity(a, b, point, normal);
    const double wanted = (mass_scale * velocity + bias) / row_inverse_mass(a, b, point, normal);
    const double impulse = fmax(point->normal_impulse - wanted - impulse_scale * point->normal_impulse, 0);
    contact_apply(a, b, point, normal, impulse - point->normal_impulse);
    point->normal_impulse = impulse;
    point->normal_impulse_max = fmax(point->normal_impulse_max, impulse);
}

static void point_solve_friction(reference_body *a, reference_body *b, reference_point *point, reference_vec tangent,
                                 double friction) {
    const double limit = friction * point->normal_impulse;
    const double wanted = row_velocity(a, b, point, tangent) / row_inverse_mass(a, b, point, tangent);
    const double impulse = fmax(-limit, fmin(point->tangent_impulse - wanted, limit));
    contact_apply(a, b, point, tangent, impulse - point->tangent_impulse);
    point->tangent_impulse = impulse;
}

void reference_contact_solve(reference_world *world, reference_contact *contact, bool is_relax) {
    reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    reference_manifold *manifold = &contact->manifold;
    const reference_softness *soft =
        a->is_dynamic && b->is_dynamic ? &world->settings.contact_soft : &world->settings.static_soft;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        point_solve_normal(&world->settings, a, b, &manifold->points[p], manifold->normal, is_relax ? NULL : soft);
    }
    for (uint32_t p = 0; p < manifold->count && is_relax; ++p) {
        point_solve_friction(a, b, &manifold->points[p], tangent_of(manifold->normal), contact->friction);
    }
}

void reference_contact_restitute(reference_world *world, reference_contact *contact) {
    reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    const reference_vec normal = contact->manifold.normal;
    for (uint32_t p = 0; p < contact->manifold.count && contact->restitution > 0 && !contact->is_resolved; ++p) {
        reference_point *point = &contact->manifold.points[p];
        if (point->approach > -world->settings.restitution_threshold || point->normal_impulse_max == 0) {
            continue;
        }
        const double wanted = row_velocity(a, b, point, normal) + contact->restitution * point->approach;
        const double change = -wanted / row_inverse_mass(a, b, point, normal);
        const double impulse = fmax(point->normal_impulse + change, 0);
        contact_apply(a, b, point, normal, impulse - point->normal_impulse);
        point->normal_impulse = impulse;
    }
}
