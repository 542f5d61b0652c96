/// The axis: scalar rows on one scalar x of two bodies, an angle or a length.
///
///   dx/dt = J v:   a length along the unit vector d between two anchors   d.vB + wB pB - d.vA - wA pA,  p = u x d
///                  the angle of B less that of A                          wB pB - wA pA,                p = 1/L
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
///   upper  the same of -x and -upper, with -j
///
/// The impulses are accumulated and their sum over the substeps of a tick starts the next one. |j| of hold and
/// limits is at most sigma F h (sigma M h for an angle), when the joint has a maximum.
///
/// Ranges. |d| <= 1 and |v| <= 512 per component: d.v is below 2^11, four products of 2^58 stay below 2^60. |p| is at
/// most 2^15 (an anchor 60 m out on a radius of 2^-8 m), so w p stays below 2^24 and c below 2^26 [Q31.32: 2^58]. g is
/// at most 500 * 2^15 < 2^24 [Q25.38: 2^62]. g p may exceed Q31.32 and is cut at a quarter of the range, which leaves
/// K <= 2^62. |j| <= 2^18, the change of one solve is cut at 2^20, so that no sum wraps. x is below 2^18 m, or cut at
/// 2^24 rad. All other products go through 128 bits, are rounded once and saturate.
/// Jacobian, closed forms and limits: tests/unit/physics/test_axis_rows.c.
#include "joint/rows.h"

#include "base/inline.h"
#include "math/fixed_ops.h"

#define AXIS_ANGLE_MAX   (INT64_C(1) << 56) // 2^24 rad
#define SPEED_MAX        (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define GAIN_FRACTION    38

// ---- once a tick ---------------------------------------------------------------------------------

static bool axis_is_rod(const iso__joint *joint) {
    return (iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_LENGTH) != 0 &&
           (joint->flags & (ISO__JOINT_SPRING | ISO__JOINT_LIMIT)) == 0;
}

uint32_t iso__axis_rows(const iso__joint *joint) {
    const bool is_on = (joint->flags & ISO__JOINT_ENABLED) != 0;
    const bool has_spring = (joint->flags & ISO__JOINT_SPRING) != 0 && joint->spring_hertz > 0;
    const uint32_t hold = axis_is_rod(joint) || has_spring ? 1u << ISO__AXIS_HOLD : 0;
    const uint32_t motor = (joint->flags & ISO__JOINT_MOTOR) != 0 ? 1u << ISO__AXIS_MOTOR : 0;
    const uint32_t limits = (joint->flags & ISO__JOINT_LIMIT) != 0 ? 1u << ISO__AXIS_LOWER | 1u << ISO__AXIS_UPPER : 0;
    return is_on ? hold | motor | limits : 0;
}

/// Takes the switches and numbers that all axes share.
static void axis_prepare_rows(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis) {
    const iso__step_params *params = &world->scratch->params;
    const bool is_rod = axis_is_rod(joint);
    axis->rows = (uint8_t)iso__axis_rows(joint);
    axis->is_soft = !is_rod || joint->hertz > 0;
    axis->soft = is_rod ? iso__joint_softness(params, joint->hertz, joint->damping_ratio)
                        : iso__joint_softness(params, joint->spring_hertz, joint->spring_damping_ratio);
    axis->rest = iso_wide_from_fix16(joint->rest);
    axis->lower = iso_wide_from_fix16(joint->lower);
    axis->upper = iso_wide_from_fix16(joint->upper);
    axis->speed = iso_wide_from_fix16(joint->motor_speed);
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        axis->impulse[row] = joint->impulse[ISO__JOINT_AXIS_IMPULSE + row]; // 0 for a row that is absent
    }
}

