/// The wheel joint: B turns about its anchor, which stays on a line that A carries: a suspension.
///
///   along, across   plane/joint/kinds/line.c: spring and limits along the line
///   angle           dx/dt = omegaB - omegaA, the motor          plane/joint/axis.c
#include "plane/joint/axis_make.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/line.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"

static void wheel_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_line_prepare(plane, joint, work);
    if ((joint->flags & ISO__PLANE_JOINT_MOTOR) != 0) {
        iso__plane_axis *angle = iso__plane_axis_add_angle(plane, joint, work);
        if (angle) {
            iso__plane_axis_drive(plane, joint, angle, ISO__PLANE_JOINT_ANGLE_IMPULSE);
        }
    }
}

static void wheel_measure(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure) {
    iso__plane_line_measure(plane, joint, measure);
    measure->torque = iso__plane_joint_torque(plane, joint, joint->impulse[ISO__PLANE_JOINT_ANGLE_IMPULSE]);
    measure->speed = iso__plane_joint_angular_speed(plane, joint);
}

const iso__plane_joint_kind iso__plane_kind_wheel = {
    .prepare = wheel_prepare, .update = iso__plane_line_update, .measure = wheel_measure};
