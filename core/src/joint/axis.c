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
/// so that g j stays within 64 bits. Of a native length g p may exceed Q31.32 and is cut at a quarter of the range, which
/// leaves K <= 2^62. Of a row with any gradient (custom joints, pulleys) K is a sum of exact products, below 2^59: a
/// gradient of 2^-10 per metre or radian gives 2^-20, the least K that is solved. A row below it rests, and is counted.
/// |j| <= 2^18, the change of one solve is cut at 2^20, so that no sum wraps. x is below 2^18 m, or cut at 2^24 rad.
/// Products go through 128 bits, are rounded once and saturate.
/// Jacobian, closed forms and limits: tests/unit/joint/test_axis_rows.c.
#include "joint/axis.h"

#include "base/assert.h"
#include "joint/joint_softness.h"
#include "joint/measure.h"
#include "joint/work.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/params.h"
#include "solver/parallel.h"
#include "solver/scratch.h"
#include "solver/softness.h"
#include "world/custom.h"
#include "world/joint.h"
#include "world/joint_mass.h"

#define AXIS_ANGLE_MAX (INT64_C(1) << 56) // 2^24 rad
#define SPEED_MAX      (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define GAIN_FRACTION  38
#define GAIN_MAX       (INT64_C(1) << 62)
#define SPEED_OF_X_MAX (INT64_C(1) << 62)
#define K_FRACTION     52                 // of a K below 2^-10
#define K_MIN          (INT64_C(1) << 32) // 2^-20: a row with a smaller K is not solved

// ---- once a tick ---------------------------------------------------------------------------------

/// Adds a hold without a spring: a rod, a weld, a gear.
static bool axis_is_held(const iso__joint *joint) {
    const uint32_t has = iso__joint_has(joint);
    return (has & ISO_JOINT_IS_HELD) != 0 ||
           ((has & ISO_JOINT_HAS_LENGTH) != 0 && (joint->flags & (ISO__JOINT_SPRING | ISO__JOINT_LIMIT)) == 0);
}

uint32_t iso__axis_rows(const iso__joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const uint32_t has = iso__joint_has(joint);
    const bool is_on = (joint->flags & ISO__JOINT_ENABLED) != 0;
    const uint32_t hold = axis_is_held(joint) || iso__joint_has_spring(joint) ? 1u << ISO__AXIS_HOLD : 0;
    const bool has_motor = (joint->flags & ISO__JOINT_MOTOR) != 0 && (has & ISO_JOINT_MOTOR_TURNS) == 0;
    const uint32_t motor = has_motor ? 1u << ISO__AXIS_MOTOR : 0;
    const uint32_t limits = (joint->flags & ISO__JOINT_LIMIT) != 0 ? 1u << ISO__AXIS_LOWER | 1u << ISO__AXIS_UPPER : 0;
    return is_on ? hold | motor | limits : 0;
}

/// Whether a term's body is not that of an earlier term.
static bool axis_is_first(const iso__joint_axis *axis, uint32_t i) {
    bool is_first = true;
    for (uint32_t k = 0; k < i; ++k) {
        is_first = is_first && axis->terms[k].body != axis->terms[i].body;
    }
    return is_first;
}

/// sigma F h or sigma M h of the different bodies of an axis.
static int64_t axis_most_of_terms(const iso_world *world, const iso__joint_axis *axis, iso_wide most, int64_t h) {
    const iso__body_derived none = {0};
    int64_t sum = 0;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__body_derived *body = iso__joint_body(world, axis->terms[i].body);
        if (axis_is_first(axis, i)) {
            sum = iso_wide_add(sum, axis->is_angle ? iso__joint_impulse_of_torque(most, body, &none, ISO_WIDE_ONE, h)
                                                   : iso__joint_impulse_of_force(most, body, &none, h));
        }
    }
    return iso__min64(sum, ISO__AXIS_IMPULSE_MAX);
}

