/// The motor joint: drives B's anchor to a point of A's frame and B's angle to one relative to A's, as fast as the
/// largest force, torque and correction speed let it.
///
///   point  C = (xB + rB) - (xA + rA)         joint/point.c; rA is the linear offset
///   axis   x = phiB - phiA, held at rest     joint/axis.c; rest is the angular offset
///
/// It is a weld whose offsets are made to be changed, and whose strength is made to be limited.
#include "joint/rows.h"

const iso__joint_kind iso__kind_motor = {iso__point_angle_prepare, iso__point_angle_update, iso__point_angle_measure};
