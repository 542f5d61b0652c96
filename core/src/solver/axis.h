/// An axis: one scalar x of some bodies, of which this knows nothing else, with the rows that hold, drive and limit it.
///
/// As in the contact rows, the impulse is stored as j = sigma lambda with sigma = J M^-1 J^T taken without the arms'
/// part, so that mass enters by shares alone and a ratio of 1:10000 keeps its relative precision.
#ifndef ISO_SOLVER_AXIS_H
#define ISO_SOLVER_AXIS_H

#include <stdbool.h>
#include <stdint.h>
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/softness.h"

#define ISO__JOINT_IMPULSE_MAX (INT64_C(1) << 47) // of a point row, [m/s] Q31.32: 2^15 m/s
#define ISO__AXIS_IMPULSE_MAX  (INT64_C(1) << 50) // of a row on an axis, 2^18 m/s or rad/s

/// The rows on an axis, in the order they are solved in; the last one is satisfied best.
///   HOLD   keeps x at its rest: rigid or soft; a spring is a soft hold
///   MOTOR  brings dx/dt to a speed, with a largest impulse
///   LOWER  keeps x from falling below a limit, UPPER from rising above one; one-sided
typedef enum iso__axis_row {
    ISO__AXIS_HOLD,
    ISO__AXIS_MOTOR,
    ISO__AXIS_LOWER,
    ISO__AXIS_UPPER,
    ISO__AXIS_ROWS
} iso__axis_row;

/// The rows of an axis; the wings know the bodies.
typedef struct iso__joint_axis {
    uint8_t rows; // a bit per row that is present
    bool is_angle;
    bool is_soft;             // the hold works with its softness in the relax pass, too
    bool is_limit_soft;       // the limits are springs, else rigid
    bool is_velocity;         // the limits are those of dx/dt + position, both in m/s or rad/s
    iso__softness soft;       // of the hold
    iso__softness limit_soft; // of soft limits
    int64_t inverse;          // 1/K, with this many fraction bits: 62, or 50 for a K below 1
    uint8_t fraction;
    int64_t position;                       // x in this substep, [m] or [rad] Q31.32; or what dx/dt is added to
    int64_t rest, lower, upper;             // [m] or [rad] Q31.32
    int64_t speed;                          // [m/s] or [rad/s] Q31.32
    int64_t error_max, limit_error_max;     // of |C| of the hold and of the limits: no more is corrected at once
    int64_t impulse[ISO__AXIS_ROWS];        // j [m/s] or [rad/s] Q31.32
    int64_t hold_max, limit_max, motor_max; // of |j|
} iso__joint_axis;

/// What is so near its rest is there: [m] or [rad] Q31.32.
#define ISO__AXIS_AT_REST (ISO_WIDE_ONE / 1000)

static inline bool iso__axis_is_away(int64_t error) {
    return error > ISO__AXIS_AT_REST || error < -ISO__AXIS_AT_REST;
}

/// Sets 1/K for K in Q.64, below 2^59; 0 for one below 2^-20.
void iso__axis_set_inverse(iso__joint_axis *axis, iso__int128 k);

/// An arc [m] of a radius 2^k as an angle [rad].
int64_t iso__axis_angle_of(int64_t turned, int8_t exponent);

/// Whether an axis has a speed of its own, and whether it brings its bodies to somewhere else.
bool iso__axis_runs(const iso__joint_axis *axis);

bool iso__axis_pulls(const iso__joint_axis *axis);

#endif