/// The largest |j| of a force or torque on this axis, 0 for none: unlimited.
static int64_t axis_most(const iso_world *world, const iso__joint *joint, const iso__joint_axis *axis, iso_wide most) {
    const iso__body_derived *a = iso__joint_body(world, joint->body_a), *b = iso__joint_body(world, joint->body_b);
    const int64_t h = world->scratch->params.h;
    if ((iso__joint_has(joint) & ISO_JOINT_IS_CUSTOM) != 0) {
        return axis_most_of_terms(world, axis, most, h);
    }
    int64_t j = axis->is_angle ? iso__joint_impulse_of_torque(most, a, b, axis->ratio, h)
                               : iso__joint_impulse_of_force(most, a, b, h);
    if (axis->term_count > 2 && j != INT64_MAX) {
        const iso__body_derived *c = iso__joint_body(world, joint->body_c), *d = iso__joint_body(world, joint->body_d);
        const int64_t of_cd = iso__joint_impulse_of_force(most, c, d, h);
        j = iso_wide_add(j, iso_wide_mul(iso_wide_mul(of_cd, axis->ratio), axis->ratio));
    }
    return iso__min64(j, ISO__AXIS_IMPULSE_MAX);
}

/// Reads a row's impulse from its slot of the record.
static void axis_take_row(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso__axis_row row,
                          uint32_t slot) {
    axis->rows = (uint8_t)(axis->rows | 1u << row);
    axis->slots[row] = (uint8_t)slot;
    axis->impulse[row] = slot < ISO__JOINT_IMPULSES ? joint->impulse[slot]
                                                    : iso__custom_impulse(joint, iso__custom_of(world, joint), slot);
}

void iso__axis_hold(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot,
                    int64_t rest) {
    ISO_ASSERT(slot < 2 * ISO__JOINT_AXES_MAX);
    axis_take_row(world, joint, axis, ISO__AXIS_HOLD, slot);
    axis->rest = rest;
    axis->is_soft = joint->hertz > 0;
    axis->soft =
        iso__joint_softness(&world->scratch->params, joint->hertz, joint->damping_ratio, joint->correction_max);
    axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
    axis->hold_max = axis_most(world, joint, axis, axis->is_angle ? joint->torque_max : joint->force_max);
}

void iso__axis_drive(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot) {
    ISO_ASSERT(slot < ISO__JOINT_IMPULSES && joint->motor_max >= 0);
    axis_take_row(world, joint, axis, ISO__AXIS_MOTOR, slot);
    axis->speed = iso_wide_from_fix16(joint->motor_speed);
    axis->motor_max = joint->motor_max == 0 ? 0 : axis_most(world, joint, axis, joint->motor_max);
}

void iso__axis_limit(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t rows) {
    ISO_ASSERT(joint->lower <= joint->upper);
    for (uint32_t row = ISO__AXIS_LOWER; row <= ISO__AXIS_UPPER; ++row) {
        if ((rows >> row & 1u) != 0) {
            axis_take_row(world, joint, axis, (iso__axis_row)row, ISO__JOINT_AXIS_IMPULSE + row);
        }
    }
    axis->lower = iso_wide_from_fix16(joint->lower);
    axis->upper = iso_wide_from_fix16(joint->upper);
    axis->is_limit_soft = (iso__joint_has(joint) & ISO_JOINT_HAS_LIMIT) != 0 && joint->limit_hertz > 0;
    axis->limit_soft = iso__joint_softness(&world->scratch->params, axis->is_limit_soft ? joint->limit_hertz : 0,
                                           joint->limit_damping_ratio, joint->correction_max);
    axis->limit_error_max = iso__joint_error_max(axis->limit_soft, joint->correction_max);
    axis->limit_max = axis_most(world, joint, axis, axis->is_angle ? joint->torque_max : joint->force_max);
}

