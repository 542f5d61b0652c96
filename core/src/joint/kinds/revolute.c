/// The revolute joint: two anchor points stay together, the bodies turn freely, or limited by an axis on their angle.
///
///   point  C = (xB + rB) - (xA + rA)         joint/point.c
///   axis   x = phiB - phiA, unwrapped        joint/axis.c: spring, motor, limits
///
/// A spring that rests at the wanted angle, with a largest torque, is a servo.
#include "joint/kind.h"
#include "joint/kinds/point_angle.h"

const iso__joint_kind iso__kind_revolute = {
    .prepare = iso__point_angle_prepare, .update = iso__point_angle_update, .measure = iso__point_angle_measure};
