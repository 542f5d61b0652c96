/// The step of one row of an axis, whatever its bodies are; axis.c has the letters and the ranges.
#ifndef ISO_SOLVER_AXIS_ROW_H
#define ISO_SOLVER_AXIS_ROW_H

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/axis.h"
#include "solver/params.h"
#include "solver/softness.h"

/// j' = j - rhs/K - is j, cut to [low, high]. @param rhs  Cdot and its bias [m/s] or [rad/s] Q31.32
/// @param impulse_scale  is, Q2.30 @param j  Q31.32
static inline int64_t iso__axis_step(const iso__joint_axis *axis, int64_t rhs, int64_t impulse_scale, int64_t j,
                                     int64_t low, int64_t high) {
    // Q2.30 brought to the fraction bits of the inverse.
    const int64_t change =
        iso__dot_shift(axis->inverse, rhs, impulse_scale * (INT64_C(1) << (axis->fraction - 30)), j, axis->fraction);
    return iso__clamp64(j - iso__clamp64(change, -4 * ISO__AXIS_IMPULSE_MAX, 4 * ISO__AXIS_IMPULSE_MAX), low, high);
}

/// rhs = ms c + ms rate C with C = x - rest, |C| at most error_max; in the relax pass of a rigid row rhs = c.
static inline int64_t iso__axis_solve_hold(const iso__joint_axis *axis, int64_t speed, bool is_relax) {
    const int64_t j = axis->impulse[ISO__AXIS_HOLD], most = axis->hold_max;
    if (is_relax && !axis->is_soft) {
        return iso__axis_step(axis, speed, 0, j, -most, most);
    }
    const int64_t error = iso__clamp64(axis->position - axis->rest, -axis->error_max, axis->error_max);
    const int64_t rhs =
        iso__dot_shift(speed, axis->soft.mass_scale, error, (int64_t)axis->soft.bias_rate * 1024, ISO__UNIT_FRACTION);
    return iso__axis_step(axis, rhs, axis->soft.impulse_scale, j, -most, most);
}

/// A limit from below of x, speed and j, or of their sum where the axis is a velocity; the caller mirrors them for one
/// from above.
///
/// With C the room x - lower: rhs = c + C/h while C > 0, else ms c + ms rate C or, relaxing a rigid limit, c; j' >= 0.
static inline int64_t iso__axis_solve_limit(const iso__joint_axis *axis, const iso__step_params *params, int64_t room,
                                            int64_t speed, int64_t j, bool is_relax) {
    if (axis->is_velocity) {
        return iso__axis_step(axis, speed + room, 0, j, 0, axis->limit_max);
    }
    // Far from a limit, rhs below is not negative: there are at least ten substeps in a second. Most limits are far.
    if (room > 0 && (axis->is_limit_soft || (j == 0 && -(speed >> 3) <= room))) {
        return 0;
    }
    if (room > 0) {
        const int64_t rhs = iso__dot_shift(speed, 1, room, params->substep_rate, 0);
        return iso__axis_step(axis, rhs, 0, j, 0, axis->limit_max);
    }
    if (is_relax && !axis->is_limit_soft) {
        return iso__axis_step(axis, speed, 0, j, 0, axis->limit_max);
    }
    const iso__softness *soft = axis->is_limit_soft ? &axis->limit_soft : &params->joint_soft;
    const int64_t error = iso__max64(room, -axis->limit_error_max);
    const int64_t rhs =
        iso__dot_shift(speed, soft->mass_scale, error, (int64_t)soft->bias_rate * 1024, ISO__UNIT_FRACTION);
    return iso__axis_step(axis, rhs, soft->impulse_scale, j, 0, axis->limit_max);
}

/// The impulse of a row after its step. @param speed  dx/dt, Q31.32
static inline int64_t iso__axis_solve_row(const iso__joint_axis *axis, const iso__step_params *params,
                                          iso__axis_row row, int64_t speed, bool is_relax) {
    const int64_t j = axis->impulse[row];
    switch (row) {
    case ISO__AXIS_HOLD:
        return iso__axis_solve_hold(axis, speed, is_relax);
    case ISO__AXIS_MOTOR:
        return iso__axis_step(axis, speed - axis->speed, 0, j, -axis->motor_max, axis->motor_max);
    case ISO__AXIS_LOWER:
        return iso__axis_solve_limit(axis, params, axis->position - axis->lower, speed, j, is_relax);
    default:
        return -iso__axis_solve_limit(axis, params, axis->upper - axis->position, -speed, -j, is_relax);
    }
}

#endif
