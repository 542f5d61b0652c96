/// An axis: scalar rows on one scalar x of two bodies.
///
///   length along d   dx/dt = d . (vB - vA) + (uB x d) . wB - (uA x d) . wA,   K = 1 + sum alpha (u x d) . G (u x d)
///                    v += -+ alpha d j,   w += -+ alpha G (u x d) j
///   angle            dx/dt = u . (omega_B - omega_A),   K = sum beta u . H u,   omega += -+ beta H u j
///
/// where u of an angle is the kind's, at least of length 1, so that K >= 1. The rows, with c = dx/dt:
///
///   hold   j' = j - (ms c + ms rate C)/K - is j,   C = x - rest;  in the relax pass of a rigid one j - c/K
///   motor  j' = j - (c - speed)/K,                 |j'| <= sigma M h
///   lower  C = x - lower,  C > 0:  j' = max(0, j - (c + C/h)/K), so that x may reach the limit within the substep;
///          C <= 0: as a rigid hold, one-sided
///          a soft limit: a spring while C <= 0, as a soft hold that never pulls, and nothing before
///   upper  the same of -x and -upper, with -j
///
/// Of a gear, x = r phi_B - phi_A, sigma is 1/IA + r^2/IB and
///
///   dx/dt = r a_B . omega_B - a_A . omega_A,  K = beta_A a_A . H_A a_A + beta_B r^2 a_B . H_B a_B,  beta_B =
///                                             (1/IB)/sigma
///
/// which is at least beta_A + r^2 beta_B = 1 again. B's share is kept as r^2 beta_B, so its row has the arm r a_B and
/// the gain r^2 beta_B H_B a_B / r. A rack, x = d . e - r phi with phi about b, is a length whose arms have r b
/// besides: its K is that of a length with longer arms.
///
/// Ranges: |v|, |w| below 2^10, arms u x d below 2^15 (2^25 along a line across the world): c below 2^36. An angle's
/// arm is u / L, below 2^13. alpha G |u x d|^2 is below 2^28 (work.h), beta H |u|^2 below 2^18 2^10 = 2^28. |j| at most
/// 2^18, its change in one solve 2^20, so that no sum wraps. x below 2^18 m or 2^31 turns. Products go through 128
/// bits, are rounded once and saturate. Source: plane/joint/axis.c, the same rows in the plane. Tests:
/// tests/unit/space/joint/test_joint3_rows.c.
#include "space/joint/axis.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/solve3.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/joint_softness.h"
#include "space/joint/block.h"
#include "space/joint/place.h"
#include "space/world/joint_mass.h"

#define CHANGE_MAX (4 * ISO__SPACE_AXIS_IMPULSE_MAX)
#define SPEED_MAX  (INT64_C(1) << 61)
#define LEVER_BITS 58 // of each of three products of a pinion's part of K, Q31.32

// ---- once a tick ---------------------------------------------------------------------------------

/// Whether the spring of axis n is one by its stiffness or damping.
static bool axis_is_stiff(const iso__space_joint *joint, uint32_t n) {
    return (joint->axis_flags[n] & ISO__SPACE_JOINT_SPRING) != 0 &&
           (joint->spring_stiffness[n] | joint->spring_damping[n]) != 0;
}