/// (1/IA) / (1/IA + 1/IB) as Q2.30 with 1/I = G / (m L^2); a body without gyration does not turn.
static int32_t axis_angular_share(const iso__body_derived *own, const iso__body_derived *other) {
    if (own->gyration == 0 || other->gyration == 0) {
        return own->gyration == 0 ? 0 : ISO__UNIT_ONE;
    }
    // own's part is mOther LOther^2 GOwn: below 2^49 2^31, and 2^28 more for the radii.
    iso__int128 part = iso__int128_mul(other->mass, own->gyration);
    iso__int128 rest = iso__int128_mul(own->mass, other->gyration);
    const int shift = 2 * (other->radius_exponent - own->radius_exponent);
    const iso__uint128 part_up = iso__uint128_shl(iso__int128_abs(part), shift > 0 ? (unsigned)shift : 0);
    const iso__uint128 rest_up = iso__uint128_shl(iso__int128_abs(rest), shift < 0 ? (unsigned)-shift : 0);
    part = (iso__int128){(int64_t)part_up.hi, part_up.lo};
    rest = (iso__int128){(int64_t)rest_up.hi, rest_up.lo};
    return (int32_t)iso__int128_div(part, ISO__UNIT_FRACTION, iso__int128_add(part, rest));
}

int64_t iso__axis_rescale(int64_t impulse, const iso__body_derived *before, const iso__body_derived *after,
                          const iso__body_derived *other) {
    if (before->gyration == 0 || after->gyration == 0) {
        return 0; // what begins or ends to turn begins anew
    }
    // sigma'/sigma = (1 - s) + s I/I' with the share s of the body before, and I/I' = m G' L^2 / (m' G L'^2).
    const int64_t share = axis_angular_share(before, other);
    const int64_t ratio = iso__mul_div(iso__mul_div(before->mass, after->gyration, after->mass), ISO_WIDE_ONE, before->gyration);
    const int up = 2 * (before->radius_exponent - after->radius_exponent); // from -28 to 28
    const int64_t scaled = iso__mul_shift(ratio, up > 0 ? INT64_C(1) << up : 1, up < 0 ? (unsigned)-up : 0);
    return iso__dot_shift(impulse, ISO__UNIT_ONE - share, iso_wide_mul(impulse, scaled), share, ISO__UNIT_FRACTION);
}

void iso__axis_prepare_angle(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *a = iso__joint_body(world, work->body_a), *b = iso__joint_body(world, work->body_b);
    const int64_t h = world->scratch->params.h;
    iso__joint_axis *axis = work->axis;
    work->has_axis = iso__axis_rows(joint) != 0 && (a->gyration > 0 || b->gyration > 0);
    if (!work->has_axis) {
        return;
    }
    *axis = (iso__joint_axis){.inverse = INT64_C(1) << 62};
    axis_prepare_rows(world, joint, axis);
    const int64_t share_a = axis_angular_share(a, b);
    const int64_t share_b = b->gyration > 0 ? ISO__UNIT_ONE - share_a : 0;
    // The exponents are from -8 to 6, so that both shifts are to the left.
    axis->a = (iso__axis_term){.body = work->body_a,
                               .arm = -iso__shl64(1, (unsigned)(32 - work->exponent_a)),
                               .gain = -iso__shl64(share_a, (unsigned)(8 + work->exponent_a))};
    axis->b = (iso__axis_term){.body = work->body_b,
                               .arm = iso__shl64(1, (unsigned)(32 - work->exponent_b)),
                               .gain = iso__shl64(share_b, (unsigned)(8 + work->exponent_b))};
    axis->start = iso__clamp64(iso__joint_angle(world, joint), -AXIS_ANGLE_MAX, AXIS_ANGLE_MAX);
    axis->hold_max = iso__min64(iso__joint_impulse_of_torque(joint->torque_max, a, b, h), ISO__AXIS_IMPULSE_MAX);
    axis->motor_max = joint->motor_max == 0
                          ? 0
                          : iso__min64(iso__joint_impulse_of_torque(joint->motor_max, a, b, h), ISO__AXIS_IMPULSE_MAX);
}

