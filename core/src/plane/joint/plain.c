/// Plain joints: only a rigid point row without a maximum, as most joints are. They are solved from arrays, with
/// 64-bit products, so that a pass reads little memory, forwards, and calls nothing.
///
/// The mathematics is that of point.c, in narrower formats. A joint is plain when its anchors lie within two radii L
/// and m r^2 / I is at most 16 on each body (it is 3 at the end of a rod and 2 on the rim of a disc), so that with t as
/// there
///
///   |u| <= 2,  t u^2 <= 16  and with G <= 500  t |u| <= 90,  1 <= K <= 33,  |K^-1| <= 1
///
/// One solve goes through here while it stays within |Cdot| <= 64 m/s, |C| <= 2 m, |j| <= 256 m/s and |dj| <= 16 m/s,
/// and through the wide row otherwise; both are defined by the state alone. Formats and the largest sums, in bits:
///
///   Cdot Q.26: spin Q12.19 * u Q3.28                  2 * 2^57
///   rhs  Q.26: Cdot 2^32 * ms Q2.30, C Q.30 2^31 * rate Q11.20 2^31      2^62
///   dj   Q.32: K^-1 Q2.29 * rhs 2^32                  2 * 2^61
///        and j Q.24 2^32 * is Q2.30                   2^62
///   v    Q12.19: share Q2.30 * dj Q.28 2^32           2^62
///   w    Q12.19: u * dj 2 * 2^61, then t |u| dj       2^61 of Q.50
///
/// A rounding of Cdot or of dj is at most 2^-27 m/s, a hundredth of the velocities' own rounding: after a pass speeds
/// differ from those of the wide row by at most one quantum. Against the wide row:
/// tests/unit/plane/joint/test_plain_row.c.
#include "plane/joint/plain.h"

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/pair.h"
#include "plane/joint/plain_invert.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "plane/world/kernels.h"
#include "plane/world/scratch.h"
#include "solver/parallel.h"
#include "solver/softness.h"

#define SPEED_MAX     (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define SPEED_BITS    28 // 512 m/s in Q12.19
#define CDOT_BITS     32 // 64 m/s in Q.26
#define ERROR_BITS    33 // 2 m in Q31.32
#define IMPULSE_BITS  40 // 256 m/s in Q31.32
#define CHANGE_BITS   36 // 16 m/s
#define ARM_FRACTION  28
#define MASS_FRACTION 26 // of K
#define RELAX_ROWS    64u
#define KERNEL_ROWS   8u // as many as a kernel takes at once, at most

static bool plain_reaches(const iso__plane_body_derived *body, const int32_t anchor[2]) {
    const int64_t x = iso__sub32(anchor[0], body->local_centre[0]), y = iso__sub32(anchor[1], body->local_centre[1]);
    const unsigned exponent = (unsigned)(24 + body->radius_exponent);                   // from 16 to 30
    const uint64_t u2 = ((uint64_t)(x * x) + (uint64_t)(y * y)) >> (2 * exponent - 24); // [L^2] Q.24
    return u2 <= UINT64_C(4) << 24 && u2 * (uint64_t)body->gyration <= UINT64_C(16) << (24 + ISO__GYRO_FRACTION);
}

bool iso__plane_joint_is_plain(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_VALIDATE_ASSERT(joint->kind != 0 && joint->body_b < plane->world.globals->body_count);
    return (iso__plane_joint_has(joint) & ISO_JOINT_HAS_POINT) != 0 && joint->hertz == 0 && joint->force_max == 0 &&
           joint->correction_max == 0 && iso__plane_axis_rows(joint) == 0 &&
           (joint->body_a == ISO__WORLD_BODY || plain_reaches(&plane->body_derived[joint->body_a], joint->anchor_a)) &&
           plain_reaches(&plane->body_derived[joint->body_b], joint->anchor_b);
}

// ---- where the bodies are ------------------------------------------------------------------------

ISO__ALWAYS_INLINE void plain_turn_anchor(iso_rotation q, const int32_t local[2], int8_t exponent, int64_t lever[2],
                                          int32_t arm[2]) {
    const int64_t x = (int64_t)q.c * local[0] - (int64_t)q.s * local[1]; // Q.54
    const int64_t y = (int64_t)q.s * local[0] + (int64_t)q.c * local[1];
    lever[0] = iso__round_shift(x, 22);
    lever[1] = iso__round_shift(y, 22);
    arm[0] = (int32_t)iso__round_shift(x, (unsigned)(54 - ARM_FRACTION + exponent));
    arm[1] = (int32_t)iso__round_shift(y, (unsigned)(54 - ARM_FRACTION + exponent));
}

