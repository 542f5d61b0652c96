/// The angles of joints in space, of r = (x, y, z, w), the rotation from B's joint axes to A's, w >= 0, in A's axes;
/// and of omega = omega_B - omega_A. dr/dt = omega r / 2 gives each rate.
///
///   align  C = 2 (y tw - z tx, y tx + z tw) with (tx, tw) = (x, w) / |(x, w)|, along b_A and c_A: the swing of a_B
///          from a_A as an axis times 2 sin(angle/2). The article's a_A x a_B on t1 and t2 is its sine: the same where
///          the angle is small, but that falls again beyond a right angle and is 0 where the axes are opposite.
///          Cdot = omega . (b_A, c_A) in first order: off by the angle times omega.
///   lock   C = 2 (x, y, z) along a_A, b_A, c_A: the axis times 2 sin(angle/2). Cdot = omega in first order likewise.
///   cross  C = gamma - theta, theta = atan2(|a_B x a_A|, a_A . a_B), along d = (a_B x a_A)/|...|. Since
///          d(a_A . a_B)/dt = omega . (a_B x a_A) = -sin(theta) dtheta/dt, Cdot = d . omega: exact.
///   turn   2 atan2(x, w), u = a_A: exact while a_B is along it, else off by half the square of the swing
///   swing  2 atan2(|(y, z)|, |(x, w)|), u = (a_A x a_B)/|...|: exact; none where |...| < 2^-10
///   twist  2 atan2(x, w), u = (a_A + a_B)/(1 + a_A . a_B): exact; the denominator at least 2^-7, so |u| is at most 16
///          and cones end at 170 degrees
///   about  of a_B about a_A: atan2(a_B . c_A, a_B . b_A), u = (a_A - (a_A . a_B) a_B)/(1 - (a_A . a_B)^2): u is across
///          a_B and their common normal, and u . a_A = 1. Exact; the denominator at least 2^-10, so |u| is at most 32.
///          Of a_A about a_B, with the sign of B against A: -atan2(a_A . c_B, a_A . b_B), u the same with A and B
///          exchanged
///   count  of what turns about its own x axis: the sum over the steps of the twist of conj(q_began) q, from where the
///          step began, unwrapped from substep to substep. Its rate is a . omega, exact when the step begins, and in it
///          off by half the product of the swing and its rate; what is left out of a step's turn is of third order
///
/// Ranges: products of two Q2.30 vectors of length one are within 2^60 and a little. Every u is held against central
/// differences in tests/unit/space/joint/test_joint3_jacobian.c.
#include "space/joint/angle.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "space/joint/axis.h"
#include "space/joint/block.h"

#define ONE_Q60     (INT64_C(1) << 60)
#define SWING_LEAST (INT64_C(1) << 50) // Q.60
#define TWIST_LEAST (INT64_C(1) << 53)
#define ABOUT_LEAST (INT64_C(1) << 50)

// ---- what is held --------------------------------------------------------------------------------

void iso__space_angle_align(iso__space_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_axes && work->angular.count == 2);
    const int32_t *r = work->relative;
    int32_t tx, tw;
    if (iso__normalize(r[0], r[3], &tx, &tw) == 0) {
        tw = ISO__UNIT_ONE; // half a turn away any axis across is as near
    }
    // 2 times a product of Q.60, to Q.32.
    const int64_t error[3] = {iso__round_shift((int64_t)r[1] * tw - (int64_t)r[2] * tx, 27),
                              iso__round_shift((int64_t)r[1] * tx + (int64_t)r[2] * tw, 27), 0};
    int32_t direction[3][3] = {{0}};
    for (int axis = 0; axis < 3; ++axis) {
        direction[0][axis] = work->a.axes[1][axis];
        direction[1][axis] = work->a.axes[2][axis];
    }
    iso__space_angular_update(work, direction, error);
}

void iso__space_angle_lock(iso__space_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_axes && work->angular.count == 3);
    const int32_t *r = work->relative;
    const int64_t error[3] = {r[0] * INT64_C(8), r[1] * INT64_C(8), r[2] * INT64_C(8)};
    iso__space_angular_update(work, work->a.axes, error);
}

