/// See axis_make.h. axis.c has the letters and the ranges.
#include "plane/joint/axis_make.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"
#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"
#include "solver/joint_softness.h"
#include "solver/params.h"
#include "solver/softness.h"

// ---- rows ----------------------------------------------------------------------------------------

/// Adds a hold without a spring: a rod, a weld, a gear.
static bool axis_is_held(const iso__plane_joint *joint) {
    const uint32_t has = iso__plane_joint_has(joint);
    return (has & ISO_JOINT_IS_HELD) != 0 || ((has & ISO_JOINT_HAS_LENGTH) != 0 &&
                                              (joint->flags & (ISO__PLANE_JOINT_SPRING | ISO__PLANE_JOINT_LIMIT)) == 0);
}

uint32_t iso__plane_axis_rows(const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const uint32_t has = iso__plane_joint_has(joint);
    const bool is_on = (joint->flags & ISO__PLANE_JOINT_ENABLED) != 0;
    const uint32_t hold = axis_is_held(joint) || iso__plane_joint_has_spring(joint) ? 1u << ISO__AXIS_HOLD : 0;
    const bool has_motor = (joint->flags & ISO__PLANE_JOINT_MOTOR) != 0 && (has & ISO_JOINT_MOTOR_TURNS) == 0;
    const uint32_t motor = has_motor ? 1u << ISO__AXIS_MOTOR : 0;
    const uint32_t limits =
        (joint->flags & ISO__PLANE_JOINT_LIMIT) != 0 ? 1u << ISO__AXIS_LOWER | 1u << ISO__AXIS_UPPER : 0;
    return is_on ? hold | motor | limits : 0;
}

/// Whether a term's body is not that of an earlier term.
static bool axis_is_first(const iso__plane_axis *axis, uint32_t i) {
    bool is_first = true;
    for (uint32_t k = 0; k < i; ++k) {
        is_first = is_first && axis->terms[k].body != axis->terms[i].body;
    }
    return is_first;
}

/// sigma F h or sigma M h of the different bodies of an axis.
static int64_t axis_most_of_terms(const iso__plane *plane, const iso__plane_axis *axis, iso_wide most, int64_t h) {
    const iso__plane_body_derived none = {0};
    int64_t sum = 0;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__plane_body_derived *body = iso__plane_joint_body(plane, axis->terms[i].body);
        if (axis_is_first(axis, i)) {
            sum = iso_wide_add(sum, axis->base.is_angle
                                        ? iso__plane_joint_impulse_of_torque(most, body, &none, ISO_WIDE_ONE, h)
                                        : iso__plane_joint_impulse_of_force(most, body, &none, h));
        }
    }
    return iso__min64(sum, ISO__AXIS_IMPULSE_MAX);
}

/// The largest |j| of a force or torque on this axis, 0 for none: unlimited.
static int64_t axis_most(const iso__plane *plane, const iso__plane_joint *joint, const iso__plane_axis *axis,
                         iso_wide most) {
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, joint->body_a),
                                  *b = iso__plane_joint_body(plane, joint->body_b);
    const int64_t h = plane->scratch->params.h;
    if ((iso__plane_joint_has(joint) & ISO_JOINT_IS_CUSTOM) != 0) {
        return axis_most_of_terms(plane, axis, most, h);
    }
    int64_t j = axis->base.is_angle ? iso__plane_joint_impulse_of_torque(most, a, b, axis->ratio, h)
                                    : iso__plane_joint_impulse_of_force(most, a, b, h);
    if (axis->term_count > 2 && j != INT64_MAX) {
        const iso__plane_body_derived *c = iso__plane_joint_body(plane, joint->body_c),
                                      *d = iso__plane_joint_body(plane, joint->body_d);
        const int64_t of_cd = iso__plane_joint_impulse_of_force(most, c, d, h);
        j = iso_wide_add(j, iso_wide_mul(iso_wide_mul(of_cd, axis->ratio), axis->ratio));
    }
    return iso__min64(j, ISO__AXIS_IMPULSE_MAX);
}

/// Reads a row's impulse from its slot of the record.
static void axis_take_row(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                          iso__axis_row row, uint32_t slot) {
    axis->base.rows = (uint8_t)(axis->base.rows | 1u << row);
    axis->slots[row] = (uint8_t)slot;
    axis->base.impulse[row] = slot < ISO__PLANE_JOINT_IMPULSES
                                  ? joint->impulse[slot]
                                  : iso__plane_custom_impulse(joint, iso__plane_custom_of(plane, joint), slot);
}

