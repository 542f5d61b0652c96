/// The axis: scalar rows on one scalar x of two bodies, an angle or a length.
///
///   dx/dt = J v:   a length along the unit vector d between two anchors   d.vB + wB pB - d.vA - wA pA,  p = u x d
///                  the angle of B minus that of A                         wB pB - wA pA,                p = 1/L
///   sigma          1/mA + 1/mB                                            1/IA + 1/IB
///   K = J M^-1 J^T / sigma      1 + gA pA + gB pB,  g = t p               1
///   v += s d j,  w += g j       s = (1/m)/sigma,  t = L^2/(I sigma)       g = L (1/I)/sigma
///
/// A's terms have their signs reversed. For a length d turns with the anchors; what that adds to the second
/// derivative is left to the next substep. The rows, with the error C and c = dx/dt:
///
///   hold   j' = j - (ms c + ms rate C)/K - is j,   C = x - rest;  in the relax pass of a rigid one j - c/K
///   motor  j' = j - (c - speed)/K,                 |j'| <= sigma M h
///   lower  C = x - lower,  C > 0:  j' = max(0, j - (c + C/h)/K), so that x may reach the limit within the substep;
///          C <= 0: as a rigid hold, one-sided
///          a soft limit: a spring while C <= 0, as a soft hold that never pulls, and nothing before
///          of a velocity V = c + e: j' = max(0, j - (V - lower)/K); one that is held at low is a motor of low - e
///   upper  the same of -x and -upper, with -j
///
/// The impulses are accumulated and their sum over the substeps of a tick starts the next one. |j| of hold and
/// limits is at most sigma F h (sigma M h for an angle), when the joint has a maximum.
///
/// An angle may have a ratio r: x = r phiB - phiA. Then sigma = 1/IA + r^2/IB and B's terms are pB = r/LB and
/// gB = LB (r/IB)/sigma, and K stays 1.
///
/// No correction is faster than the joint's correction_max c: C is clamped to ms c / (ms rate).
///
/// Ranges. |d| <= 1 and |v| <= 512 per component: d.v is below 2^11 [Q31.32: 2^43]. |p| is below 2^25 (bodies as far
/// apart as the world is wide, on a radius of 2^-8 m); within 60 m it is below 2^15, so that w p stays below 2^24 and
/// c below 2^26 [Q31.32: 2^58]. g is then at most 500 * 2^15 < 2^24 [Q25.38: 2^62]; of longer levers it is cut there,
/// so that g j stays within 64 bits. Of a native length g p may exceed Q31.32 and is cut at a quarter of the range,
/// which leaves K <= 2^62. Of a row with any gradient (custom joints, pulleys) K is a sum of exact products, below
/// 2^59: a gradient of 2^-10 per metre or radian gives 2^-20, the least K that is solved. A row below it rests, and is
/// counted. |j| <= 2^18, the change of one solve is cut at 2^20, so that no sum wraps. x is below 2^18 m, or cut at
/// 2^24 rad. Products go through 128 bits, are rounded once and saturate.
/// Jacobian, closed forms and limits: tests/unit/plane/joint/test_axis_rows.c.
#include "plane/joint/axis.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"
#include "solver/axis_row.h"
#include "solver/parallel.h"
#include "solver/softness.h"

#define SPEED_MAX      (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define SPEED_OF_X_MAX (INT64_C(1) << 62)

static int32_t axis_clamp_speed(int64_t speed, uint64_t *clamps) {
    const int64_t clamped = iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
    iso__count_shared(clamps, clamped != speed);
    return (int32_t)clamped;
}

static void axis_apply(iso__plane_step_scratch *scratch, const iso__plane_axis *axis, int64_t j) {
    uint64_t *clamps = &scratch->joint_clamps;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__plane_axis_term *term = &axis->terms[i];
        iso__plane_motion *motion = &scratch->motions[term->body];
        if (!motion->kind) {
            continue;
        }
        if (!axis->base.is_angle) {
            motion->velocity[0] = axis_clamp_speed(motion->velocity[0] + iso__mul_shift(term->push[0], j, 45), clamps);
            motion->velocity[1] = axis_clamp_speed(motion->velocity[1] + iso__mul_shift(term->push[1], j, 45), clamps);
        }
        motion->spin =
            axis_clamp_speed(motion->spin + iso__mul_shift(term->gain, j, ISO__PLANE_AXIS_GAIN_FRACTION + 13), clamps);
    }
}

void iso__plane_axis_warm_start(iso__plane_step_scratch *scratch, const iso__plane_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->term_count >= 2 && axis->term_count <= ISO__PLANE_AXIS_TERMS);
    axis_apply(scratch, axis,
               axis->base.impulse[0] + axis->base.impulse[1] + axis->base.impulse[2] + axis->base.impulse[3]);
}

/// dx/dt, Q31.32: the terms' products are summed exactly and rounded once.
static int64_t axis_speed(const iso__plane_step_scratch *scratch, const iso__plane_axis *axis) {
    iso__int128 sum = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__plane_axis_term *term = &axis->terms[i];
        const iso__plane_motion *motion = &scratch->motions[term->body];
        if (!axis->base.is_angle) {
            sum = iso__int128_add(sum, iso__int128_mul(term->direction[0], motion->velocity[0]));
            sum = iso__int128_add(sum, iso__int128_mul(term->direction[1], motion->velocity[1]));
        }
        sum = iso__int128_add(sum, iso__int128_mul(term->arm, motion->spin));
    }
    // Far enough within the range to subtract a motor's speed.
    return iso__clamp64(iso__int128_saturate(iso__int128_round_shift(sum, 19)), -SPEED_OF_X_MAX, SPEED_OF_X_MAX);
}

void iso__plane_axis_solve(iso__plane_step_scratch *scratch, iso__plane_axis *axis, bool is_relax) {
    ISO_VALIDATE_ASSERT(axis->term_count >= 2 && axis->base.hold_max >= 0 && axis->base.motor_max >= 0 &&
                        axis->base.limit_max >= 0);
    int64_t speed = 0;
    bool has_speed = false; // until a row changes it
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        if (((uint32_t)axis->base.rows >> row & 1u) == 0) {
            continue;
        }
        speed = has_speed ? speed : axis_speed(scratch, axis);
        has_speed = true;
        const int64_t before = axis->base.impulse[row];
        const int64_t j = iso__axis_solve_row(&axis->base, &scratch->params, (iso__axis_row)row, speed, is_relax);
        if (j != before) {
            axis_apply(scratch, axis, j - before);
            axis->base.impulse[row] = j;
            has_speed = false;
        }
    }
}

void iso__plane_axis_store(const iso__plane_axis *axis, iso__plane_joint *joint) {
    ISO_VALIDATE_ASSERT((axis->base.rows >> ISO__AXIS_ROWS) == 0);
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        if (((uint32_t)axis->base.rows >> row & 1u) != 0 && axis->slots[row] < ISO__PLANE_JOINT_IMPULSES) {
            joint->impulse[axis->slots[row]] = axis->base.impulse[row];
        }
    }
}
