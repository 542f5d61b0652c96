/// Contacts that keep their manifold while their bodies hardly move; the conditions are those of the core, in doubles.
#include <math.h>

#include "reference_world.h"

static double shape_extent(const reference_shape *shape) {
    double extent = 0;
    for (uint32_t i = 0; i < shape->count; ++i) {
        extent = fmax(extent, hypot(shape->vertices[i].x, shape->vertices[i].y));
    }
    return extent + shape->radius;
}

static reference_vec turn(double angle, reference_vec a) {
    return reference_rotate(cos(angle), sin(angle), a);
}

void reference_pose_take(const reference_world *world, reference_contact *contact) {
    const reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    reference_manifold_make(&world->settings, a, b, &contact->manifold);
    contact->apart = reference_sub(b->position, a->position);
    contact->angle_a = a->angle;
    contact->angle_b = b->angle;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        contact->manifold.points[p].separation_made = contact->manifold.points[p].separation;
    }
}

/// The place of the smaller piece in the frame of the other, and its angle, have changed little, now and a tick later.
static bool pose_is_near(const reference_world *world, const reference_contact *old) {
    const reference_settings *settings = &world->settings;
    const reference_body *a = &world->bodies[old->body_a], *b = &world->bodies[old->body_b];
    const double extent_a = shape_extent(&a->shape), extent_b = shape_extent(&b->shape);
    const double extent = fmin(extent_a, extent_b), largest = fmin(settings->keep_distance, extent / 8);
    const double bound = old->is_touching ? largest : largest / 4;
    const bool is_about_a = extent_a < extent_b;
    const double frame_turn = is_about_a ? b->angle - old->angle_b : a->angle - old->angle_a;
    const double frame_spin = is_about_a ? b->omega : a->omega;
    const double turned = (b->angle - old->angle_b) - (a->angle - old->angle_a), spin = b->omega - a->omega;
    const reference_vec apart = reference_sub(b->position, a->position);
    const reference_vec moved = reference_sub(turn(-frame_turn, apart), old->apart);
    if (hypot(moved.x, moved.y) + extent * fabs(turned) > bound) {
        return false;
    }
    const double tick = settings->h * settings->substep_count;
    const reference_vec velocity = {b->velocity.x - a->velocity.x + frame_spin * apart.y,
                                    b->velocity.y - a->velocity.y - frame_spin * apart.x};
    const reference_vec later = reference_add(moved, reference_scale(tick, turn(-frame_turn, velocity)));
    return hypot(later.x, later.y) + extent * fabs(turned + tick * spin) <= bound;
}

bool reference_pose_keep(const reference_world *world, const reference_contact *old, reference_contact *contact) {
    const reference_body *a = &world->bodies[old->body_a], *b = &world->bodies[old->body_b];
    const double turned_a = a->angle - old->angle_a, turned_b = b->angle - old->angle_b;
    const bool has_pose = old->manifold.count == 2 && a->shape.count > 2 && b->shape.count > 2;
    if (!has_pose || fmax(fabs(turned_a), fabs(turned_b)) > world->settings.keep_angle || !pose_is_near(world, old)) {
        return false;
    }
    *contact = *old;
    const reference_vec apart = reference_sub(b->position, a->position);
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        reference_point *point = &contact->manifold.points[p];
        const reference_vec arms = reference_sub(turn(turned_b, point->anchor_b), turn(turned_a, point->anchor_a));
        point->separation =
            point->separation_made + reference_dot(contact->manifold.normal, reference_add(apart, arms));
        point->normal_impulse_max = 0;
    }
    return true;
}

void reference_pose_store(reference_world *world) {
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference_contact *contact = &world->contacts[i];
        const bool was_touching = contact->is_touching;
        contact->is_touching = false;
        for (uint32_t p = 0; p < contact->manifold.count; ++p) {
            const reference_point *point = &contact->manifold.points[p];
            const bool has_pushed = (!was_touching || contact->restitution > 0) && point->normal_impulse_max > 0;
            contact->is_touching = contact->is_touching || point->normal_impulse > 0 || has_pushed ||
                                   (was_touching && point->separation <= world->settings.slop);
        }
    }
}