void iso__plane_axis_hold(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis, uint32_t slot,
                          int64_t rest) {
    ISO_ASSERT(slot < 2 * ISO__PLANE_JOINT_AXES_MAX);
    axis_take_row(plane, joint, axis, ISO__AXIS_HOLD, slot);
    axis->base.rest = rest;
    axis->base.is_soft = joint->hertz > 0;
    axis->base.soft =
        iso__joint_softness(&plane->scratch->params, joint->hertz, joint->damping_ratio, joint->correction_max);
    axis->base.error_max = iso__joint_error_max(axis->base.soft, joint->correction_max);
    axis->base.hold_max = axis_most(plane, joint, axis, axis->base.is_angle ? joint->torque_max : joint->force_max);
}

void iso__plane_axis_drive(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           uint32_t slot) {
    ISO_ASSERT(slot < ISO__PLANE_JOINT_IMPULSES && joint->motor_max >= 0);
    axis_take_row(plane, joint, axis, ISO__AXIS_MOTOR, slot);
    axis->base.speed = iso_wide_from_fix16(joint->motor_speed);
    axis->base.motor_max = joint->motor_max == 0 ? 0 : axis_most(plane, joint, axis, joint->motor_max);
}

void iso__plane_axis_limit(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           uint32_t rows) {
    ISO_ASSERT(joint->lower <= joint->upper);
    for (uint32_t row = ISO__AXIS_LOWER; row <= ISO__AXIS_UPPER; ++row) {
        if ((rows >> row & 1u) != 0) {
            axis_take_row(plane, joint, axis, (iso__axis_row)row, ISO__PLANE_JOINT_AXIS_IMPULSE + row);
        }
    }
    axis->base.lower = iso_wide_from_fix16(joint->lower);
    axis->base.upper = iso_wide_from_fix16(joint->upper);
    axis->base.is_limit_soft = (iso__plane_joint_has(joint) & ISO_JOINT_HAS_LIMIT) != 0 && joint->limit_hertz > 0;
    axis->base.limit_soft =
        iso__joint_softness(&plane->scratch->params, axis->base.is_limit_soft ? joint->limit_hertz : 0,
                            joint->limit_damping_ratio, joint->correction_max);
    axis->base.limit_error_max = iso__joint_error_max(axis->base.limit_soft, joint->correction_max);
    axis->base.limit_max = axis_most(plane, joint, axis, axis->base.is_angle ? joint->torque_max : joint->force_max);
}

void iso__plane_axis_bound(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                           iso__axis_row row, uint32_t slot, int64_t bound) {
    ISO_ASSERT((row == ISO__AXIS_LOWER || row == ISO__AXIS_UPPER) && slot < 2 * ISO__PLANE_JOINT_AXES_MAX);
    axis_take_row(plane, joint, axis, row, slot);
    if (row == ISO__AXIS_LOWER) {
        axis->base.lower = bound;
    } else {
        axis->base.upper = bound;
    }
    axis->base.limit_error_max = iso__joint_error_max(plane->scratch->params.joint_soft, joint->correction_max);
}

void iso__plane_axis_pace(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis, uint32_t slot,
                          int64_t speed) {
    ISO_ASSERT(slot < 2 * ISO__PLANE_JOINT_AXES_MAX && axis->base.is_velocity);
    axis_take_row(plane, joint, axis, ISO__AXIS_MOTOR, slot);
    axis->base.rest = speed;
}

void iso__plane_axis_set_most(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis,
                              iso_wide most) {
    ISO_ASSERT(most >= 0);
    axis->base.hold_max = axis->base.limit_max = axis->base.motor_max = axis_most(plane, joint, axis, most);
}