/// Adds t [uy^2, -ux uy; -ux uy, ux^2], Q.26.
ISO__ALWAYS_INLINE void plain_add_turning(int64_t k[3], int64_t turn, const int32_t arm[2]) {
    const int64_t x = iso__round_shift(turn * arm[0], ISO__GYRO_FRACTION + ARM_FRACTION - MASS_FRACTION);
    const int64_t y = iso__round_shift(turn * arm[1], ISO__GYRO_FRACTION + ARM_FRACTION - MASS_FRACTION);
    k[0] += iso__round_shift(y * arm[1], ARM_FRACTION);
    k[1] -= iso__round_shift(x * arm[1], ARM_FRACTION);
    k[2] += iso__round_shift(x * arm[0], ARM_FRACTION);
}

ISO__ALWAYS_INLINE void plain_arrive(const iso__plane_step_scratch *scratch, const iso__plane_joint_pair *pair,
                                     iso__plane_plain_row *row) {
    const iso__plane_drift *drift_a = &scratch->drifts[row->body_a], *drift_b = &scratch->drifts[row->body_b];
    int64_t lever_a[2], lever_b[2], k[3] = {INT64_C(1) << MASS_FRACTION, 0, INT64_C(1) << MASS_FRACTION};
    plain_turn_anchor(scratch->rotations[row->body_a], pair->local_a, pair->exponent_a, lever_a, row->arm_a);
    plain_turn_anchor(scratch->rotations[row->body_b], pair->local_b, pair->exponent_b, lever_b, row->arm_b);
    for (int axis = 0; axis < 2; ++axis) {
        row->error[axis] =
            pair->start[axis] + drift_b->moved[axis] - drift_a->moved[axis] + lever_b[axis] - lever_a[axis];
    }
    plain_add_turning(k, row->turn_a, row->arm_a);
    plain_add_turning(k, row->turn_b, row->arm_b);
    iso__plane_plain_invert(k, row->inverse);
}

void iso__plane_plain_prepare(iso__plane *plane, uint32_t joint, uint32_t i) {
    const iso__plane_joint *record = &plane->joints[joint];
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(joint < plane->world.globals->joint_count && i < scratch->plain_count);
    iso__plane_joint_pair *pair = &scratch->plain_pairs[i];
    iso__plane_plain_row *row = &scratch->plain_rows[i];
    iso__plane_joint_pair_make(plane, record, pair);
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, pair->body_a),
                                  *b = &plane->body_derived[pair->body_b];
    row->body_a = pair->body_a;
    row->body_b = pair->body_b;
    row->moves_a = scratch->motions[row->body_a].kind != 0;
    row->moves_b = scratch->motions[row->body_b].kind != 0;
    row->share_a = iso__joint_share(a->mass, b->mass);
    row->share_b = b->mass == 0 ? 0 : ISO__UNIT_ONE - row->share_a;
    // Below 500 2^22 2^30.
    row->turn_a = (int32_t)iso__round_shift((int64_t)a->gyration * row->share_a, ISO__UNIT_FRACTION);
    row->turn_b = (int32_t)iso__round_shift((int64_t)b->gyration * row->share_b, ISO__UNIT_FRACTION);
    row->impulse[0] = record->impulse[0];
    row->impulse[1] = record->impulse[1];
    scratch->plain_joints[i] = joint;
    plain_arrive(scratch, pair, row);
}

// ---- passes --------------------------------------------------------------------------------------

/// Whether both are within ±2^bits, excluding the upper bound.
ISO__ALWAYS_INLINE bool plain_are_within(int64_t x, int64_t y, unsigned bits) {
    const uint64_t half = UINT64_C(1) << bits;
    return ((((uint64_t)x + half) | ((uint64_t)y + half)) >> (bits + 1)) == 0;
}

ISO__ALWAYS_INLINE int32_t plain_clamp_speed(int64_t speed, uint64_t *clamps) {
    const int64_t clamped = iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
    iso__count_shared(clamps, clamped != speed);
    return (int32_t)clamped;
}

