/// The wheel joint: B turns about its anchor, which stays on a line that A carries: a suspension.
///
///   along, across   joint/kinds/line.c: spring and limits along the line
///   angle           dx/dt = omegaB - omegaA, the motor          joint/axis.c
#include "joint/axis_make.h"
#include "joint/kind.h"
#include "joint/kinds/line.h"
#include "joint/measure.h"
#include "joint/work.h"

static void wheel_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__line_prepare(world, joint, work);
    if ((joint->flags & ISO__JOINT_MOTOR) != 0) {
        iso__joint_axis *angle = iso__axis_add_angle(world, joint, work);
        if (angle) {
            iso__axis_drive(world, joint, angle, ISO__JOINT_ANGLE_IMPULSE);
        }
    }
}

static void wheel_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    iso__line_measure(world, joint, measure);
    measure->torque = iso__joint_torque(world, joint, joint->impulse[ISO__JOINT_ANGLE_IMPULSE]);
    measure->speed = iso__joint_angular_speed(world, joint);
}

const iso__joint_kind iso__kind_wheel = {
    .prepare = wheel_prepare, .update = iso__line_update, .measure = wheel_measure};