void iso__axis_bound(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso__axis_row row,
                     uint32_t slot, int64_t bound) {
    ISO_ASSERT((row == ISO__AXIS_LOWER || row == ISO__AXIS_UPPER) && slot < 2 * ISO__JOINT_AXES_MAX);
    axis_take_row(world, joint, axis, row, slot);
    if (row == ISO__AXIS_LOWER) {
        axis->lower = bound;
    } else {
        axis->upper = bound;
    }
    axis->limit_error_max = iso__joint_error_max(world->scratch->params.joint_soft, joint->correction_max);
}

void iso__axis_pace(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot,
                    int64_t speed) {
    ISO_ASSERT(slot < 2 * ISO__JOINT_AXES_MAX && axis->is_velocity);
    axis_take_row(world, joint, axis, ISO__AXIS_MOTOR, slot);
    axis->rest = speed;
}

void iso__axis_set_most(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso_wide most) {
    ISO_ASSERT(most >= 0);
    axis->hold_max = axis->limit_max = axis->motor_max = axis_most(world, joint, axis, most);
}

void iso__axis_main(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis) {
    ISO_ASSERT(axis->rows == 0);
    const uint32_t rows = iso__axis_rows(joint);
    if ((rows & 1u << ISO__AXIS_HOLD) != 0) {
        iso__axis_hold(world, joint, axis, ISO__JOINT_AXIS_IMPULSE, iso_wide_from_fix16(joint->rest));
        if (iso__joint_has_spring(joint)) {
            axis->is_soft = true; // one by stiffness gets its softness when K is known: iso__axis_soften
            axis->soft = iso__joint_softness(&world->scratch->params, joint->spring_hertz, joint->spring_damping_ratio,
                                             joint->correction_max);
            axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
            axis->hold_max = joint->spring_max == 0 ? axis->hold_max : axis_most(world, joint, axis, joint->spring_max);
        }
    }
    if ((rows & 1u << ISO__AXIS_MOTOR) != 0) {
        iso__axis_drive(world, joint, axis, ISO__JOINT_AXIS_IMPULSE + ISO__AXIS_MOTOR);
    }
    iso__axis_limit(world, joint, axis, rows);
}

static iso__joint_axis *axis_add(iso__joint_work *work, bool is_angle) {
    ISO_ASSERT(work->axis_count < ISO__JOINT_AXES_MAX);
    iso__joint_axis *axis = &work->axes[work->axis_count++];
    *axis = (iso__joint_axis){.terms = {{.body = work->body_a}, {.body = work->body_b}},
                              .term_count = 2,
                              .inverse = INT64_C(1) << 62,
                              .fraction = 62,
                              .is_angle = is_angle,
                              .ratio = ISO_WIDE_ONE};
    return axis;
}

iso__joint_axis *iso__axis_add_angle(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const iso__body_derived *a = iso__joint_body(world, work->body_a), *b = iso__joint_body(world, work->body_b);
    if (a->gyration == 0 && b->gyration == 0) {
        return NULL;
    }
    iso__joint_axis *axis = axis_add(work, true);
    axis->ratio = iso__joint_ratio(joint);
    const int64_t share_a = iso__joint_angular_share(a, b, axis->ratio);
    ISO_ASSERT(share_a >= 0 && share_a <= ISO__UNIT_ONE && axis->ratio != 0);
    const int64_t share_b = b->gyration > 0 ? ISO__UNIT_ONE - share_a : 0;
    // The exponents are from -8 to 6, so that both shifts are to the left.
    axis->terms[0].arm = -iso__shl64(1, (unsigned)(32 - work->exponent_a));
    axis->terms[0].gain = -iso__shl64(share_a, (unsigned)(8 + work->exponent_a));
    axis->terms[1].arm = iso_wide_mul(axis->ratio, iso__shl64(1, (unsigned)(32 - work->exponent_b)));
    axis->terms[1].gain =
        iso__mul_div(iso__shl64(share_b, (unsigned)(8 + work->exponent_b)), ISO_WIDE_ONE, axis->ratio);
    axis->start = iso__axis_clamp_angle(iso__joint_angle(world, joint));
    return axis;
}

