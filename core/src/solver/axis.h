/// An axis: one scalar x of some bodies with the rows that hold, drive and limit it.
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

/// The part of one body in an axis, with the signs of J.
typedef struct iso__axis_term {
    uint32_t body;
    int64_t share;        // of a length: (1/m)/sigma, Q2.30
    int64_t turn;         // of a length: t as in the point row, Q9.22
    int64_t direction[2]; // of the velocity in dx/dt, Q31.32; 0 for an angle
    int64_t push[2];      // (1/m)/sigma times the direction, Q31.32: an impulse j changes the velocity by push j
    int64_t arm;          // p: dx/dt has w p. u x d for a length, 1/L for an angle; Q31.32
    int64_t gain;         // g: an impulse j changes w by g j; Q25.38
} iso__axis_term;

#define ISO__AXIS_TERMS 4

typedef struct iso__joint_axis {
    iso__axis_term terms[ISO__AXIS_TERMS];
    uint8_t term_count;
    uint8_t rows;                  // a bit per row that is present
    uint8_t slots[ISO__AXIS_ROWS]; // which of the record's impulses each row's is
    bool is_angle;
    bool is_soft;             // the hold works with its softness in the relax pass, too
    bool is_limit_soft;       // the limits are springs, else rigid
    bool is_velocity;         // the limits are those of dx/dt + position, both in m/s or rad/s
    iso__softness soft;       // of the hold
    iso__softness limit_soft; // of soft limits
    int64_t inverse;          // 1/K, with this many fraction bits: 62, or 50 for a K below 1
    uint8_t fraction;
    int64_t position;                       // x in this substep, [m] or [rad] Q31.32; or what dx/dt is added to
    int64_t start;                          // of an angle: x when the step began
    int64_t ratio;                          // of an angle: x = ratio phiB - phiA, Q31.32
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