void iso__space_angle_cross(iso__space_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->has_axes && work->angular.count == 1);
    const int32_t *a = work->a.axes[0], *b = work->b.axes[0];
    int64_t normal[3];
    int32_t direction[3][3] = {{0}};
    iso__cross3(b, a, normal);
    const int64_t sine = iso__normalize3(normal, direction[0]);
    if (sine == 0) {
        // Parallel axes have no common normal: they part about any axis across.
        for (int axis = 0; axis < 3; ++axis) {
            direction[0][axis] = work->a.axes[2][axis];
        }
    }
    const int64_t theta = iso_radians_from_turns(iso_wide_atan2(sine, iso__dot3(a, b)));
    const int64_t error[3] = {work->axes_angle - theta, 0, 0};
    iso__space_angular_update(work, direction, error);
}

// ---- axes ----------------------------------------------------------------------------------------

void iso__space_angle_begin(iso__space_joint_body *of, const int32_t rotation[4]) {
    for (int i = 0; i < 4; ++i) {
        of->began[i] = rotation[i];
    }
    of->counted = 0;
}

/// The bound on spins allows an eighth of a turn a substep, so of more than four a step may have several turns.
int64_t iso__space_angle_count(iso__space_joint_body *of, const int32_t now[4]) {
    const int32_t *began = of->began;
    ISO_VALIDATE_ASSERT((began[0] | began[1] | began[2] | began[3]) != 0); // it has begun
    int32_t turned[4];
    iso__quat_conj_mul(of->began, now, turned);
    iso__quat_renormalise(turned);
    of->counted = iso__space_axis_unwrap(iso__quat_twist(turned), of->counted);
    return of->counted;
}

static void angle_widen(const int32_t direction[3], int64_t u[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = direction[axis] * INT64_C(4);
    }
}

void iso__space_angle_turn(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->has_axes && n < ISO_JOINT3_AXES);
    int64_t u[3];
    angle_widen(work->a.axes[0], u);
    iso__space_axis_set_angle(work, n, u, iso__quat_twist(work->relative));
}

void iso__space_angle_swing(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->has_axes && n < ISO_JOINT3_AXES);
    const int64_t swing = iso__quat_swing(work->relative);
    int64_t normal[3], u[3];
    int32_t direction[3];
    work->axis[n].turns = swing; // it is never unwrapped
    iso__cross3(work->a.axes[0], work->b.axes[0], normal);
    if (iso__normalize3(normal, direction) < SWING_LEAST) {
        iso__space_axis_set_still(work, n, swing);
        return;
    }
    angle_widen(direction, u);
    iso__space_axis_set_angle(work, n, u, swing);
}

void iso__space_angle_twist(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->has_axes && n < ISO_JOINT3_AXES);
    const int32_t *a = work->a.axes[0], *b = work->b.axes[0];
    const int64_t below = iso__max64(ONE_Q60 + iso__dot3(a, b), TWIST_LEAST);
    int64_t u[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = iso__div_shift((int64_t)a[axis] + b[axis], 62, below); // Q.30 and Q.60 to Q.32
    }
    iso__space_axis_set_angle(work, n, u, iso__quat_twist(work->relative));
}

/// The angle of `other` about `own`, by the axes of own's frame. @param sign  of the angle
static void angle_about(iso__space_joint_work *work, uint32_t n, int32_t own[3][3], const int32_t other[3],
                        int64_t sign) {
    const int64_t turns = sign * iso_wide_atan2(iso__dot3(other, own[2]), iso__dot3(other, own[1]));
    const int32_t cosine =
        (int32_t)iso__clamp64(iso__round_shift(iso__dot3(own[0], other), 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    const int64_t below = ONE_Q60 - (int64_t)cosine * cosine;
    if (below < ABOUT_LEAST) {
        iso__space_axis_set_still(work, n, turns);
        return;
    }
    int64_t u[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t across = own[0][axis] * (int64_t)ISO__UNIT_ONE - (int64_t)cosine * other[axis];
        u[axis] = iso__div_shift(across, ISO__WIDE_FRACTION, below);
    }
    iso__space_axis_set_angle(work, n, u, turns);
}

void iso__space_angle_about_a(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->has_axes && n < ISO_JOINT3_AXES);
    angle_about(work, n, work->a.axes, work->b.axes[0], 1);
}

void iso__space_angle_about_b(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->has_axes && n < ISO_JOINT3_AXES);
    angle_about(work, n, work->b.axes, work->a.axes[0], -1);
}