void iso__plane_axis_main(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis) {
    ISO_ASSERT(axis->base.rows == 0);
    const uint32_t rows = iso__plane_axis_rows(joint);
    if ((rows & 1u << ISO__AXIS_HOLD) != 0) {
        iso__plane_axis_hold(plane, joint, axis, ISO__PLANE_JOINT_AXIS_IMPULSE, iso_wide_from_fix16(joint->rest));
        if (iso__plane_joint_has_spring(joint)) {
            axis->base.is_soft = true; // one by stiffness gets its softness when K is known: iso__plane_axis_soften
            axis->base.soft = iso__joint_softness(&plane->scratch->params, joint->spring_hertz,
                                                  joint->spring_damping_ratio, joint->correction_max);
            axis->base.error_max = iso__joint_error_max(axis->base.soft, joint->correction_max);
            axis->base.hold_max =
                joint->spring_max == 0 ? axis->base.hold_max : axis_most(plane, joint, axis, joint->spring_max);
        }
    }
    if ((rows & 1u << ISO__AXIS_MOTOR) != 0) {
        iso__plane_axis_drive(plane, joint, axis, ISO__PLANE_JOINT_AXIS_IMPULSE + ISO__AXIS_MOTOR);
    }
    iso__plane_axis_limit(plane, joint, axis, rows);
}

// ---- axes ----------------------------------------------------------------------------------------

static iso__plane_axis *axis_add(iso__plane_joint_work *work, bool is_angle) {
    ISO_ASSERT(work->axis_count < ISO__PLANE_JOINT_AXES_MAX);
    iso__plane_axis *axis = &work->axes[work->axis_count++];
    *axis = (iso__plane_axis){.base = {.inverse = INT64_C(1) << 62, .fraction = 62, .is_angle = is_angle},
                              .terms = {{.body = work->body_a}, {.body = work->body_b}},
                              .term_count = 2,
                              .ratio = ISO_WIDE_ONE};
    return axis;
}

iso__plane_axis *iso__plane_axis_add_angle(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work) {
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, work->body_a),
                                  *b = iso__plane_joint_body(plane, work->body_b);
    if (a->gyration == 0 && b->gyration == 0) {
        return NULL;
    }
    iso__plane_axis *axis = axis_add(work, true);
    axis->ratio = iso__plane_joint_ratio(joint);
    const int64_t share_a = iso__plane_joint_angular_share(a, b, axis->ratio);
    ISO_ASSERT(share_a >= 0 && share_a <= ISO__UNIT_ONE && axis->ratio != 0);
    const int64_t share_b = b->gyration > 0 ? ISO__UNIT_ONE - share_a : 0;
    // The exponents are from -8 to 6, so that both shifts are to the left.
    axis->terms[0].arm = -iso__shl64(1, (unsigned)(32 - work->exponent_a));
    axis->terms[0].gain = -iso__shl64(share_a, (unsigned)(8 + work->exponent_a));
    axis->terms[1].arm = iso_wide_mul(axis->ratio, iso__shl64(1, (unsigned)(32 - work->exponent_b)));
    axis->terms[1].gain =
        iso__mul_div(iso__shl64(share_b, (unsigned)(8 + work->exponent_b)), ISO_WIDE_ONE, axis->ratio);
    axis->start = iso__plane_axis_clamp_angle(iso__plane_joint_angle(plane, joint));
    return axis;
}

static void axis_set_mass(iso__plane_axis_term *term, const iso__plane_body_derived *body, int64_t share) {
    term->share = share;
    term->turn = iso__mul_shift(body->gyration, share, ISO__UNIT_FRACTION);
}

iso__plane_axis *iso__plane_axis_add_length(const iso__plane *plane, iso__plane_joint_work *work) {
    ISO_ASSERT(work->body_a != work->body_b);
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, work->body_a),
                                  *b = iso__plane_joint_body(plane, work->body_b);
    iso__plane_axis *axis = axis_add(work, false);
    axis_set_mass(&axis->terms[0], a, iso__joint_share(a->mass, b->mass));
    axis_set_mass(&axis->terms[1], b, iso__joint_share(b->mass, a->mass));
    return axis;
}

iso__plane_axis *iso__plane_axis_add_terms(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work) {
    const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
    const iso_wide reduced = iso__plane_joint_reduced_mass(plane, joint);
    ISO_ASSERT(reduced >= 0);
    iso__plane_axis *axis = axis_add(work, false);
    axis->ratio = iso__plane_joint_ratio(joint);
    axis->term_count = 4;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__plane_body_derived *body = iso__plane_joint_body(plane, bodies[i]);
        axis->terms[i].body = bodies[i];
        axis_set_mass(&axis->terms[i], body,
                      body->mass == 0 ? 0 : iso__div_shift(reduced, ISO__UNIT_FRACTION, body->mass));
    }
    return axis;
}

