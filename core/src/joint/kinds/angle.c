/// The angle joint: limits, a motor and a spring on a weighed angle of two bodies.
///
///   x = r phiB - phiA, unwrapped             joint/axis.c; r is the ratio
///
/// Without anchors it says nothing about places. With limits alone it is a rotary limit, with a spring a damped rotary
/// spring or servo, with a motor a motor that keeps r omegaB - omegaA at its speed.
#include "joint/kinds/angle.h"

#include "base/assert.h"
#include "joint/axis_make.h"
#include "joint/axis_update.h"
#include "joint/kind.h"
#include "joint/measure.h"
#include "joint/pair.h"
#include "joint/work.h"
#include "solver/scratch.h"

void iso__angle_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__joint_prepare_pair(world, joint, work);
    if (iso__axis_rows(joint) != 0) {
        iso__joint_axis *axis = iso__axis_add_angle(world, joint, work);
        if (axis) {
            iso__axis_main(world, joint, axis);
        }
    }
    ISO_ASSERT(work->axis_count <= 1);
}

void iso__angle_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    ISO_VALIDATE_ASSERT(work->axis_count <= 1);
    if (work->axis_count != 0) {
        iso__axis_update_angle(scratch, work, &work->axes[0]);
    }
}

void iso__angle_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    ISO_ASSERT(joint->body_b < world->globals->body_count);
    *measure = (iso__joint_measure){.torque = iso__joint_torque(world, joint, iso__axis_impulse(joint)),
                                    .turned = iso__axis_error(joint, iso__joint_angle(world, joint)),
                                    .speed = iso__joint_angular_speed(world, joint)};
}

const iso__joint_kind iso__kind_angle = {
    .prepare = iso__angle_prepare, .update = iso__angle_update, .measure = iso__angle_measure};
