/// The point row: keeps a point of B on a point of A.
///
///   C    = (xB + rB) - (xA + rA)
///   Cdot = vB + wB x rB - vA - wA x rA,  and with w = omega L, u = r/L:  omega x r = w (-u.y, u.x)
///   J    = [-1, -[rA]x, 1, [rB]x],  K = J M^-1 J^T / sigma as in rows.h
///   dj   = -K^-1 (ms Cdot + ms rate C) - is j
///
/// C uses the bodies' exact places of the substep, with the rotations of their angles, so it does not drift.
/// Ranges: places are within 30,060 m, so C is below 2^17 m; |Cdot| below 2^11 + 2^9 |u|, with u below 2^15 for an
/// anchor 60 m out on the smallest radius of 2^-8 m; every product goes through 128 bits and saturates.
/// Jacobian, closed forms and limits: tests/unit/physics/test_joint_rows.c.
#include "joint/rows.h"

#include "base/inline.h"
#include "math/fixed_ops.h"

#define SPEED_MAX     (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define SHORT_ARM     ISO_WIDE_ONE        // 1, a radius
#define SHORT_IMPULSE (INT64_C(1) << 29) // 0.125 m/s

iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio) {
    return hertz > 0 ? iso__softness_make(iso_wide_from_fix16(hertz), iso_wide_from_fix16(damping_ratio), params->substep_rate)
                     : params->joint_soft;
}

void iso__joint_prepare_pair(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *a = &world->body_derived[joint->body_a], *b = &world->body_derived[joint->body_b];
    work->body_a = joint->body_a;
    work->body_b = joint->body_b;
    work->exponent_a = a->radius_exponent;
    work->exponent_b = b->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        work->local_a[axis] = iso__sub32(joint->anchor_a[axis], a->local_centre[axis]);
        work->local_b[axis] = iso__sub32(joint->anchor_b[axis], b->local_centre[axis]);
        work->direction[axis] = joint->direction[axis];
        work->start[axis] = world->bodies[joint->body_b].position[axis] - world->bodies[joint->body_a].position[axis];
    }
}

void iso__joint_prepare_rope(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *c = &world->body_derived[joint->body_c], *d = &world->body_derived[joint->body_d];
    iso__joint_rope *rope = &work->rope;
    work->body_c = joint->body_c;
    work->body_d = joint->body_d;
    rope->exponent_c = c->radius_exponent;
    rope->exponent_d = d->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        rope->local_c[axis] = iso__sub32(joint->anchor_c[axis], c->local_centre[axis]);
        rope->local_d[axis] = iso__sub32(joint->anchor_d[axis], d->local_centre[axis]);
        rope->direction[axis] = joint->direction_cd[axis];
        rope->start[axis] = world->bodies[joint->body_d].position[axis] - world->bodies[joint->body_c].position[axis];
    }
}

void iso__point_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__step_params *params = &world->scratch->params;
    const iso__body_derived *a = iso__joint_body(world, work->body_a), *b = iso__joint_body(world, work->body_b);
    iso__joint_point *point = &work->point;
    work->has_point = true;
    point->share_a = iso__joint_share(a->mass, b->mass);
    point->share_b = iso__joint_share(b->mass, a->mass);
    point->turn_a = iso__mul_shift(a->gyration, point->share_a, ISO__UNIT_FRACTION);
    point->turn_b = iso__mul_shift(b->gyration, point->share_b, ISO__UNIT_FRACTION);
    point->is_soft = joint->hertz > 0;
    point->soft = iso__joint_softness(params, joint->hertz, joint->damping_ratio);
    point->impulse[0] = joint->impulse[0];
    point->impulse[1] = joint->impulse[1];
    point->error_max = iso__joint_error_max(point->soft, joint->correction_max);
    point->impulse_max = iso__joint_impulse_of_force(joint->force_max, a, b, params->h);
}

/// As iso__joint_lever, inline for the point row.
ISO__ALWAYS_INLINE void point_turn_anchor(const iso__step_scratch *scratch, uint32_t body, const int32_t local[2],
                                          int8_t exponent, int64_t lever[2], int64_t arm[2]) {
    const iso_rotation q = scratch->rotations[body];
    lever[0] = iso__round_shift((int64_t)q.c * local[0] - (int64_t)q.s * local[1], 22);
    lever[1] = iso__round_shift((int64_t)q.s * local[0] + (int64_t)q.c * local[1], 22);
    for (int axis = 0; axis < 2; ++axis) {
        arm[axis] = exponent > 0 ? iso__round_shift(lever[axis], (unsigned)exponent)
                                 : iso__shl64(lever[axis], (unsigned)-exponent);
    }
}