void iso__axis_prepare_length(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *a = iso__joint_body(world, work->body_a), *b = iso__joint_body(world, work->body_b);
    const int64_t h = world->scratch->params.h;
    iso__joint_axis *axis = work->axis;
    work->has_axis = true;
    *axis = (iso__joint_axis){.a = {.body = work->body_a}, .b = {.body = work->body_b}};
    axis_prepare_rows(world, joint, axis);
    axis->a.share = iso__joint_share(a->mass, b->mass);
    axis->b.share = iso__joint_share(b->mass, a->mass);
    axis->turn_a = (int32_t)iso__mul_shift(a->gyration, axis->a.share, ISO__UNIT_FRACTION);
    axis->turn_b = (int32_t)iso__mul_shift(b->gyration, axis->b.share, ISO__UNIT_FRACTION);
    axis->hold_max = iso__min64(iso__joint_impulse_of_force(joint->force_max, a, b, h), ISO__AXIS_IMPULSE_MAX);
    axis->motor_max = joint->motor_max == 0
                          ? 0
                          : iso__min64(iso__joint_impulse_of_force(joint->motor_max, a, b, h), ISO__AXIS_IMPULSE_MAX);
}

// ---- once a substep ------------------------------------------------------------------------------

/// An arc [m] of a radius 2^k as an angle [rad].
static int64_t axis_angle_of(int64_t turned, int8_t exponent) {
    return exponent > 0 ? iso__round_shift(turned, (unsigned)exponent) : iso__shl64(turned, (unsigned)-exponent);
}

void iso__axis_update_angle(const iso__step_scratch *scratch, iso__joint_work *work) {
    work->axis->position = work->axis->start + axis_angle_of(scratch->drifts[work->body_b].turned, work->exponent_b) -
                           axis_angle_of(scratch->drifts[work->body_a].turned, work->exponent_a);
}

/// Sets arm and gain of one body. @return its part of K
static int64_t axis_set_arm(iso__axis_term *term, const int32_t direction[2], int64_t sign, int64_t turn,
                            const int64_t arm[2]) {
    const int64_t p = iso__dot_shift(arm[0], direction[1], -arm[1], direction[0], ISO__UNIT_FRACTION);
    const int64_t g = iso__mul_shift(turn, p, ISO__GYRO_FRACTION + ISO__WIDE_FRACTION - GAIN_FRACTION);
    term->direction[0] = (int32_t)(sign * direction[0]);
    term->direction[1] = (int32_t)(sign * direction[1]);
    term->arm = sign * p;
    term->gain = sign * g;
    return iso__min64(iso__mul_shift(p, g, GAIN_FRACTION), INT64_MAX / 4);
}

void iso__axis_update_length(iso__joint_work *work, int64_t length, const int64_t arm_a[2], const int64_t arm_b[2]) {
    iso__joint_axis *axis = work->axis;
    const int64_t k = ISO_WIDE_ONE + axis_set_arm(&axis->a, work->direction, -1, axis->turn_a, arm_a) +
                      axis_set_arm(&axis->b, work->direction, 1, axis->turn_b, arm_b);
    axis->position = length;
    axis->inverse = iso__div_shift(INT64_C(1) << 31, 63, k); // 2^62 2^32 / k
}

// ---- passes --------------------------------------------------------------------------------------

static int32_t axis_clamp_speed(int64_t speed) {
    return (int32_t)iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
}

static void axis_push(iso__step_scratch *scratch, const iso__axis_term *term, int64_t j) {
    iso__motion *motion = &scratch->motions[term->body];
    if (!motion->kind) {
        return;
    }
    if (term->share != 0) {
        const int64_t part = iso__mul_shift(term->share, j, ISO__UNIT_FRACTION); // Q31.32; then Q2.30 to Q12.19
        motion->velocity[0] = axis_clamp_speed(motion->velocity[0] + iso__mul_shift(term->direction[0], part, 43));
        motion->velocity[1] = axis_clamp_speed(motion->velocity[1] + iso__mul_shift(term->direction[1], part, 43));
    }
    motion->spin = axis_clamp_speed(motion->spin + iso__mul_shift(term->gain, j, GAIN_FRACTION + 13));
}

static void axis_apply(iso__step_scratch *scratch, const iso__joint_axis *axis, int64_t j) {
    axis_push(scratch, &axis->a, j);
    axis_push(scratch, &axis->b, j);
}