static void axis_set_mass(iso__axis_term *term, const iso__body_derived *body, int64_t share) {
    term->share = share;
    term->turn = iso__mul_shift(body->gyration, share, ISO__UNIT_FRACTION);
}

iso__joint_axis *iso__axis_add_length(const iso_world *world, iso__joint_work *work) {
    ISO_ASSERT(work->body_a != work->body_b);
    const iso__body_derived *a = iso__joint_body(world, work->body_a), *b = iso__joint_body(world, work->body_b);
    iso__joint_axis *axis = axis_add(work, false);
    axis_set_mass(&axis->terms[0], a, iso__joint_share(a->mass, b->mass));
    axis_set_mass(&axis->terms[1], b, iso__joint_share(b->mass, a->mass));
    return axis;
}

iso__joint_axis *iso__axis_add_terms(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
    const iso_wide reduced = iso__joint_reduced_mass(world, joint);
    ISO_ASSERT(reduced >= 0);
    iso__joint_axis *axis = axis_add(work, false);
    axis->ratio = iso__joint_ratio(joint);
    axis->term_count = 4;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__body_derived *body = iso__joint_body(world, bodies[i]);
        axis->terms[i].body = bodies[i];
        axis_set_mass(&axis->terms[i], body,
                      body->mass == 0 ? 0 : iso__div_shift(reduced, ISO__UNIT_FRACTION, body->mass));
    }
    return axis;
}

iso__joint_axis *iso__axis_add_turns(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    (void)joint;
    const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
    // Parts 1/I of that of the body that turns most easily, at most 1, of the different bodies that turn at all.
    const iso__body_derived *lightest = NULL;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__body_derived *body = iso__joint_body(world, bodies[i]);
        lightest = body->gyration != 0 &&
                           (!lightest || iso__joint_angular_share(body, lightest, ISO_WIDE_ONE) > ISO__UNIT_ONE / 2)
                       ? body
                       : lightest;
    }
    if (!lightest) {
        return NULL;
    }
    iso__joint_axis *axis = axis_add(work, true);
    axis->term_count = 4;
    int64_t parts[4] = {0}, sum = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__body_derived *body = iso__joint_body(world, bodies[i]);
        const int64_t share = body == lightest      ? ISO__UNIT_ONE / 2
                              : body->gyration == 0 ? 0
                                                    : iso__joint_angular_share(body, lightest, ISO_WIDE_ONE);
        axis->terms[i].body = bodies[i];
        parts[i] = iso__mul_div(share, ISO__UNIT_ONE, ISO__UNIT_ONE - share);
        sum += axis_is_first(axis, i) ? parts[i] : 0;
    }
    ISO_ASSERT(sum > 0);
    for (uint32_t i = 0; i < 4; ++i) {
        // The exponents are from -8 to 6, so that the shift is to the left.
        axis->terms[i].turn = iso__shl64(iso__mul_div(parts[i], ISO__UNIT_ONE, sum),
                                         (unsigned)(8 + iso__joint_body(world, bodies[i])->radius_exponent));
    }
    return axis;
}

// ---- once a substep ------------------------------------------------------------------------------

int64_t iso__axis_angle_of(int64_t turned, int8_t exponent) {
    return exponent > 0 ? iso__round_shift(turned, (unsigned)exponent) : iso__shl64(turned, (unsigned)-exponent);
}

void iso__axis_update_angle(const iso__step_scratch *scratch, const iso__joint_work *work, iso__joint_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->is_angle && axis->term_count == 2);
    const int64_t of_b = iso__axis_angle_of(scratch->drifts[work->body_b].turned, work->exponent_b);
    axis->position = axis->start + (axis->ratio == ISO_WIDE_ONE ? of_b : iso_wide_mul(axis->ratio, of_b)) -
                     iso__axis_angle_of(scratch->drifts[work->body_a].turned, work->exponent_a);
}

