/// The point row: keeps a point of B on a point of A.
///
///   C    = (xB + rB) - (xA + rA)
///   Cdot = vB + wB x rB - vA - wA x rA,  and with w = omega L, u = r/L:  omega x r = w (-u.y, u.x)
///   J    = [-1, -[rA]x, 1, [rB]x],  K = J M^-1 J^T / sigma as in work.h
///   dj   = -K^-1 (ms Cdot + ms rate C) - is j
///
/// C uses the bodies' exact positions of the substep, with the rotations of their angles, so it does not drift.
/// Ranges: positions are within 30,060 m, so C is below 2^17 m; |Cdot| below 2^11 + 2^9 |u|, with u below 2^15 for an
/// anchor 60 m out on the smallest radius of 2^-8 m; every product goes through 128 bits and saturates.
/// Jacobian, closed forms and limits: tests/unit/plane/joint/test_joint_rows.c.
#include "plane/joint/point.h"

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"
#include "solver/joint_softness.h"
#include "solver/parallel.h"
#include "solver/params.h"
#include "solver/softness.h"

#define SPEED_MAX     (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define SHORT_ARM     ISO_WIDE_ONE // 1, a radius
#define SHORT_TURN    (INT32_C(4) << ISO__GYRO_FRACTION)
#define SHORT_IMPULSE (INT64_C(1) << 29) // 0.125 m/s

static void row_prepare(const iso__plane *plane, const iso__plane_joint *joint, uint32_t body_a, uint32_t body_b,
                        iso__plane_point_row *row) {
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, body_a), *b = iso__plane_joint_body(plane, body_b);
    row->body_a = body_a;
    row->body_b = body_b;
    row->share_a = iso__joint_share(a->mass, b->mass);
    row->share_b = b->mass == 0 ? 0 : ISO__UNIT_ONE - row->share_a;
    row->turn_a = (int32_t)iso__mul_shift(a->gyration, row->share_a, ISO__UNIT_FRACTION);
    row->turn_b = (int32_t)iso__mul_shift(b->gyration, row->share_b, ISO__UNIT_FRACTION);
    row->impulse[0] = joint->impulse[0];
    row->impulse[1] = joint->impulse[1];
}

void iso__plane_point_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    ISO_ASSERT(work->body_a != work->body_b && work->body_b < plane->world.def.body_capacity);
    const iso__step_params *params = &plane->scratch->params;
    iso__plane_joint_point *point = &work->point;
    row_prepare(plane, joint, work->body_a, work->body_b, &point->row);
    work->has_point = true;
    point->is_soft = joint->hertz > 0;
    point->soft = iso__joint_softness(params, joint->hertz, joint->damping_ratio, joint->correction_max);
    point->error_max = iso__joint_error_max(point->soft, joint->correction_max);
    point->impulse_max = iso__plane_joint_impulse_of_force(joint->force_max, iso__plane_joint_body(plane, work->body_a),
                                                           iso__plane_joint_body(plane, work->body_b), params->h);
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

/// The same for arms within a radius and a turn up to 4: t u [Q4.28] stays within 2^30 and its product with u below
/// 2^62.
ISO__ALWAYS_INLINE void point_add_turning_short(int64_t k[3], int64_t turn, const int64_t arm[2]) {
    const int64_t x = iso__round_shift(turn * arm[0], ISO__GYRO_FRACTION + 4);
    const int64_t y = iso__round_shift(turn * arm[1], ISO__GYRO_FRACTION + 4);
    k[0] += iso__round_shift(y * arm[1], 28);
    k[1] -= iso__round_shift(x * arm[1], 28);
    k[2] += iso__round_shift(x * arm[0], 28);
}

/// Shortens a vector to a length.
static void point_clamp_length(int64_t v[2], int64_t most) {
    const int64_t length = iso_wide_hypot(v[0], v[1]);
    if (length > most) {
        v[0] = iso__mul_div(v[0], most, length);
        v[1] = iso__mul_div(v[1], most, length);
    }
}

ISO__ALWAYS_INLINE void row_set_places(const iso__plane_step_scratch *scratch, const iso__plane_joint_pair *pair,
                                       iso__plane_point_row *row) {
    int64_t lever_a[2], lever_b[2];
    iso__plane_turn_anchor(scratch, pair->body_a, pair->local_a, pair->exponent_a, lever_a, row->arm_a);
    iso__plane_turn_anchor(scratch, pair->body_b, pair->local_b, pair->exponent_b, lever_b, row->arm_b);
    for (int axis = 0; axis < 2; ++axis) {
        row->error[axis] = pair->start[axis] + scratch->drifts[pair->body_b].moved[axis] -
                           scratch->drifts[pair->body_a].moved[axis] + lever_b[axis] - lever_a[axis];
    }
}

