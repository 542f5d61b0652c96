/// The angle joint: limits, a motor and a spring on a weighed angle of two bodies.
///
///   x = r phiB - phiA, unwrapped             plane/joint/axis.c; r is the ratio
///
/// Without anchors it says nothing about places. With limits alone it is a rotary limit, with a spring a damped rotary
/// spring or servo, with a motor a motor that keeps r omegaB - omegaA at its speed.
#include "plane/joint/kinds/angle.h"

#include "base/assert.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

void iso__plane_angle_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    if (iso__plane_axis_rows(joint) != 0) {
        iso__plane_axis *axis = iso__plane_axis_add_angle(plane, joint, work);
        if (axis) {
            iso__plane_axis_main(plane, joint, axis);
        }
    }
    ISO_ASSERT(work->axis_count <= 1);
}

void iso__plane_angle_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->axis_count <= 1);
    if (work->axis_count != 0) {
        iso__plane_axis_update_angle(scratch, work, &work->axes[0]);
    }
}

void iso__plane_angle_measure(const iso__plane *plane, const iso__plane_joint *joint,
                              iso__plane_joint_measure *measure) {
    ISO_ASSERT(joint->body_b < plane->world.globals->body_count);
    *measure =
        (iso__plane_joint_measure){.torque = iso__plane_joint_torque(plane, joint, iso__plane_axis_impulse(joint)),
                                   .turned = iso__plane_axis_error(joint, iso__plane_joint_angle(plane, joint)),
                                   .speed = iso__plane_joint_angular_speed(plane, joint)};
}

const iso__plane_joint_kind iso__plane_kind_angle = {
    .prepare = iso__plane_angle_prepare, .update = iso__plane_angle_update, .measure = iso__plane_angle_measure};