/// The change of w by an impulse, for an arm.
static int64_t axis_gain(int64_t turn, int64_t p) {
    const int64_t g = iso__mul_shift(turn, p, ISO__GYRO_FRACTION + ISO__WIDE_FRACTION - GAIN_FRACTION);
    return iso__clamp64(g, -GAIN_MAX, GAIN_MAX);
}

/// Sets direction, arm and the effect of an impulse on one body. @return its part of K
static int64_t axis_set_term(iso__axis_term *term, const int32_t direction[2], int64_t sign, const int64_t arm[2]) {
    const int64_t p = iso__dot_shift(arm[0], direction[1], -arm[1], direction[0], ISO__UNIT_FRACTION);
    const int64_t g = axis_gain(term->turn, p);
    for (int axis = 0; axis < 2; ++axis) {
        term->direction[axis] = sign * direction[axis] * 4;
        term->push[axis] =
            iso__round_shift(term->share * (sign * direction[axis]), 2 * ISO__UNIT_FRACTION - ISO__WIDE_FRACTION);
    }
    term->arm = sign * p;
    term->gain = sign * g;
    return iso__min64(iso__mul_shift(p, g, GAIN_FRACTION), INT64_MAX / 4);
}

void iso__axis_update_length(iso__joint_axis *axis, const int32_t direction[2], int64_t length, const int64_t arm_a[2],
                             const int64_t arm_b[2]) {
    ISO_VALIDATE_ASSERT(!axis->is_angle && axis->term_count == 2);
    const int64_t k = ISO_WIDE_ONE + axis_set_term(&axis->terms[0], direction, -1, arm_a) +
                      axis_set_term(&axis->terms[1], direction, 1, arm_b);
    axis->position = length;
    axis->inverse = iso__div_shift(INT64_C(1) << 31, 63, k); // 2^62 2^32 / k
}

/// Adds direction and arm of a term to those of an earlier one of the same body.
static void axis_merge_term(iso__joint_axis *axis, uint32_t i) {
    iso__axis_term *term = &axis->terms[i];
    for (uint32_t k = 0; k < i; ++k) {
        iso__axis_term *first = &axis->terms[k];
        if (first->body == term->body) {
            first->direction[0] = iso_wide_add(first->direction[0], term->direction[0]);
            first->direction[1] = iso_wide_add(first->direction[1], term->direction[1]);
            first->arm = iso_wide_add(first->arm, term->arm);
            term->direction[0] = term->direction[1] = term->arm = 0;
            return;
        }
    }
}

/// The part of one body in K, Q.64: d.(s d) + p g.
static iso__int128 axis_part_of_k(const iso__joint_axis *axis, const iso__axis_term *term) {
    iso__int128 k = iso__int128_round_shift(iso__int128_mul(term->arm, term->gain), GAIN_FRACTION - 32);
    for (int i = 0; i < 2 && !axis->is_angle; ++i) {
        k = iso__int128_add(k, iso__int128_mul(term->direction[i], term->push[i]));
    }
    return k;
}

/// Sets 1/K for K in Q.64, below 2^59. Its fraction bits follow K, so that a row with a small gradient is as exact as
/// one with a large one: 62 from K = 1 on, 50 from 2^-10 on, 40 from 2^-20 on.
static void axis_set_inverse(iso__joint_axis *axis, iso__int128 k) {
    const int64_t whole = iso__int128_saturate(iso__int128_round_shift(k, 64 - ISO__WIDE_FRACTION));
    const int64_t fine = iso__int128_saturate(iso__int128_round_shift(k, 64 - K_FRACTION));
    if (whole == INT64_MAX) { // from 2^31 on: 2^66 / (2^4 K)
        axis->fraction = 62;
        axis->inverse = iso__div_shift(INT64_C(1) << 31, 35, iso__int128_saturate(iso__int128_round_shift(k, 60)));
    } else if (whole >= ISO_WIDE_ONE >> 10) {
        axis->fraction = whole >= ISO_WIDE_ONE ? 62 : 50;
        axis->inverse = iso__div_shift(INT64_C(1) << 31, axis->fraction + 1u, whole);
    } else {
        axis->fraction = 40;
        axis->inverse = fine < K_MIN ? 0 : iso__div_shift(INT64_C(1) << 31, 40 + K_FRACTION - 31, fine);
    }
}

