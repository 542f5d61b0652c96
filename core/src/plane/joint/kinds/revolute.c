/// The revolute joint: two anchor points stay together, the bodies turn freely, or limited by an axis on their angle.
///
///   point  C = (xB + rB) - (xA + rA)         plane/joint/point.c
///   axis   x = phiB - phiA, unwrapped        plane/joint/axis.c: spring, motor, limits
///
/// A spring that rests at the wanted angle, with a largest torque, is a servo.
#include "plane/joint/kind.h"
#include "plane/joint/kinds/point_angle.h"

const iso__plane_joint_kind iso__plane_kind_revolute = {.prepare = iso__plane_point_angle_prepare,
                                                        .update = iso__plane_point_angle_update,
                                                        .measure = iso__plane_point_angle_measure};