uint32_t iso__space_axis_rows(const iso__space_joint *joint, uint32_t n) {
    ISO_ASSERT(n < ISO_JOINT3_AXES);
    const uint32_t flags = joint->axis_flags[n];
    const bool is_held = (iso__space_joint_has(joint) & ISO_JOINT3_IS_HELD) != 0;
    const bool is_rod = is_held && (flags & (ISO__SPACE_JOINT_LIMIT | ISO__SPACE_JOINT_SPRING)) == 0;
    const bool has_spring =
        (flags & ISO__SPACE_JOINT_SPRING) != 0 && (joint->spring_hertz[n] > 0 || axis_is_stiff(joint, n));
    uint32_t rows = (has_spring || (is_rod && n == 0)) ? 1u << ISO__SPACE_AXIS_HOLD : 0;
    rows |= (flags & ISO__SPACE_JOINT_MOTOR) != 0 ? 1u << ISO__SPACE_AXIS_MOTOR : 0;
    rows |= (flags & ISO__SPACE_JOINT_LIMIT) != 0 ? 1u << ISO__SPACE_AXIS_LOWER | 1u << ISO__SPACE_AXIS_UPPER : 0;
    return (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0 && iso_joint3_axis_of(joint->kind, n) != ISO_JOINT3_AXIS_NONE
               ? rows
               : 0;
}

/// The largest |j| of a force or torque; of 0 unlimited.
static int64_t axis_most(const iso__space *space, const iso__space_joint *joint, bool is_angle, iso_wide most) {
    const uint32_t world = space->world.def.body_capacity;
    const iso__space_body_derived *a =
        iso__space_joint_body_of(space, joint->body_a == ISO__WORLD_BODY ? world : joint->body_a);
    const iso__space_body_derived *b = iso__space_joint_body_of(space, joint->body_b);
    const int64_t h = space->scratch->params.h;
    return iso__min64(is_angle ? iso__space_joint_impulse_of_torque(most, a, b, iso__space_joint_ratio(joint), h)
                               : iso__space_joint_impulse_of_force(most, a, b, h),
                      ISO__SPACE_AXIS_IMPULSE_MAX);
}

void iso__space_axis_prepare(const iso__space *space, const iso__space_joint *joint, uint32_t n,
                             iso__space_axis *axis) {
    ISO_ASSERT(n < ISO_JOINT3_AXES && joint->lower[n] <= joint->upper[n]);
    const iso__step_params *params = &space->scratch->params;
    const bool is_spring = (joint->axis_flags[n] & ISO__SPACE_JOINT_SPRING) != 0;
    const fix16_t hertz = is_spring ? joint->spring_hertz[n] : joint->hertz;
    const fix16_t ratio = is_spring ? joint->spring_damping_ratio[n] : joint->damping_ratio;
    *axis = (iso__space_axis){
        .rows = (uint8_t)iso__space_axis_rows(joint, n),
        .is_angle = iso_joint3_axis_of(joint->kind, n) != ISO_JOINT3_AXIS_LENGTH,
        .is_soft = hertz > 0 || axis_is_stiff(joint, n),
        .is_limit_soft = joint->limit_hertz[n] > 0,
        .turns = joint->turns[n],
        .rest = iso_wide_from_fix16(joint->rest[n]),
        .lower = iso_wide_from_fix16(joint->lower[n]),
        .upper = iso_wide_from_fix16(joint->upper[n]),
        .speed = iso_wide_from_fix16(joint->motor_speed[n]),
        .soft = iso__joint_softness(params, hertz, ratio, joint->correction_max),
    };
    axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
    axis->limit_soft =
        iso__joint_softness(params, joint->limit_hertz[n], joint->limit_damping_ratio[n], joint->correction_max);
    axis->limit_error_max = iso__joint_error_max(axis->limit_soft, joint->correction_max);
    axis->limit_max = axis_most(space, joint, axis->is_angle, axis->is_angle ? joint->torque_max : joint->force_max);
    axis->hold_max = is_spring ? axis_most(space, joint, axis->is_angle, joint->spring_max[n]) : axis->limit_max;
    axis->motor_max = joint->motor_max[n] == 0 ? 0 : axis_most(space, joint, axis->is_angle, joint->motor_max[n]);
    for (uint32_t row = 0; row < ISO__SPACE_AXIS_ROWS; ++row) {
        const bool has_row = ((uint32_t)axis->rows >> row & 1u) != 0;
        axis->impulse[row] =
            has_row ? joint->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + n * ISO__SPACE_AXIS_ROWS + row] : 0;
    }
}

/// A number times K, at most ISO__SPACE_AXIS_IMPULSE_MAX.
static int64_t axis_times_k(const iso__space_axis *axis, int64_t value) {
    return iso__min64(iso__mul_div(value, INT64_C(1) << 62, axis->inverse), ISO__SPACE_AXIS_IMPULSE_MAX);
}