/// @param jx, jy  [m/s] Q.28
ISO__ALWAYS_INLINE void plain_push(iso__plane_motion *motion, int64_t share, int64_t turn, const int32_t arm[2],
                                   int64_t jx, int64_t jy, uint64_t *clamps) {
    const int64_t moment = iso__round_shift(arm[0] * jy - arm[1] * jx, ARM_FRACTION);
    const int64_t x = motion->velocity[0] + iso__round_shift(share * jx, 39);
    const int64_t y = motion->velocity[1] + iso__round_shift(share * jy, 39);
    const int64_t spin = motion->spin + iso__round_shift(turn * moment, 31);
    if (plain_are_within(x, y, SPEED_BITS) && plain_are_within(spin, 0, SPEED_BITS)) {
        motion->velocity[0] = (int32_t)x;
        motion->velocity[1] = (int32_t)y;
        motion->spin = (int32_t)spin;
    } else {
        motion->velocity[0] = plain_clamp_speed(x, clamps);
        motion->velocity[1] = plain_clamp_speed(y, clamps);
        motion->spin = plain_clamp_speed(spin, clamps);
    }
}

ISO__ALWAYS_INLINE void plain_apply(iso__plane_step_scratch *scratch, const iso__plane_plain_row *row, int64_t x,
                                    int64_t y) {
    iso__plane_motion *a = &scratch->motions[row->body_a], *b = &scratch->motions[row->body_b];
    const int64_t jx = iso__round_shift(x, 4), jy = iso__round_shift(y, 4);
    if (a->kind) {
        plain_push(a, row->share_a, row->turn_a, row->arm_a, -jx, -jy, &scratch->joint_clamps);
    }
    if (b->kind) {
        plain_push(b, row->share_b, row->turn_b, row->arm_b, jx, jy, &scratch->joint_clamps);
    }
}

/// The same row in the formats of point.c.
static iso__plane_point_row plain_widen(const iso__plane_plain_row *row) {
    return (iso__plane_point_row){
        .share_a = row->share_a,
        .share_b = row->share_b,
        .turn_a = row->turn_a,
        .turn_b = row->turn_b,
        .body_a = row->body_a,
        .body_b = row->body_b,
        .arm_a = {row->arm_a[0] * INT64_C(16), row->arm_a[1] * INT64_C(16)},
        .arm_b = {row->arm_b[0] * INT64_C(16), row->arm_b[1] * INT64_C(16)},
        .error = {row->error[0], row->error[1]},
        .inverse = {.i11 = row->inverse[0] * (INT64_C(1) << 33),
                    .i12 = row->inverse[1] * (INT64_C(1) << 33),
                    .i22 = row->inverse[2] * (INT64_C(1) << 33)},
        .impulse = {row->impulse[0], row->impulse[1]},
    };
}

static void __attribute__((noinline))
plain_solve_wide(iso__plane_step_scratch *scratch, iso__plane_plain_row *row, const iso__softness *soft) {
    ISO_VALIDATE_ASSERT(row->body_a != row->body_b);
    iso__plane_point_row wide = plain_widen(row);
    iso__plane_point_row_solve(scratch, &wide, soft);
    row->impulse[0] = wide.impulse[0];
    row->impulse[1] = wide.impulse[1];
}

/// Cdot [m/s] Q.26.
ISO__ALWAYS_INLINE void plain_velocity_error(const iso__plane_step_scratch *scratch, const iso__plane_plain_row *row,
                                             int64_t cdot[2]) {
    const iso__plane_motion *a = &scratch->motions[row->body_a], *b = &scratch->motions[row->body_b];
    const int64_t spin_a = a->spin, spin_b = b->spin;
    cdot[0] = ((int64_t)b->velocity[0] - a->velocity[0]) * 128 +
              iso__round_shift(spin_a * row->arm_a[1] - spin_b * row->arm_b[1], 19 + ARM_FRACTION - 26);
    cdot[1] = ((int64_t)b->velocity[1] - a->velocity[1]) * 128 +
              iso__round_shift(spin_b * row->arm_b[0] - spin_a * row->arm_a[0], 19 + ARM_FRACTION - 26);
}

