/// Which joints drive their bodies: their islands may not fall asleep (plane/dynamics/sleep.c).
///
/// A motor drives while its speed is not 0, its impulse is below its maximum and no limit of its axis stops it: then
/// the axis has the motor's speed, however small, but for what other constraints undo. At its maximum it is a force,
/// and what this one moves is seen from the movement. A limit of a velocity that excludes rest drives likewise. A
/// spring, or a rigid row that corrects no faster than correction_max, brings its bodies to its rest: as slowly as its
/// damping or that speed demands. Both pull.
#include "plane/joint/drive.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

static bool drive_point_pulls(const iso__plane_joint_work *work) {
    const iso__plane_joint_point *point = &work->point;
    return work->has_point && (point->is_soft || point->error_max != INT64_MAX) &&
           (iso__axis_is_away(point->row.error[0]) || iso__axis_is_away(point->row.error[1]));
}

/// A body that a joint pulls is known by a bit; so is its island when the joint runs as well.
static void drive_mark(const iso__plane *plane, uint32_t body, bool runs) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (body < plane->world.def.body_capacity && plane->bodies[body].type == ISO_BODY_DYNAMIC &&
        iso__plane_body_is_moving(plane, body)) {
        iso__bit_set(scratch->pulled_bits, body);
        if (runs) {
            iso__bit_set(scratch->woken_sets, plane->world.islands[body]);
        }
    }
}

/// As of the axis of any joint. Its spring is soft, its limits are of no velocity and its point is rigid.
static void drive_mark_hinge(const iso__plane *plane, const iso__plane_hinge_row *row) {
    const int64_t j = row->impulse[ISO__AXIS_MOTOR];
    const bool is_motor = (row->rows & 1u << ISO__AXIS_MOTOR) != 0 && row->speed != 0 && row->motor_max > 0;
    const bool is_stopped = row->impulse[row->speed < 0 ? ISO__AXIS_LOWER : ISO__AXIS_UPPER] != 0;
    const bool runs = is_motor && !is_stopped && j > -row->motor_max && j < row->motor_max;
    if (is_motor || ((row->rows & 1u << ISO__AXIS_HOLD) != 0 && iso__axis_is_away(row->position - row->rest))) {
        drive_mark(plane, row->point.body_a, runs);
        drive_mark(plane, row->point.body_b, runs);
    }
}

void iso__plane_joints_mark_drives(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->joint_work_count <= scratch->joint_count);
    for (uint32_t i = 0; i < scratch->hinge_count; ++i) {
        drive_mark_hinge(plane, &scratch->hinge_rows[i]);
    }
    for (uint32_t i = 0; i < scratch->joint_work_count; ++i) {
        const iso__plane_joint_work *work = &scratch->joint_works[i];
        bool runs = false, pulls = drive_point_pulls(work);
        for (uint32_t n = 0; n < work->axis_count; ++n) {
            runs = runs || iso__axis_runs(&work->axes[n].base);
            pulls = pulls || iso__axis_pulls(&work->axes[n].base);
        }
        const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
        for (uint32_t n = 0; n < 4 && pulls; ++n) {
            drive_mark(plane, bodies[n], runs);
        }
    }
}