void iso__space_axis_soften(const iso__space *space, const iso__space_joint *joint, uint32_t n, iso__space_axis *axis) {
    ISO_ASSERT(n < ISO_JOINT3_AXES);
    if (!axis_is_stiff(joint, n) || axis->inverse == 0) {
        return;
    }
    // The rates are those of a maximum of so much force or torque: sigma k h and sigma c h.
    const iso_wide k = joint->spring_stiffness[n], c = joint->spring_damping[n];
    const int64_t rate = k == 0 ? 0 : axis_times_k(axis, axis_most(space, joint, axis->is_angle, k));
    const int64_t damping = c == 0 ? 0 : axis_times_k(axis, axis_most(space, joint, axis->is_angle, c));
    axis->soft =
        iso__softness_make_damped(rate, damping, joint->correction_max > 0, space->scratch->params.substep_rate);
    axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
}

// ---- once a substep ------------------------------------------------------------------------------

/// omega = w / L: what turns with omega as what turns with w.
static int64_t axis_by_radius(int64_t value, const iso__space_joint_body *body) {
    return body->exponent > 0 ? iso__round_shift(value, (unsigned)body->exponent)
                              : iso__shl64(value, (unsigned)-body->exponent);
}

/// Where a pinion's radius makes arms so long that their part of K could leave its range, the body's turning is halved
/// until it does not, as iso__space_joint_place does for those of anchors.
static void axis_shorten(const int64_t arm[3], int64_t gain[3]) {
    uint64_t arms = 0, gains = 0;
    for (int axis = 0; axis < 3; ++axis) {
        arms |= iso__abs_u64(arm[axis]);
        gains |= iso__abs_u64(gain[axis]);
    }
    const int bits = (int)iso__bit_width64(arms) + (int)iso__bit_width64(gains) - ISO__WIDE_FRACTION - LEVER_BITS;
    for (int axis = 0; axis < 3 && bits > 0; ++axis) {
        gain[axis] = iso__round_shift(gain[axis], (unsigned)iso__min32(bits, 62));
    }
}

/// One body's part of a length. @param turn  [m] Q31.32: what its turning adds to dx/dt, before the sign. @return its
/// part of K
static int64_t axis_set_lever(const iso__space_joint_body *body, const int32_t d[3], const int64_t turn[3],
                              int64_t sign, iso__space_axis_term *term) {
    const int64_t *u = body->arm;
    const int64_t arm[3] = {iso__dot_shift(u[1], d[2], -u[2], d[1], ISO__UNIT_FRACTION) + axis_by_radius(turn[0], body),
                            iso__dot_shift(u[2], d[0], -u[0], d[2], ISO__UNIT_FRACTION) + axis_by_radius(turn[1], body),
                            iso__dot_shift(u[0], d[1], -u[1], d[0], ISO__UNIT_FRACTION) +
                                axis_by_radius(turn[2], body)};
    int64_t gain[3];
    iso__space_tensor_apply(body->gain, arm, gain);
    if ((turn[0] | turn[1] | turn[2]) != 0) {
        axis_shorten(arm, gain);
    }
    for (int axis = 0; axis < 3; ++axis) {
        term->arm[axis] = sign * arm[axis];
        term->gain[axis] = sign * gain[axis];
    }
    const int64_t k = iso__dot3_shift(arm[0], gain[0], arm[1], gain[1], arm[2], gain[2], ISO__WIDE_FRACTION);
    return iso__clamp64(k, 0, INT64_C(1) << 60);
}

static void axis_set_way(iso__space_joint_work *work, uint32_t n, const int32_t direction[3], const int64_t turn[3],
                         int64_t x) {
    ISO_VALIDATE_ASSERT(n < ISO_JOINT3_AXES);
    iso__space_axis *axis = &work->axis[n];
    ISO_VALIDATE_ASSERT(!axis->is_angle);
    axis->arrived = x;
    for (int i = 0; i < 3; ++i) {
        axis->direction[i] = direction[i];
    }
    const int64_t k = ISO_WIDE_ONE + axis_set_lever(&work->a, direction, turn, -1, &axis->a) +
                      axis_set_lever(&work->b, direction, turn, 1, &axis->b);
    axis->inverse = iso__pivot_reciprocal(k, 0);
}