iso__plane_axis *iso__plane_axis_add_turns(const iso__plane *plane, const iso__plane_joint *joint,
                                           iso__plane_joint_work *work) {
    (void)joint;
    const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
    // Parts 1/I of that of the body that turns most easily, at most 1, of the different bodies that turn at all.
    const iso__plane_body_derived *lightest = NULL;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__plane_body_derived *body = iso__plane_joint_body(plane, bodies[i]);
        lightest = body->gyration != 0 && (!lightest || iso__plane_joint_angular_share(body, lightest, ISO_WIDE_ONE) >
                                                            ISO__UNIT_ONE / 2)
                       ? body
                       : lightest;
    }
    if (!lightest) {
        return NULL;
    }
    iso__plane_axis *axis = axis_add(work, true);
    axis->term_count = 4;
    int64_t parts[4] = {0}, sum = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const iso__plane_body_derived *body = iso__plane_joint_body(plane, bodies[i]);
        const int64_t share = body == lightest      ? ISO__UNIT_ONE / 2
                              : body->gyration == 0 ? 0
                                                    : iso__plane_joint_angular_share(body, lightest, ISO_WIDE_ONE);
        axis->terms[i].body = bodies[i];
        parts[i] = iso__mul_div(share, ISO__UNIT_ONE, ISO__UNIT_ONE - share);
        sum += axis_is_first(axis, i) ? parts[i] : 0;
    }
    ISO_ASSERT(sum > 0);
    for (uint32_t i = 0; i < 4; ++i) {
        // The exponents are from -8 to 6, so that the shift is to the left.
        axis->terms[i].turn = iso__shl64(iso__mul_div(parts[i], ISO__UNIT_ONE, sum),
                                         (unsigned)(8 + iso__plane_joint_body(plane, bodies[i])->radius_exponent));
    }
    return axis;
}

// ---- what follows from the rows ------------------------------------------------------------------

/// A number times K, at most ISO__AXIS_IMPULSE_MAX.
static int64_t axis_times_k(const iso__plane_axis *axis, int64_t value) {
    return iso__min64(iso__mul_div(value, INT64_C(1) << axis->base.fraction, axis->base.inverse),
                      ISO__AXIS_IMPULSE_MAX);
}

void iso__plane_axis_soften(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_axis *axis) {
    ISO_ASSERT(iso__plane_joint_has_stiffness(joint));
    const bool is_main =
        (axis->base.rows & 1u << ISO__AXIS_HOLD) != 0 && axis->slots[ISO__AXIS_HOLD] == ISO__PLANE_JOINT_AXIS_IMPULSE;
    if (!is_main || axis->base.inverse == 0) {
        return;
    }
    // The rates are those of a maximum of so much force or torque: sigma k h and sigma c h.
    const iso_wide k = joint->spring_stiffness, c = joint->spring_damping;
    const int64_t rate = k == 0 ? 0 : axis_times_k(axis, axis_most(plane, joint, axis, k));
    const int64_t damping = c == 0 ? 0 : axis_times_k(axis, axis_most(plane, joint, axis, c));
    axis->base.soft =
        iso__softness_make_damped(rate, damping, joint->correction_max > 0, plane->scratch->params.substep_rate);
    axis->base.error_max = iso__joint_error_max(axis->base.soft, joint->correction_max);
}

iso_wide iso__plane_axis_error(const iso__plane_joint *joint, iso_wide x) {
    ISO_ASSERT((joint->flags & ISO__PLANE_JOINT_LIMIT) == 0 || joint->lower <= joint->upper);
    if ((joint->flags & ISO__PLANE_JOINT_LIMIT) != 0) {
        const iso_wide lower = iso_wide_from_fix16(joint->lower), upper = iso_wide_from_fix16(joint->upper);
        return x < lower ? iso_wide_sub(lower, x) : x > upper ? iso_wide_sub(x, upper) : 0;
    }
    const iso_wide error = iso_wide_sub(x, iso_wide_from_fix16(joint->rest));
    return !axis_is_held(joint) || (joint->flags & ISO__PLANE_JOINT_SPRING) != 0 ? 0
           : error < 0                                                           ? iso_wide_sub(0, error)
                                                                                 : error;
}

int64_t iso__plane_axis_impulse(const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const int64_t *j = joint->impulse + ISO__PLANE_JOINT_AXIS_IMPULSE;
    return j[0] + j[1] + j[2] + j[3];
}
