/// Contacts that keep the manifold of an earlier tick while their bodies hardly move.
#include "reference3_world.h"

#define KEPT_POINTS 3u

static matrix turn_since(const matrix *now, const matrix *then) {
    matrix is;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            is.m[i][j] = now->m[i][0] * then->m[j][0] + now->m[i][1] * then->m[j][1] + now->m[i][2] * then->m[j][2];
        }
    }
    return is;
}

/// Twice the vector of a small turn's quaternion.
static vector turn_vector(const matrix *d) {
    const double w = sqrt(1 + d->m[0][0] + d->m[1][1] + d->m[2][2]) / 2;
    const vector axis = {{d->m[2][1] - d->m[1][2], d->m[0][2] - d->m[2][0], d->m[1][0] - d->m[0][1]}};
    return scaled(0.5 / w, axis);
}

static double extent_of(const reference3_body *body) {
    return sqrt(body->half[0] * body->half[0] + body->half[1] * body->half[1] + body->half[2] * body->half[2]);
}

static vector spin_of(const reference3_body *body) {
    if (!body->is_dynamic) {
        return (vector){{0, 0, 0}};
    }
    const double gives[3] = {1 / body->moments[0], 1 / body->moments[1], 1 / body->moments[2]};
    const matrix give = reference3_tensor(&body->rotation, gives);
    return turned(&give, body->momentum);
}

void reference3_pose_take(const reference3_world *world, const reference3_body *a, const reference3_body *b,
                          reference3_contact *contact) {
    contact->has_pose = contact->manifold.count >= KEPT_POINTS && world->keep_distance > 0;
    contact->pose_offset = sum(b->position, -1, a->position);
    contact->pose_a = a->rotation;
    contact->pose_b = b->rotation;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        contact->manifold.points[p].separation_made = contact->manifold.points[p].separation;
    }
}

bool reference3_pose_keep(const reference3_world *world, const reference3_contact *old, const reference3_body *a,
                          const reference3_body *b, reference3_contact *contact) {
    if (!old->has_pose) {
        return false;
    }
    const matrix turn_a = turn_since(&a->rotation, &old->pose_a), turn_b = turn_since(&b->rotation, &old->pose_b);
    const matrix turn_ab = turn_since(&turn_b, &turn_a);
    const vector offset = sum(b->position, -1, a->position), shift = sum(offset, -1, old->pose_offset);
    const bool is_b = extent_of(b) < extent_of(a);
    const reference3_body *smaller = is_b ? b : a, *other = is_b ? a : b;
    const double sign = is_b ? 1 : -1, extent = extent_of(smaller), tick = world->h * world->substep_count;
    const double farthest = fmin(world->keep_distance, extent / 8), bound = old->touches ? farthest : farthest / 4;
    if (length(turn_vector(&turn_a)) > world->keep_angle || length(turn_vector(&turn_b)) > world->keep_angle) {
        return false;
    }
    const vector from = scaled(sign, old->pose_offset), now = scaled(sign, offset), spin = spin_of(other);
    vector moved = sum(now, -1, turned(is_b ? &turn_a : &turn_b, from)), turn = turn_vector(&turn_ab);
    const vector n = old->manifold.normal, across = sum(turn, -dot(n, turn), n);
    if (length(moved) + extent * length(turn) > bound) {
        return false;
    }
    const double level = world->slop / 10;
    const bool is_level = !old->manifold.leaves_corners || extent * length(across) <= level;
    moved = sum(moved, tick, sum(smaller->velocity, -1, other->velocity));
    moved = sum(moved, -tick, cross(spin, now));
    turn = sum(turn, sign * tick, sum(spin_of(smaller), -1, spin));
    if (length(moved) + extent * length(turn) > bound || !is_level) {
        return false;
    }
    *contact = *old;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        reference3_point *point = &contact->manifold.points[p];
        const vector of_a = sum(turned(&turn_a, point->anchor_a), -1, point->anchor_a);
        const vector of_b = sum(turned(&turn_b, point->anchor_b), -1, point->anchor_b);
        point->separation = point->separation_made + dot(n, sum(shift, 1, sum(of_b, -1, of_a)));
    }
    return true;
}
