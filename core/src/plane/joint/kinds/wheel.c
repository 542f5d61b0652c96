/// The wheel joint: B turns about its anchor, which stays on a line that A carries: a suspension.
///
///   along, across   plane/joint/kinds/line.c: spring and limits along the line
///   angle           dx/dt = omegaB - omegaA, the motor          plane/joint/axis.c
#include "plane/joint/axis_make.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/line.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"

static void wheel_prepare(const iso_world *world, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_line_prepare(world, joint, work);
    if ((joint->flags & ISO__PLANE_JOINT_MOTOR) != 0) {
        iso__joint_axis *angle = iso__plane_axis_add_angle(world, joint, work);
        if (angle) {
            iso__plane_axis_drive(world, joint, angle, ISO__PLANE_JOINT_ANGLE_IMPULSE);
        }
    }
}

static void wheel_measure(const iso_world *world, const iso__plane_joint *joint, iso__plane_joint_measure *measure) {
    iso__plane_line_measure(world, joint, measure);
    measure->torque = iso__plane_joint_torque(world, joint, joint->impulse[ISO__PLANE_JOINT_ANGLE_IMPULSE]);
    measure->speed = iso__plane_joint_angular_speed(world, joint);
}

const iso__plane_joint_kind iso__plane_kind_wheel = {
    .prepare = wheel_prepare, .update = iso__plane_line_update, .measure = wheel_measure};
