/// See drive.h. The rules are those of the plane (plane/joint/drive.c): a motor drives while its speed is not 0, its
/// impulse is below its maximum and no limit of its axis stops it; at its maximum it is a force. A spring, or a rigid
/// row that corrects no faster than correction_max, brings its bodies to its rest, as slowly as its damping or that
/// speed demands. Both pull.
#include "space/joint/drive.h"

#include "base/assert.h"
#include "space/joint/custom.h"
#include "space/joint/work.h"

static bool drive_has_row(const iso__space_axis *axis, iso__space_axis_row row) {
    return ((unsigned)axis->rows >> row & 1u) != 0;
}

static bool drive_is_motor(const iso__space_axis *axis) {
    return drive_has_row(axis, ISO__SPACE_AXIS_MOTOR) && axis->speed != 0 && axis->motor_max > 0;
}

static bool drive_runs(const iso__space_axis *axis) {
    const iso__space_axis_row stop = axis->speed < 0 ? ISO__SPACE_AXIS_LOWER : ISO__SPACE_AXIS_UPPER;
    const bool is_stopped = drive_has_row(axis, stop) && axis->impulse[stop] != 0;
    const int64_t j = axis->impulse[ISO__SPACE_AXIS_MOTOR];
    return drive_is_motor(axis) && !is_stopped && j > -axis->motor_max && j < axis->motor_max;
}

static bool drive_axis_pulls(const iso__space_axis *axis) {
    const bool yields = axis->is_soft || axis->error_max != INT64_MAX;
    return drive_is_motor(axis) ||
           (drive_has_row(axis, ISO__SPACE_AXIS_HOLD) && yields && iso__axis_is_away(axis->position - axis->rest));
}

static bool drive_block_pulls(const iso__space_block *block) {
    bool is_away = false;
    for (uint32_t i = 0; i < block->count; ++i) {
        is_away = is_away || iso__axis_is_away(block->error[i]);
    }
    return is_away && (block->is_soft || block->error_max != INT64_MAX);
}

static void drive_mark(const iso__space *space, uint32_t body, bool runs) {
    const iso__space_scratch *scratch = space->scratch;
    if (body < space->world.def.body_capacity && space->bodies[body].type == ISO_BODY_DYNAMIC &&
        iso__bit_is_set(scratch->moving_bits, body)) {
        iso__bit_set(scratch->pulled_bits, body);
        if (runs) {
            iso__bit_set(scratch->woken_sets, space->world.islands[body]);
        }
    }
}

void iso__space_joints_mark_drives(const iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->joint_count <= space->world.def.joint_capacity);
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__space_joint_work *work = &scratch->joints[i];
        bool runs = false, pulls = drive_block_pulls(&work->linear) || drive_block_pulls(&work->angular);
        for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
            runs = runs || drive_runs(&work->axis[n]);
            pulls = pulls || drive_axis_pulls(&work->axis[n]);
        }
        for (uint32_t r = 0; work->custom != NULL && r < work->custom->row_count; ++r) {
            runs = runs || iso__axis_runs(&work->custom->rows[r].axis);
            pulls = pulls || iso__axis_pulls(&work->custom->rows[r].axis);
        }
        if (pulls) {
            drive_mark(space, work->a.body, runs);
            drive_mark(space, work->b.body, runs);
        }
    }
}