void iso__joint_lever(const iso__step_scratch *scratch, uint32_t body, const int32_t local[2], int8_t exponent,
                      int64_t lever[2], int64_t arm[2]) {
    point_turn_anchor(scratch, body, local, exponent, lever, arm);
}

ISO__ALWAYS_INLINE bool point_is_within(int64_t value, int64_t limit) {
    return value >= -limit && value <= limit;
}

/// Adds t [uy^2, -ux uy; -ux uy, ux^2] to k = {k11, k12, k22}.
ISO__ALWAYS_INLINE void point_add_turning(int64_t k[3], int64_t turn, const int64_t arm[2]) {
    if (turn == 0) {
        return;
    }
    const int64_t x = iso__mul_shift(turn, arm[0], ISO__GYRO_FRACTION);
    const int64_t y = iso__mul_shift(turn, arm[1], ISO__GYRO_FRACTION);
    // Each term stops at a quarter of the range, so that one and two terms add up without a check. It takes an
    // anchor a thousand radii out to get there.
    const int64_t limit = INT64_MAX / 4;
    k[0] += iso__clamp64(iso__mul_shift(y, arm[1], 32), 0, limit);
    k[1] -= iso__clamp64(iso__mul_shift(x, arm[1], 32), -limit, limit);
    k[2] += iso__clamp64(iso__mul_shift(x, arm[0], 32), 0, limit);
}

/// Shortens a vector to a length.
static void point_clamp_length(int64_t v[2], int64_t most) {
    const int64_t length = iso_wide_hypot(v[0], v[1]);
    if (length > most) {
        v[0] = iso__mul_div(v[0], most, length);
        v[1] = iso__mul_div(v[1], most, length);
    }
}

void iso__point_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    int64_t lever_a[2], lever_b[2];
    iso__joint_point *point = &work->point;
    point_turn_anchor(scratch, work->body_a, work->local_a, work->exponent_a, lever_a, point->arm_a);
    point_turn_anchor(scratch, work->body_b, work->local_b, work->exponent_b, lever_b, point->arm_b);
    for (int axis = 0; axis < 2; ++axis) {
        point->error[axis] = work->start[axis] + scratch->drifts[work->body_b].moved[axis] -
                            scratch->drifts[work->body_a].moved[axis] + lever_b[axis] - lever_a[axis];
    }
    if (point->error_max != INT64_MAX) {
        point_clamp_length(point->error, point->error_max);
    }
    point->is_short = point_is_within(point->arm_a[0], SHORT_ARM) && point_is_within(point->arm_a[1], SHORT_ARM) &&
                      point_is_within(point->arm_b[0], SHORT_ARM) && point_is_within(point->arm_b[1], SHORT_ARM);
    int64_t k[3] = {ISO_WIDE_ONE, 0, ISO_WIDE_ONE};
    point_add_turning(k, point->turn_a, point->arm_a);
    point_add_turning(k, point->turn_b, point->arm_b);
    iso__inverse2_make(k[0], k[1], k[2], &point->inverse);
}

static int32_t point_clamp_speed(int64_t speed) {
    return (int32_t)iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
}

/// Short arms and impulses need no 128 bits and give the same: shares are within 2^30, turns within 2^31, so the
/// velocity's products stay below 2^59, the moment's below 2^62 and the moment itself below 2^30.
ISO__ALWAYS_INLINE void point_push_short(iso__motion *motion, int64_t share, int64_t turn, const int64_t arm[2], int64_t jx,
                                         int64_t jy) {
    motion->velocity[0] = point_clamp_speed(motion->velocity[0] + iso__round_shift(share * jx, 43));
    motion->velocity[1] = point_clamp_speed(motion->velocity[1] + iso__round_shift(share * jy, 43));
    const int64_t moment = iso__round_shift(arm[0] * jy - arm[1] * jx, 32);
    motion->spin = point_clamp_speed(motion->spin + iso__round_shift(turn * moment, 35));
}

ISO__ALWAYS_INLINE void point_push(iso__motion *motion, int64_t share, int64_t turn, const int64_t arm[2], int64_t jx, int64_t jy) {
    // Q2.30 * Q31.32 to Q12.19.
    motion->velocity[0] = point_clamp_speed(motion->velocity[0] + iso__mul_shift(share, jx, 43));
    motion->velocity[1] = point_clamp_speed(motion->velocity[1] + iso__mul_shift(share, jy, 43));
    const int64_t moment = iso__dot_shift(arm[0], jy, -arm[1], jx, 32);
    motion->spin = point_clamp_speed(motion->spin + iso__mul_shift(turn, moment, 35));
}