void iso__space_axis_set_length(iso__space_joint_work *work, uint32_t n, const int32_t direction[3], int64_t x) {
    static const int64_t none[3] = {0, 0, 0};
    ISO_VALIDATE_ASSERT(n < ISO_JOINT3_AXES);
    axis_set_way(work, n, direction, none, x);
}

void iso__space_axis_set_rack(iso__space_joint_work *work, const int32_t direction[3], const int32_t b[3], int64_t way,
                              int64_t turns) {
    iso__space_axis *axis = &work->axis[0];
    ISO_VALIDATE_ASSERT(work->kind == ISO_JOINT3_RACK);
    for (int i = 0; i < 3; ++i) {
        axis->rate[i] = -iso__mul_shift(work->ratio, b[i], ISO__UNIT_FRACTION);
    }
    axis->turns = turns;
    const int64_t most = INT64_MAX / 2;
    const int64_t rolled = iso__clamp64(iso_wide_mul(work->ratio, iso_radians_from_turns(turns)), -most, most);
    axis_set_way(work, 0, direction, axis->rate, iso__sub64(way, rolled));
}

static int64_t axis_set_turn(const iso__space_joint_body *body, const int64_t u[3], int64_t sign,
                             iso__space_axis_term *term) {
    int64_t gain[3];
    iso__space_tensor_apply(body->turn, u, gain);
    for (int axis = 0; axis < 3; ++axis) {
        term->arm[axis] = sign * axis_by_radius(u[axis], body);
        term->gain[axis] = sign * gain[axis];
    }
    return iso__dot3_shift(u[0], gain[0], u[1], gain[1], u[2], gain[2], ISO__WIDE_FRACTION);
}

int64_t iso__space_axis_unwrap(int64_t turns, int64_t near) {
    const int64_t whole = iso__round_shift(iso__clamp64(iso__sub64(near, turns), -(INT64_MAX / 2), INT64_MAX / 2), 32);
    return turns + whole * ISO_WIDE_ONE;
}

static void axis_set_turns(iso__space_axis *axis, int64_t turns) {
    axis->turns = iso__space_axis_unwrap(turns, axis->turns);
    axis->arrived = iso_radians_from_turns(axis->turns);
}

void iso__space_axis_set_angle(iso__space_joint_work *work, uint32_t n, const int64_t u[3], int64_t turns) {
    ISO_VALIDATE_ASSERT(n < ISO_JOINT3_AXES);
    iso__space_axis *axis = &work->axis[n];
    ISO_VALIDATE_ASSERT(axis->is_angle);
    axis_set_turns(axis, turns);
    for (int i = 0; i < 3; ++i) {
        axis->rate[i] = u[i];
    }
    const int64_t k = axis_set_turn(&work->a, u, -1, &axis->a) + axis_set_turn(&work->b, u, 1, &axis->b);
    axis->inverse = k < ISO_WIDE_ONE / 2 ? 0 : iso__pivot_reciprocal(k, 0);
}

void iso__space_axis_set_gear(iso__space_joint_work *work, const int32_t a[3], const int32_t b[3], int64_t turns) {
    iso__space_axis *axis = &work->axis[0];
    ISO_VALIDATE_ASSERT(work->kind == ISO_JOINT3_GEAR && work->ratio != 0);
    int64_t of_a[3], of_b[3];
    for (int i = 0; i < 3; ++i) {
        of_a[i] = a[i] * INT64_C(4);
        of_b[i] = b[i] * INT64_C(4);
        axis->rate[i] = iso__mul_shift(work->ratio, b[i], ISO__UNIT_FRACTION);
    }
    // B's tensor has the factor r^2: see above.
    const int64_t k = axis_set_turn(&work->a, of_a, -1, &axis->a) + axis_set_turn(&work->b, of_b, 1, &axis->b);
    for (int i = 0; i < 3; ++i) {
        axis->b.arm[i] = iso_wide_mul(axis->b.arm[i], work->ratio);
        axis->b.gain[i] = iso__mul_div(axis->b.gain[i], ISO_WIDE_ONE, work->ratio);
    }
    axis->turns = turns;
    axis->arrived = iso_radians_from_turns(turns);
    axis->inverse = k < ISO_WIDE_ONE / 2 ? 0 : iso__pivot_reciprocal(k, 0);
}