/// Sets x, or of a velocity what is added to J v: the held one is then a motor's speed.
static void axis_set_position(iso__joint_axis *axis, int64_t x) {
    axis->position = x;
    if (axis->is_velocity) {
        axis->speed = axis->rest - x;
    }
}

void iso__axis_update_terms(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts) {
    ISO_VALIDATE_ASSERT(!axis->is_angle && axis->term_count <= ISO__AXIS_TERMS);
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        axis->terms[i].direction[0] = parts[i].direction[0];
        axis->terms[i].direction[1] = parts[i].direction[1];
        axis->terms[i].arm = parts[i].arm;
        axis_merge_term(axis, i);
    }
    iso__int128 k = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        iso__axis_term *term = &axis->terms[i];
        term->push[0] = iso__mul_shift(term->share, term->direction[0], ISO__UNIT_FRACTION);
        term->push[1] = iso__mul_shift(term->share, term->direction[1], ISO__UNIT_FRACTION);
        term->gain = axis_gain(term->turn, term->arm);
        k = iso__int128_add(k, axis_part_of_k(axis, term));
    }
    axis_set_position(axis, x);
    axis_set_inverse(axis, k);
}

void iso__axis_update_turns(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts) {
    ISO_VALIDATE_ASSERT(axis->is_angle && axis->term_count <= ISO__AXIS_TERMS);
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        axis->terms[i].direction[0] = parts[i].turn;
        axis->terms[i].direction[1] = 0;
        axis->terms[i].arm = parts[i].arm;
        axis_merge_term(axis, i);
    }
    iso__int128 k = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        iso__axis_term *term = &axis->terms[i];
        term->gain = iso__mul_shift(term->turn, term->direction[0], ISO__WIDE_FRACTION);
        k = iso__int128_add(k, axis_part_of_k(axis, term));
    }
    axis_set_position(axis, x);
    axis_set_inverse(axis, k);
}

uint32_t iso__axis_cuts(const iso__joint_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->term_count <= ISO__AXIS_TERMS);
    bool has_gradient = false;
    uint32_t cuts = 0;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__axis_term *term = &axis->terms[i];
        const int64_t of_place = term->share != 0 ? term->direction[0] | term->direction[1] : 0;
        has_gradient = has_gradient || of_place != 0 || (term->turn != 0 && term->arm != 0);
        cuts += term->gain == GAIN_MAX || term->gain == -GAIN_MAX;
    }
    return cuts + (axis->inverse == 0 && has_gradient);
}

// ---- passes --------------------------------------------------------------------------------------

static int32_t axis_clamp_speed(int64_t speed, uint64_t *clamps) {
    const int64_t clamped = iso__clamp64(speed, -SPEED_MAX, SPEED_MAX);
    iso__count_shared(clamps, clamped != speed);
    return (int32_t)clamped;
}

static void axis_apply(iso__step_scratch *scratch, const iso__joint_axis *axis, int64_t j) {
    uint64_t *clamps = &scratch->joint_clamps;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__axis_term *term = &axis->terms[i];
        iso__motion *motion = &scratch->motions[term->body];
        if (!motion->kind) {
            continue;
        }
        if (!axis->is_angle) {
            motion->velocity[0] = axis_clamp_speed(motion->velocity[0] + iso__mul_shift(term->push[0], j, 45), clamps);
            motion->velocity[1] = axis_clamp_speed(motion->velocity[1] + iso__mul_shift(term->push[1], j, 45), clamps);
        }
        motion->spin = axis_clamp_speed(motion->spin + iso__mul_shift(term->gain, j, GAIN_FRACTION + 13), clamps);
    }
}