void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis) {
    axis_apply(scratch, axis, axis->impulse[0] + axis->impulse[1] + axis->impulse[2] + axis->impulse[3]);
}

/// dx/dt, Q31.32.
static int64_t axis_speed(const iso__step_scratch *scratch, const iso__joint_axis *axis) {
    const iso__motion *a = &scratch->motions[axis->a.body], *b = &scratch->motions[axis->b.body];
    const int64_t linear = (int64_t)axis->a.direction[0] * a->velocity[0] + (int64_t)axis->a.direction[1] * a->velocity[1] +
                           (int64_t)axis->b.direction[0] * b->velocity[0] + (int64_t)axis->b.direction[1] * b->velocity[1];
    return iso__round_shift(linear, 17) + iso__dot_shift(axis->a.arm, a->spin, axis->b.arm, b->spin, 19);
}

/// Takes the step of one row from j to the result, which is within [low, high].
static int64_t axis_step(const iso__joint_axis *axis, int64_t rhs, int64_t impulse_scale, int64_t j, int64_t low,
                         int64_t high) {
    const int64_t change = iso__dot_shift(axis->inverse, rhs, impulse_scale * (INT64_C(1) << 32), j, 62);
    return iso__clamp64(j - iso__clamp64(change, -4 * ISO__AXIS_IMPULSE_MAX, 4 * ISO__AXIS_IMPULSE_MAX), low, high);
}

static int64_t axis_solve_hold(const iso__joint_axis *axis, int64_t speed, bool is_relax) {
    const int64_t j = axis->impulse[ISO__AXIS_HOLD], most = axis->hold_max;
    if (is_relax && !axis->is_soft) {
        return axis_step(axis, speed, 0, j, -most, most);
    }
    const int64_t rhs = iso__dot_shift(speed, axis->soft.mass_scale, axis->position - axis->rest,
                                       (int64_t)axis->soft.bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, axis->soft.impulse_scale, j, -most, most);
}

/// A limit from below of x, speed and j; the caller mirrors them for one from above.
static int64_t axis_solve_limit(const iso__joint_axis *axis, const iso__step_params *params, int64_t room, int64_t speed,
                                int64_t j, bool is_relax) {
    if (room > 0) {
        const int64_t rhs = iso__dot_shift(speed, 1, room, params->substep_rate, 0);
        return axis_step(axis, rhs, 0, j, 0, axis->hold_max);
    }
    if (is_relax) {
        return axis_step(axis, speed, 0, j, 0, axis->hold_max);
    }
    const iso__softness *soft = &params->joint_soft;
    const int64_t rhs =
        iso__dot_shift(speed, soft->mass_scale, room, (int64_t)soft->bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, soft->impulse_scale, j, 0, axis->hold_max);
}

void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax) {
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        if (((uint32_t)axis->rows >> row & 1u) == 0) {
            continue;
        }
        const int64_t speed = axis_speed(scratch, axis), before = axis->impulse[row];
        int64_t j = 0;
        switch ((iso__axis_row)row) {
        case ISO__AXIS_HOLD:
            j = axis_solve_hold(axis, speed, is_relax);
            break;
        case ISO__AXIS_MOTOR:
            j = axis_step(axis, speed - axis->speed, 0, before, -axis->motor_max, axis->motor_max);
            break;
        case ISO__AXIS_LOWER:
            j = axis_solve_limit(axis, &scratch->params, axis->position - axis->lower, speed, before, is_relax);
            break;
        default:
            j = -axis_solve_limit(axis, &scratch->params, axis->upper - axis->position, -speed, -before, is_relax);
            break;
        }
        if (j != before) {
            axis_apply(scratch, axis, j - before);
            axis->impulse[row] = j;
        }
    }
}

int64_t iso__axis_impulse(const iso__joint *joint) {
    const int64_t *j = joint->impulse + ISO__JOINT_AXIS_IMPULSE;
    return j[0] + j[1] + j[2] + j[3];
}
