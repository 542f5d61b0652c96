/// See axis.h.
#include "solver/axis.h"

#include "base/assert.h"

#define K_FRACTION 52                 // of a K below 2^-10
#define K_MIN      (INT64_C(1) << 32) // 2^-20: a row with a smaller K is not solved

int64_t iso__axis_angle_of(int64_t turned, int8_t exponent) {
    return exponent > 0 ? iso__round_shift(turned, (unsigned)exponent) : iso__shl64(turned, (unsigned)-exponent);
}

/// Its fraction bits follow K, so that a row with a small gradient is as exact as one with a large one: 62 from K = 1
/// on, 50 from 2^-10 on, 40 from 2^-20 on.
void iso__axis_set_inverse(iso__joint_axis *axis, iso__int128 k) {
    ISO_VALIDATE_ASSERT(k.hi >= 0);
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

// ---- which axes drive their bodies (plane/dynamics/sleep.c) --------------------------------------------

static bool drive_is_motor(const iso__joint_axis *axis) {
    return (axis->rows & 1u << ISO__AXIS_MOTOR) != 0 && axis->speed != 0 && axis->motor_max > 0;
}

/// Whether this limit of a velocity is beyond what it is at rest.
static bool drive_is_paced(const iso__joint_axis *axis, iso__axis_row row) {
    const bool is_beyond = row == ISO__AXIS_LOWER ? axis->lower > axis->position : axis->upper < axis->position;
    return axis->is_velocity && (axis->rows & 1u << row) != 0 && is_beyond && axis->limit_max > 0;
}

static bool drive_pace_runs(const iso__joint_axis *axis, iso__axis_row row) {
    const int64_t j = axis->impulse[row];
    return drive_is_paced(axis, row) && j > -axis->limit_max && j < axis->limit_max;
}

static bool drive_motor_runs(const iso__joint_axis *axis) {
    const int64_t j = axis->impulse[ISO__AXIS_MOTOR];
    const iso__axis_row stop = axis->speed < 0 ? ISO__AXIS_LOWER : ISO__AXIS_UPPER;
    const bool is_stopped = (axis->rows & 1u << stop) != 0 && axis->impulse[stop] != 0;
    return drive_is_motor(axis) && !is_stopped && j > -axis->motor_max && j < axis->motor_max;
}

bool iso__axis_runs(const iso__joint_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->motor_max >= 0 && axis->limit_max >= 0);
    return drive_motor_runs(axis) || drive_pace_runs(axis, ISO__AXIS_LOWER) || drive_pace_runs(axis, ISO__AXIS_UPPER);
}

bool iso__axis_pulls(const iso__joint_axis *axis) {
    ISO_VALIDATE_ASSERT(axis->motor_max >= 0 && axis->limit_max >= 0);
    const bool yields = axis->is_soft || axis->error_max != INT64_MAX;
    return drive_is_motor(axis) || drive_is_paced(axis, ISO__AXIS_LOWER) || drive_is_paced(axis, ISO__AXIS_UPPER) ||
           ((axis->rows & 1u << ISO__AXIS_HOLD) != 0 && yields && iso__axis_is_away(axis->position - axis->rest));
}