ISO__ALWAYS_INLINE void point_apply(iso__step_scratch *scratch, const iso__joint_work *work, int64_t jx, int64_t jy) {
    const iso__joint_point *point = &work->point;
    iso__motion *a = &scratch->motions[work->body_a], *b = &scratch->motions[work->body_b];
    const bool is_short = point->is_short && point_is_within(jx, SHORT_IMPULSE) && point_is_within(jy, SHORT_IMPULSE);
    if (a->kind) {
        if (is_short) {
            point_push_short(a, point->share_a, point->turn_a, point->arm_a, -jx, -jy);
        } else {
            point_push(a, point->share_a, point->turn_a, point->arm_a, -jx, -jy);
        }
    }
    if (b->kind) {
        if (is_short) {
            point_push_short(b, point->share_b, point->turn_b, point->arm_b, jx, jy);
        } else {
            point_push(b, point->share_b, point->turn_b, point->arm_b, jx, jy);
        }
    }
}

void iso__point_warm_start(iso__step_scratch *scratch, const iso__joint_work *work) {
    point_apply(scratch, work, work->point.impulse[0], work->point.impulse[1]);
}

/// Keeps the accumulated impulse within its limits: first each component, then the length.
static void point_clamp_impulse(const iso__joint_point *point, int64_t j[2]) {
    j[0] = iso__clamp64(j[0], -ISO__JOINT_IMPULSE_MAX, ISO__JOINT_IMPULSE_MAX);
    j[1] = iso__clamp64(j[1], -ISO__JOINT_IMPULSE_MAX, ISO__JOINT_IMPULSE_MAX);
    if (point->impulse_max != INT64_MAX) {
        point_clamp_length(j, point->impulse_max);
    }
}

/// Cdot [m/s] Q31.32. With short arms two products of 2^60 fit 64 bits.
ISO__ALWAYS_INLINE void point_velocity_error(const iso__joint_point *point, const iso__motion *a, const iso__motion *b,
                                             int64_t cdot[2]) {
    const int64_t spin_a = a->spin, spin_b = b->spin;
    const int64_t *arm_a = point->arm_a, *arm_b = point->arm_b;
    const int64_t x = iso__shl64((int64_t)b->velocity[0] - a->velocity[0], 13);
    const int64_t y = iso__shl64((int64_t)b->velocity[1] - a->velocity[1], 13);
    if (point->is_short) {
        cdot[0] = x + iso__round_shift(spin_a * arm_a[1] - spin_b * arm_b[1], 19);
        cdot[1] = y + iso__round_shift(spin_b * arm_b[0] - spin_a * arm_a[0], 19);
    } else {
        cdot[0] = x + iso__dot_shift(spin_a, arm_a[1], -spin_b, arm_b[1], 19);
        cdot[1] = y + iso__dot_shift(spin_b, arm_b[0], -spin_a, arm_a[0], 19);
    }
}

void iso__point_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax) {
    const iso__motion *a = &scratch->motions[work->body_a];
    const iso__motion *b = &scratch->motions[work->body_b];
    iso__joint_point *point = &work->point;
    int64_t rhs[2];
    point_velocity_error(point, a, b, rhs);
    int64_t impulse_scale = 0;
    if (!is_relax || point->is_soft) {
        // Q31.32 * Q2.30 and Q31.32 * Q11.20, brought to the same 62 fraction bits.
        for (int axis = 0; axis < 2; ++axis) {
            rhs[axis] = iso__dot_shift(rhs[axis], point->soft.mass_scale, point->error[axis],
                                       (int64_t)point->soft.bias_rate * 1024, 30);
        }
        impulse_scale = (int64_t)point->soft.impulse_scale * (INT64_C(1) << 32); // Q2.62, as the inverse
    }
    const iso__inverse2 *inverse = &point->inverse;
    const int64_t change_x =
        iso__dot3_shift(inverse->i11, rhs[0], inverse->i12, rhs[1], impulse_scale, point->impulse[0], 62);
    const int64_t change_y =
        iso__dot3_shift(inverse->i12, rhs[0], inverse->i22, rhs[1], impulse_scale, point->impulse[1], 62);
    int64_t j[2] = {
        point->impulse[0] - iso__clamp64(change_x, -4 * ISO__JOINT_IMPULSE_MAX, 4 * ISO__JOINT_IMPULSE_MAX),
        point->impulse[1] - iso__clamp64(change_y, -4 * ISO__JOINT_IMPULSE_MAX, 4 * ISO__JOINT_IMPULSE_MAX),
    };
    point_clamp_impulse(point, j);
    point_apply(scratch, work, j[0] - point->impulse[0], j[1] - point->impulse[1]);
    point->impulse[0] = j[0];
    point->impulse[1] = j[1];
}
