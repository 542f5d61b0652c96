/// Impacts before the substeps: contacts with restitution between bodies that nothing holds.
#include "reference_world.h"

#undef NDEBUG // the twin's limits hold in release builds, too
#include <assert.h>
#include <math.h>

#define SWEEPS 8

static void find_held(reference_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].is_held = false;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        world->bodies[world->joints[i].body_a].is_held = true;
        world->bodies[world->joints[i].body_b].is_held = true;
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const reference_contact *contact = &world->contacts[i];
        if (contact->restitution == 0 && contact->touches) {
            world->bodies[contact->body_a].is_held = true;
            world->bodies[contact->body_b].is_held = true;
        }
    }
}

static bool is_free(const reference_body *body) {
    return !body->is_dynamic || !body->is_held;
}

typedef struct impact {
    reference_body *a, *b;
    reference_contact *contact;
    reference_vec n;
    double velocity[2], impulse[2];
    bool meets[2];
} impact;

static double point_velocity(const impact *is, uint32_t p, reference_vec direction) {
    const reference_point *point = &is->contact->manifold.points[p];
    return reference_dot(direction, reference_relative_velocity(is->a, point->anchor_a, is->b, point->anchor_b));
}

/// What gravity adds to the relative velocity along the normal in a substep.
static double fall_of(const reference_world *world, const impact *is) {
    const double g = reference_dot(is->n, world->settings.gravity) * world->settings.h;
    return g * ((is->b->is_dynamic ? is->b->gravity_scale : 0) - (is->a->is_dynamic ? is->a->gravity_scale : 0));
}

static bool impact_gather(const reference_world *world, impact *is) {
    const double substeps = world->settings.substep_count + 1, tick = world->settings.h * substeps;
    const double fall = fall_of(world, is), fall_most = fmax(-fall, 0) * substeps;
    bool bounces = false;
    for (uint32_t p = 0; p < is->contact->manifold.count; ++p) {
        const reference_point *point = &is->contact->manifold.points[p];
        const double v = point_velocity(is, p, is->n);
        is->meets[p] = v < 0 && fmax(point->separation, 0) + (v - fall_most) * tick <= 0;
        is->velocity[p] = v;
        bounces = bounces || (is->meets[p] && v <= -world->settings.restitution_threshold);
        if (is->meets[p] && point->normal_impulse_max == 0) {
            is->velocity[p] += fmax(v / 2, fmin(fall / 2, -v / 2));
        }
    }
    return bounces;
}

static double mix(const impact *is, uint32_t p, uint32_t q, reference_vec direction) {
    const reference_point *row = &is->contact->manifold.points[p], *column = &is->contact->manifold.points[q];
    return is->a->inverse_mass + is->b->inverse_mass +
           is->a->inverse_inertia * reference_cross(row->anchor_a, direction) *
               reference_cross(column->anchor_a, direction) +
           is->b->inverse_inertia * reference_cross(row->anchor_b, direction) *
               reference_cross(column->anchor_b, direction);
}

static void impact_solve(impact *is) {
    const double gain = 1 + is->contact->restitution;
    if (is->meets[0] && is->meets[1]) {
        const double k11 = mix(is, 0, 0, is->n), k12 = mix(is, 0, 1, is->n), k22 = mix(is, 1, 1, is->n);
        const double determinant = k11 * k22 - k12 * k12;
        const double j1 = -gain * (k22 * is->velocity[0] - k12 * is->velocity[1]),
                     j2 = -gain * (k11 * is->velocity[1] - k12 * is->velocity[0]);
        if (determinant > 1e-9 * k11 * k22 && j1 >= 0 && j2 >= 0) {
            is->impulse[0] = j1 / determinant;
            is->impulse[1] = j2 / determinant;
            return;
        }
    }
    const uint32_t p = !is->meets[0] || (is->meets[1] && is->velocity[1] < is->velocity[0]);
    is->impulse[p] = -gain * is->velocity[p] / mix(is, p, p, is->n);
}

static void impact_push(const impact *is, uint32_t p, reference_vec direction, double impulse) {
    const reference_point *point = &is->contact->manifold.points[p];
    reference_body_push(is->a, point->anchor_a, reference_scale(-impulse, direction));
    reference_body_push(is->b, point->anchor_b, reference_scale(impulse, direction));
}

static bool impact_resolve(reference_world *world, reference_contact *contact) {
    impact is = {.a = &world->bodies[contact->body_a],
                 .b = &world->bodies[contact->body_b],
                 .contact = contact,
                 .n = contact->manifold.normal};
    const reference_vec t = {-is.n.y, is.n.x};
    if (contact->restitution == 0 || !is_free(is.a) || !is_free(is.b) || !impact_gather(world, &is)) {
        return false;
    }
    impact_solve(&is);
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        reference_point *point = &contact->manifold.points[p];
        impact_push(&is, p, is.n, is.impulse[p]);
        point->normal_impulse_max = fmax(point->normal_impulse_max, is.impulse[p]);
    }
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        const double limit = contact->friction * is.impulse[p];
        impact_push(&is, p, t, fmax(-limit, fmin(-point_velocity(&is, p, t) / mix(&is, p, p, t), limit)));
    }
    return true;
}

void reference_impacts(reference_world *world) {
    bool has_impact = true;
    find_held(world);
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference_contact *contact = &world->contacts[i];
        contact->is_resolved = is_free(&world->bodies[contact->body_a]) && is_free(&world->bodies[contact->body_b]);
    }
    for (int sweep = 0; sweep < SWEEPS && has_impact; ++sweep) {
        has_impact = false;
        for (uint32_t n = 0; n < world->contact_count; ++n) {
            const uint32_t i = sweep % 2 == 0 ? n : world->contact_count - 1 - n;
            has_impact = impact_resolve(world, &world->contacts[i]) || has_impact;
        }
    }
}

void reference_contacts_end(reference_world *world) {
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference_contact *contact = &world->contacts[i];
        const bool was_touching = contact->touches;
        contact->touches = false;
        for (uint32_t p = 0; p < contact->manifold.count; ++p) {
            const reference_point *point = &contact->manifold.points[p];
            const bool has_pushed = point->normal_impulse > 0 ||
                                    ((!was_touching || contact->restitution > 0) && point->normal_impulse_max > 0);
            contact->touches =
                contact->touches || has_pushed || (was_touching && point->separation <= world->settings.slop);
        }
    }
}