void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->term_count >= 2 && axis->term_count <= ISO__AXIS_TERMS);
    axis_apply(scratch, axis, axis->impulse[0] + axis->impulse[1] + axis->impulse[2] + axis->impulse[3]);
}

/// dx/dt, Q31.32: the terms' products are summed exactly and rounded once.
static int64_t axis_speed(const iso__step_scratch *scratch, const iso__joint_axis *axis) {
    iso__int128 sum = {0, 0};
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__axis_term *term = &axis->terms[i];
        const iso__motion *motion = &scratch->motions[term->body];
        if (!axis->is_angle) {
            sum = iso__int128_add(sum, iso__int128_mul(term->direction[0], motion->velocity[0]));
            sum = iso__int128_add(sum, iso__int128_mul(term->direction[1], motion->velocity[1]));
        }
        sum = iso__int128_add(sum, iso__int128_mul(term->arm, motion->spin));
    }
    // Far enough within the range to subtract a motor's speed.
    return iso__clamp64(iso__int128_saturate(iso__int128_round_shift(sum, 19)), -SPEED_OF_X_MAX, SPEED_OF_X_MAX);
}

/// A number times K, at most ISO__AXIS_IMPULSE_MAX.
static int64_t axis_times_k(const iso__joint_axis *axis, int64_t value) {
    return iso__min64(iso__mul_div(value, INT64_C(1) << axis->fraction, axis->inverse), ISO__AXIS_IMPULSE_MAX);
}

void iso__axis_soften(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis) {
    ISO_ASSERT(iso__joint_has_stiffness(joint));
    const bool is_main =
        (axis->rows & 1u << ISO__AXIS_HOLD) != 0 && axis->slots[ISO__AXIS_HOLD] == ISO__JOINT_AXIS_IMPULSE;
    if (!is_main || axis->inverse == 0) {
        return;
    }
    // The rates are those of a maximum of so much force or torque: sigma k h and sigma c h.
    const iso_wide k = joint->spring_stiffness, c = joint->spring_damping;
    const int64_t rate = k == 0 ? 0 : axis_times_k(axis, axis_most(world, joint, axis, k));
    const int64_t damping = c == 0 ? 0 : axis_times_k(axis, axis_most(world, joint, axis, c));
    axis->soft =
        iso__softness_make_damped(rate, damping, joint->correction_max > 0, world->scratch->params.substep_rate);
    axis->error_max = iso__joint_error_max(axis->soft, joint->correction_max);
}

/// Takes the step of one row from j to the result, which is within [low, high].
static int64_t axis_step(const iso__joint_axis *axis, int64_t rhs, int64_t impulse_scale, int64_t j, int64_t low,
                         int64_t high) {
    // Q2.30 brought to the fraction bits of the inverse.
    const int64_t change =
        iso__dot_shift(axis->inverse, rhs, impulse_scale * (INT64_C(1) << (axis->fraction - 30)), j, axis->fraction);
    return iso__clamp64(j - iso__clamp64(change, -4 * ISO__AXIS_IMPULSE_MAX, 4 * ISO__AXIS_IMPULSE_MAX), low, high);
}

static int64_t axis_solve_hold(const iso__joint_axis *axis, int64_t speed, bool is_relax) {
    const int64_t j = axis->impulse[ISO__AXIS_HOLD], most = axis->hold_max;
    if (is_relax && !axis->is_soft) {
        return axis_step(axis, speed, 0, j, -most, most);
    }
    const int64_t error = iso__clamp64(axis->position - axis->rest, -axis->error_max, axis->error_max);
    const int64_t rhs =
        iso__dot_shift(speed, axis->soft.mass_scale, error, (int64_t)axis->soft.bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, axis->soft.impulse_scale, j, -most, most);
}

