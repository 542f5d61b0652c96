/// The distance joint: an axis on the length between two anchors.
///
///   x = |a|,  a = (xB + rB) - (xA + rA),  d = a / x        plane/joint/axis.c
///
/// Without spring and limit it is a rod of length `rest`; with limits alone a rope or a telescope; with a spring a
/// damped spring, within limits when they are there.
///
/// d comes from the exact places of each substep. Where the anchors meet it has no value, and just beside it none that
/// rounding would leave alone: below LENGTH_MIN the last direction stands, which is therefore state. Its length is
/// within 2^-30 of itself (iso__normalize).
///
/// The direction is taken as constant within a substep. An anchor many radii of gyration out on a free body is a whip
/// whose tip has next to no mass; a rod across it turns faster than substeps can follow and is lost.
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

#define LENGTH_MIN (INT64_C(1) << 12) // [m] Q31.32: a micrometre

static void distance_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__plane_axis_main(plane, joint, iso__plane_axis_add_length(plane, work));
}

static void distance_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    int64_t lever_a[2], lever_b[2], arm_a[2], arm_b[2], apart[2];
    iso__plane_joint_lever(scratch, work->body_a, work->local_a, work->exponent_a, lever_a, arm_a);
    iso__plane_joint_lever(scratch, work->body_b, work->local_b, work->exponent_b, lever_b, arm_b);
    for (int axis = 0; axis < 2; ++axis) {
        apart[axis] = work->start[axis] + scratch->drifts[work->body_b].moved[axis] -
                      scratch->drifts[work->body_a].moved[axis] + lever_b[axis] - lever_a[axis];
    }
    int32_t direction[2];
    const int64_t length = iso__normalize(apart[0], apart[1], &direction[0], &direction[1]);
    if (length >= LENGTH_MIN) {
        work->direction[0] = direction[0];
        work->direction[1] = direction[1];
    }
    iso__plane_axis_update_length(&work->axes[0], work->direction, length, arm_a, arm_b);
}

static void distance_measure(const iso__plane *plane, const iso__plane_joint *joint,
                             iso__plane_joint_measure *measure) {
    const iso_vec2_wide apart = iso__plane_joint_apart(plane, joint),
                        velocity = iso__plane_joint_velocity(plane, joint);
    const iso_wide force = iso__plane_joint_force(plane, joint, iso__plane_axis_impulse(joint));
    const int32_t *d = joint->direction;
    *measure = (iso__plane_joint_measure){
        .force = {iso__mul_shift(force, d[0], ISO__UNIT_FRACTION), iso__mul_shift(force, d[1], ISO__UNIT_FRACTION)},
        .error = iso__plane_axis_error(joint, iso_wide_hypot(apart.x, apart.y)),
        .speed = iso__dot_shift(velocity.x, d[0], velocity.y, d[1], ISO__UNIT_FRACTION),
    };
}

const iso__plane_joint_kind iso__plane_kind_distance = {
    .prepare = distance_prepare, .update = distance_update, .measure = distance_measure};