/// @param soft  NULL: the velocity alone, rigidly; a constant at each call
/// @return whether it stayed within the narrow formats; otherwise nothing has changed
ISO__ALWAYS_INLINE bool plain_solve(iso__plane_step_scratch *scratch, iso__plane_plain_row *row,
                                    const iso__softness *soft) {
    int64_t rhs[2];
    plain_velocity_error(scratch, row, rhs);
    if (!plain_are_within(rhs[0], rhs[1], CDOT_BITS) ||
        !plain_are_within(row->impulse[0], row->impulse[1], IMPULSE_BITS)) {
        return false;
    }
    int64_t j[2] = {row->impulse[0], row->impulse[1]};
    if (soft) {
        if (!plain_are_within(row->error[0], row->error[1], ERROR_BITS)) {
            return false;
        }
        for (int axis = 0; axis < 2; ++axis) {
            const int64_t error = iso__round_shift(row->error[axis], 2);
            rhs[axis] =
                iso__round_shift(rhs[axis] * soft->mass_scale, 30) + iso__round_shift(error * soft->bias_rate, 24);
            j[axis] -= iso__round_shift(iso__round_shift(j[axis], 8) * soft->impulse_scale, 22);
        }
        if (!plain_are_within(rhs[0], rhs[1], CDOT_BITS)) {
            return false;
        }
    }
    const int64_t i11 = row->inverse[0], i12 = row->inverse[1], i22 = row->inverse[2];
    j[0] -= iso__round_shift(i11 * rhs[0] + i12 * rhs[1], 23);
    j[1] -= iso__round_shift(i12 * rhs[0] + i22 * rhs[1], 23);
    const int64_t x = j[0] - row->impulse[0], y = j[1] - row->impulse[1];
    if (!plain_are_within(x, y, CHANGE_BITS)) {
        return false;
    }
    row->impulse[0] = j[0];
    row->impulse[1] = j[1];
    plain_apply(scratch, row, x, y);
    return true;
}

static void plain_warm_start(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
        const iso__plane_plain_row *row = &scratch->plain_rows[i];
        if (plain_are_within(row->impulse[0], row->impulse[1], CHANGE_BITS)) {
            plain_apply(scratch, row, row->impulse[0], row->impulse[1]);
        } else {
            const iso__plane_point_row wide = plain_widen(row);
            iso__plane_point_row_apply(scratch, &wide, wide.impulse[0], wide.impulse[1]);
        }
    }
}

/// @param soft  NULL: the velocity alone; a constant at each call
ISO__ALWAYS_INLINE void plain_solve_rows(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end,
                                         const iso__softness *soft) {
    for (uint32_t i = begin; i < end; ++i) {
        if (!plain_solve(scratch, &scratch->plain_rows[i], soft)) {
            plain_solve_wide(scratch, &scratch->plain_rows[i], soft);
        }
    }
}

/// Where the rows end that are to be solved one by one: a kernel stops before rows that leave its ranges.
static uint32_t plain_scalar_end(uint32_t begin, uint32_t end) {
    return end - begin < KERNEL_ROWS ? end : begin + KERNEL_ROWS;
}

void iso__plane_plain_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->plain_begin <= colour->plain_end && colour->plain_end <= scratch->plain_count);
    for (uint32_t i = colour->plain_begin, end = colour->plain_end; i < end;) {
        i = scratch->kernels ? scratch->kernels->plain_warm_start(scratch, i, end) : i;
        const uint32_t next = scratch->kernels ? plain_scalar_end(i, end) : end;
        plain_warm_start(scratch, i, next);
        i = next;
    }
}

void iso__plane_plain_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->plain_begin <= colour->plain_end && colour->plain_end <= scratch->plain_count);
    const iso__softness soft = scratch->params.joint_soft;
    for (uint32_t i = colour->plain_begin, end = colour->plain_end; i < end;) {
        i = scratch->kernels ? scratch->kernels->plain_solve(scratch, i, end) : i;
        const uint32_t next = scratch->kernels ? plain_scalar_end(i, end) : end;
        plain_solve_rows(scratch, i, next, &soft);
        i = next;
    }
}

static void plain_arrive_rows(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end;) {
        i = scratch->kernels ? scratch->kernels->plain_arrive(scratch, i, end) : i;
        for (const uint32_t next = plain_scalar_end(i, end); i < next; ++i) {
            plain_arrive(scratch, &scratch->plain_pairs[i], &scratch->plain_rows[i]);
        }
    }
}

static void plain_relax_rows(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end;) {
        i = scratch->kernels ? scratch->kernels->plain_relax(scratch, i, end) : i;
        const uint32_t next = scratch->kernels ? plain_scalar_end(i, end) : end;
        plain_solve_rows(scratch, i, next, NULL);
        i = next;
    }
}

/// The rows turn with the bodies first, as those of other joints do: joint_step.c.
void iso__plane_plain_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour) {
    ISO_ASSERT(colour->plain_begin <= colour->plain_end && colour->plain_end <= scratch->plain_count);
    for (uint32_t i = colour->plain_begin, end; i < colour->plain_end; i = end) {
        end = colour->plain_end - i < RELAX_ROWS ? colour->plain_end
                                                 : i + RELAX_ROWS; // as many as the nearest cache holds
        plain_arrive_rows(scratch, i, end);
        plain_relax_rows(scratch, i, end);
    }
}