/// A limit from below of x, speed and j, or of their sum where the axis is a velocity; the caller mirrors them for one from above.
static int64_t axis_solve_limit(const iso__joint_axis *axis, const iso__step_params *params, int64_t room,
                                int64_t speed, int64_t j, bool is_relax) {
    if (axis->is_velocity) {
        return axis_step(axis, speed + room, 0, j, 0, axis->limit_max);
    }
    // Far from a limit, rhs below is not negative: there are at least ten substeps in a second. Most limits are far.
    if (room > 0 && (axis->is_limit_soft || (j == 0 && -(speed >> 3) <= room))) {
        return 0;
    }
    if (room > 0) {
        const int64_t rhs = iso__dot_shift(speed, 1, room, params->substep_rate, 0);
        return axis_step(axis, rhs, 0, j, 0, axis->limit_max);
    }
    if (is_relax && !axis->is_limit_soft) {
        return axis_step(axis, speed, 0, j, 0, axis->limit_max);
    }
    const iso__softness *soft = axis->is_limit_soft ? &axis->limit_soft : &params->joint_soft;
    const int64_t error = iso__max64(room, -axis->limit_error_max);
    const int64_t rhs =
        iso__dot_shift(speed, soft->mass_scale, error, (int64_t)soft->bias_rate * 1024, ISO__UNIT_FRACTION);
    return axis_step(axis, rhs, soft->impulse_scale, j, 0, axis->limit_max);
}

void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax) {
    ISO_VALIDATE_ASSERT(axis->term_count >= 2 && axis->hold_max >= 0 && axis->motor_max >= 0 && axis->limit_max >= 0);
    int64_t speed = 0;
    bool has_speed = false; // until a row changes it
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        if (((uint32_t)axis->rows >> row & 1u) == 0) {
            continue;
        }
        speed = has_speed ? speed : axis_speed(scratch, axis);
        has_speed = true;
        const int64_t before = axis->impulse[row];
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
            has_speed = false;
        }
    }
}

void iso__axis_store(const iso__joint_axis *axis, iso__joint *joint) {
    ISO_VALIDATE_ASSERT((axis->rows >> ISO__AXIS_ROWS) == 0);
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        if (((uint32_t)axis->rows >> row & 1u) != 0 && axis->slots[row] < ISO__JOINT_IMPULSES) {
            joint->impulse[axis->slots[row]] = axis->impulse[row];
        }
    }
}

iso_wide iso__axis_error(const iso__joint *joint, iso_wide x) {
    ISO_ASSERT((joint->flags & ISO__JOINT_LIMIT) == 0 || joint->lower <= joint->upper);
    if ((joint->flags & ISO__JOINT_LIMIT) != 0) {
        const iso_wide lower = iso_wide_from_fix16(joint->lower), upper = iso_wide_from_fix16(joint->upper);
        return x < lower ? iso_wide_sub(lower, x) : x > upper ? iso_wide_sub(x, upper) : 0;
    }
    const iso_wide error = iso_wide_sub(x, iso_wide_from_fix16(joint->rest));
    return !axis_is_held(joint) || (joint->flags & ISO__JOINT_SPRING) != 0 ? 0
           : error < 0                                                     ? iso_wide_sub(0, error)
                                                                           : error;
}

int64_t iso__axis_clamp_angle(int64_t angle) {
    return iso__clamp64(angle, -AXIS_ANGLE_MAX, AXIS_ANGLE_MAX);
}

int64_t iso__axis_impulse(const iso__joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const int64_t *j = joint->impulse + ISO__JOINT_AXIS_IMPULSE;
    return j[0] + j[1] + j[2] + j[3];
}