ISO__ALWAYS_INLINE void row_set_inverse(iso__plane_point_row *row) {
    row->is_short = point_is_within(row->arm_a[0], SHORT_ARM) && point_is_within(row->arm_a[1], SHORT_ARM) &&
                    point_is_within(row->arm_b[0], SHORT_ARM) && point_is_within(row->arm_b[1], SHORT_ARM);
    int64_t k[3] = {ISO_WIDE_ONE, 0, ISO_WIDE_ONE};
    if (row->is_short && row->turn_a <= SHORT_TURN && row->turn_b <= SHORT_TURN) {
        point_add_turning_short(k, row->turn_a, row->arm_a);
        point_add_turning_short(k, row->turn_b, row->arm_b);
    } else {
        point_add_turning(k, row->turn_a, row->arm_a);
        point_add_turning(k, row->turn_b, row->arm_b);
    }
    iso__inverse2_make(k[0], k[1], k[2], &row->inverse);
}

ISO__ALWAYS_INLINE int32_t point_clamp_speed(int64_t speed, uint64_t *clamps) {
    if (point_is_within(speed, SPEED_MAX)) {
        return (int32_t)speed;
    }
    iso__count_shared(clamps, 1);
    return speed < 0 ? -(int32_t)SPEED_MAX : (int32_t)SPEED_MAX;
}

/// Short arms and impulses need no 128 bits and give the same: shares are within 2^30, turns within 2^31, so the
/// velocity's products stay below 2^59, the moment's below 2^62 and the moment itself below 2^30.
ISO__ALWAYS_INLINE void point_push_short(iso__plane_motion *motion, int64_t share, int64_t turn, const int64_t arm[2],
                                         int64_t jx, int64_t jy, uint64_t *clamps) {
    motion->velocity[0] = point_clamp_speed(motion->velocity[0] + iso__round_shift(share * jx, 43), clamps);
    motion->velocity[1] = point_clamp_speed(motion->velocity[1] + iso__round_shift(share * jy, 43), clamps);
    const int64_t moment = iso__round_shift(arm[0] * jy - arm[1] * jx, 32);
    motion->spin = point_clamp_speed(motion->spin + iso__round_shift(turn * moment, 35), clamps);
}

ISO__ALWAYS_INLINE void point_push(iso__plane_motion *motion, int64_t share, int64_t turn, const int64_t arm[2],
                                   int64_t jx, int64_t jy, uint64_t *clamps) {
    // Q2.30 * Q31.32 to Q12.19.
    motion->velocity[0] = point_clamp_speed(motion->velocity[0] + iso__mul_shift(share, jx, 43), clamps);
    motion->velocity[1] = point_clamp_speed(motion->velocity[1] + iso__mul_shift(share, jy, 43), clamps);
    const int64_t moment = iso__dot_shift(arm[0], jy, -arm[1], jx, 32);
    motion->spin = point_clamp_speed(motion->spin + iso__mul_shift(turn, moment, 35), clamps);
}

ISO__ALWAYS_INLINE void row_apply(iso__plane_step_scratch *scratch, const iso__plane_point_row *point, int64_t jx,
                                  int64_t jy) {
    iso__plane_motion *a = &scratch->motions[point->body_a], *b = &scratch->motions[point->body_b];
    uint64_t *clamps = &scratch->joint_clamps;
    const bool is_short = point->is_short && point_is_within(jx, SHORT_IMPULSE) && point_is_within(jy, SHORT_IMPULSE);
    if (a->kind) {
        if (is_short) {
            point_push_short(a, point->share_a, point->turn_a, point->arm_a, -jx, -jy, clamps);
        } else {
            point_push(a, point->share_a, point->turn_a, point->arm_a, -jx, -jy, clamps);
        }
    }
    if (b->kind) {
        if (is_short) {
            point_push_short(b, point->share_b, point->turn_b, point->arm_b, jx, jy, clamps);
        } else {
            point_push(b, point->share_b, point->turn_b, point->arm_b, jx, jy, clamps);
        }
    }
}