void iso__space_axis_set_still(iso__space_joint_work *work, uint32_t n, int64_t turns) {
    ISO_VALIDATE_ASSERT(n < ISO_JOINT3_AXES);
    iso__space_axis *axis = &work->axis[n];
    axis_set_turns(axis, turns);
    axis->inverse = 0;
    axis->a = axis->b = (iso__space_axis_term){{0}, {0}};
    axis->rate[0] = axis->rate[1] = axis->rate[2] = 0;
}

// ---- rows ----------------------------------------------------------------------------------------

static void axis_push(iso__space_motion *motion, const iso__space_joint_body *body, const iso__space_axis *axis,
                      const iso__space_axis_term *term, int64_t j, int64_t sign, uint64_t *clamps) {
    if (!motion->is_dynamic) {
        return;
    }
    // Q31.32 * Q31.32 to Q12.19; of an angle times L.
    const unsigned shift = (unsigned)(axis->is_angle ? 45 - body->exponent : 45);
    for (int i = 0; i < 3; ++i) {
        if (!axis->is_angle) {
            const int64_t push = iso__mul_shift((int64_t)body->share * axis->direction[i], j, 73);
            motion->velocity[i] = iso__space_joint_clamp_speed(motion->velocity[i] + sign * push, clamps);
        }
        motion->spin[i] =
            iso__space_joint_clamp_speed(motion->spin[i] + iso__mul_shift(term->gain[i], j, shift), clamps);
    }
}

static void axis_apply(iso__space_scratch *scratch, const iso__space_joint_work *work, const iso__space_axis *axis,
                       int64_t j) {
    axis_push(&scratch->motions[work->a.body], &work->a, axis, &axis->a, j, -1, &scratch->joint_clamps);
    axis_push(&scratch->motions[work->b.body], &work->b, axis, &axis->b, j, 1, &scratch->joint_clamps);
}

void iso__space_axis_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work,
                                const iso__space_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->rows != 0);
    axis_apply(scratch, work, axis, axis->impulse[0] + axis->impulse[1] + axis->impulse[2] + axis->impulse[3]);
}

int64_t iso__space_axis_speed(const iso__space_motion *a, const iso__space_motion *b, const iso__space_axis *axis) {
    ISO_VALIDATE_ASSERT(!axis->is_angle || (axis->direction[0] | axis->direction[1] | axis->direction[2]) == 0);
    int64_t along = 0; // Q.49, |d| <= 1 and |v| below 2^31
    for (int i = 0; i < 3 && !axis->is_angle; ++i) {
        along += axis->direction[i] * ((int64_t)b->velocity[i] - a->velocity[i]);
    }
    const int64_t of_a = iso__dot3_shift(axis->a.arm[0], a->spin[0], axis->a.arm[1], a->spin[1], axis->a.arm[2],
                                         a->spin[2], ISO__VEL_FRACTION);
    const int64_t of_b = iso__dot3_shift(axis->b.arm[0], b->spin[0], axis->b.arm[1], b->spin[1], axis->b.arm[2],
                                         b->spin[2], ISO__VEL_FRACTION);
    const int64_t turning = iso__clamp64(of_a, -SPEED_MAX, SPEED_MAX) + iso__clamp64(of_b, -SPEED_MAX, SPEED_MAX);
    return iso__clamp64(turning + iso__round_shift(along, 17), -SPEED_MAX, SPEED_MAX);
}