/// Cdot [m/s] Q31.32. With short arms two products of 2^60 fit 64 bits.
ISO__ALWAYS_INLINE void point_velocity_error(const iso__plane_point_row *point, const iso__plane_motion *a,
                                             const iso__plane_motion *b, int64_t cdot[2]) {
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

/// @param soft  NULL: the velocity alone, rigidly
/// @param most  the largest length of the accumulated impulse
ISO__ALWAYS_INLINE void row_solve(iso__plane_step_scratch *scratch, iso__plane_point_row *row,
                                  const iso__softness *soft, int64_t most) {
    const iso__inverse2 *inverse = &row->inverse;
    int64_t rhs[2], change_x, change_y;
    point_velocity_error(row, &scratch->motions[row->body_a], &scratch->motions[row->body_b], rhs);
    if (soft) {
        // Q31.32 * Q2.30 and Q31.32 * Q11.20, brought to the same 62 fraction bits.
        for (int axis = 0; axis < 2; ++axis) {
            rhs[axis] =
                iso__dot_shift(rhs[axis], soft->mass_scale, row->error[axis], (int64_t)soft->bias_rate * 1024, 30);
        }
        const int64_t impulse_scale = (int64_t)soft->impulse_scale * (INT64_C(1) << 32); // Q2.62, as the inverse
        change_x = iso__dot3_shift(inverse->i11, rhs[0], inverse->i12, rhs[1], impulse_scale, row->impulse[0], 62);
        change_y = iso__dot3_shift(inverse->i12, rhs[0], inverse->i22, rhs[1], impulse_scale, row->impulse[1], 62);
    } else {
        change_x = iso__dot_shift(inverse->i11, rhs[0], inverse->i12, rhs[1], 62);
        change_y = iso__dot_shift(inverse->i12, rhs[0], inverse->i22, rhs[1], 62);
    }
    int64_t j[2] = {
        row->impulse[0] - iso__clamp64(change_x, -4 * ISO__JOINT_IMPULSE_MAX, 4 * ISO__JOINT_IMPULSE_MAX),
        row->impulse[1] - iso__clamp64(change_y, -4 * ISO__JOINT_IMPULSE_MAX, 4 * ISO__JOINT_IMPULSE_MAX),
    };
    j[0] = iso__clamp64(j[0], -ISO__JOINT_IMPULSE_MAX, ISO__JOINT_IMPULSE_MAX);
    j[1] = iso__clamp64(j[1], -ISO__JOINT_IMPULSE_MAX, ISO__JOINT_IMPULSE_MAX);
    if (most != INT64_MAX) {
        point_clamp_length(j, most);
    }
    row_apply(scratch, row, j[0] - row->impulse[0], j[1] - row->impulse[1]);
    row->impulse[0] = j[0];
    row->impulse[1] = j[1];
}

// ---- of any joint --------------------------------------------------------------------------------

void iso__plane_point_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_point && work->point.error_max >= 0);
    iso__plane_joint_pair pair = {work->body_a, work->body_b, {0}, {0}, work->exponent_a, work->exponent_b, {0}};
    for (int axis = 0; axis < 2; ++axis) {
        pair.local_a[axis] = work->local_a[axis];
        pair.local_b[axis] = work->local_b[axis];
        pair.start[axis] = work->start[axis];
    }
    row_set_places(scratch, &pair, &work->point.row);
    if (work->point.error_max != INT64_MAX) {
        point_clamp_length(work->point.row.error, work->point.error_max);
    }
    row_set_inverse(&work->point.row);
}

void iso__plane_point_warm_start(iso__plane_step_scratch *scratch, const iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_point);
    row_apply(scratch, &work->point.row, work->point.row.impulse[0], work->point.row.impulse[1]);
}

void iso__plane_point_solve(iso__plane_step_scratch *scratch, iso__plane_joint_work *work, bool is_relax) {
    ISO_VALIDATE_ASSERT(work->has_point && work->point.impulse_max >= 0);
    iso__plane_joint_point *point = &work->point;
    row_solve(scratch, &point->row, !is_relax || point->is_soft ? &point->soft : NULL, point->impulse_max);
}

// ---- of hinges, and of plain joints that leave their formats --------------------------------------

void iso__plane_point_row_update(const iso__plane_step_scratch *scratch, const iso__plane_joint_pair *pair,
                                 iso__plane_point_row *row) {
    ISO_VALIDATE_ASSERT(row->body_a == pair->body_a && row->body_b == pair->body_b);
    row_set_places(scratch, pair, row);
    row_set_inverse(row);
}

void iso__plane_point_row_apply(iso__plane_step_scratch *scratch, const iso__plane_point_row *row, int64_t jx,
                                int64_t jy) {
    ISO_VALIDATE_ASSERT(row->body_a != row->body_b);
    row_apply(scratch, row, jx, jy);
}

void iso__plane_point_row_solve(iso__plane_step_scratch *scratch, iso__plane_point_row *row,
                                const iso__softness *soft) {
    ISO_VALIDATE_ASSERT(row->body_a != row->body_b);
    row_solve(scratch, row, soft, INT64_MAX);
}