/// Takes the step of one row from j to the result, which is within [low, high].
static int64_t axis_step(const iso__space_axis *axis, int64_t rhs, int64_t impulse_scale, int64_t j, int64_t low,
                         int64_t high) {
    const int64_t change = iso__dot_shift(axis->inverse, rhs, impulse_scale * (INT64_C(1) << 32), j, 62);
    return iso__clamp64(j - iso__clamp64(change, -CHANGE_MAX, CHANGE_MAX), low, high);
}

static int64_t axis_solve_hold(const iso__space_axis *axis, int64_t speed, bool is_relax) {
    const int64_t j = axis->impulse[ISO__SPACE_AXIS_HOLD], most = axis->hold_max;
    if (is_relax && !axis->is_soft) {
        return axis_step(axis, speed, 0, j, -most, most);
    }
    const int64_t error = iso__clamp64(iso__sub64(axis->position, axis->rest), -axis->error_max, axis->error_max);
    const int64_t rhs =
        iso__dot_shift(speed, axis->soft.mass_scale, error, (int64_t)axis->soft.bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, axis->soft.impulse_scale, j, -most, most);
}

/// A limit from below; the caller mirrors x, speed and j for one from above. @param room  x - lower
static int64_t axis_solve_limit(const iso__space_axis *axis, const iso__step_params *params, int64_t room,
                                int64_t speed, int64_t j, bool is_relax) {
    // Far from a limit: rhs below is not negative, as there are at least sixty substeps in a second.
    if (room > 0 && (axis->is_limit_soft || (j == 0 && -(speed >> 3) <= room))) {
        return 0;
    }
    if (room > 0) {
        return axis_step(axis, iso__dot_shift(speed, 1, room, params->substep_rate, 0), 0, j, 0, axis->limit_max);
    }
    if (is_relax && !axis->is_limit_soft) {
        return axis_step(axis, speed, 0, j, 0, axis->limit_max);
    }
    const iso__softness *soft = &axis->limit_soft;
    const int64_t error = iso__max64(room, -axis->limit_error_max);
    const int64_t rhs =
        iso__dot_shift(speed, soft->mass_scale, error, (int64_t)soft->bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, soft->impulse_scale, j, 0, axis->limit_max);
}

static int64_t axis_solve_row(const iso__space_axis *axis, const iso__step_params *params, uint32_t row, int64_t speed,
                              bool is_relax) {
    const int64_t j = axis->impulse[row];
    switch ((iso__space_axis_row)row) {
    case ISO__SPACE_AXIS_HOLD:
        return axis_solve_hold(axis, speed, is_relax);
    case ISO__SPACE_AXIS_MOTOR:
        return axis_step(axis, speed - axis->speed, 0, j, -axis->motor_max, axis->motor_max);
    case ISO__SPACE_AXIS_LOWER:
        return axis_solve_limit(axis, params, iso__sub64(axis->position, axis->lower), speed, j, is_relax);
    default:
        return -axis_solve_limit(axis, params, iso__sub64(axis->upper, axis->position), -speed, -j, is_relax);
    }
}

void iso__space_axis_solve(iso__space_scratch *scratch, const iso__space_joint_work *work, iso__space_axis *axis,
                           bool is_relax) {
    ISO_VALIDATE_ASSERT((axis->rows >> ISO__SPACE_AXIS_MEASURED) == 0 && axis->inverse >= 0);
    if (axis->rows == 0 || axis->inverse == 0) {
        return;
    }
    for (uint32_t row = 0; row < ISO__SPACE_AXIS_ROWS; ++row) {
        if (((uint32_t)axis->rows >> row & 1u) == 0) {
            continue;
        }
        const int64_t speed =
            iso__space_axis_speed(&scratch->motions[work->a.body], &scratch->motions[work->b.body], axis);
        const int64_t before = axis->impulse[row];
        const int64_t j = axis_solve_row(axis, &scratch->params, row, speed, is_relax);
        if (j != before) {
            axis_apply(scratch, work, axis, j - before);
            axis->impulse[row] = j;
        }
    }
}
