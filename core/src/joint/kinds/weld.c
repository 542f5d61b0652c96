/// The weld: two anchor points stay together, and the angle between the bodies stays.
///
///   point  C = (xB + rB) - (xA + rA)         joint/point.c
///   axis   x = phiB - phiA, held at rest     joint/axis.c; soft with the joint's softness, or with its spring's
///
/// The 2x2 block and the angle's row are solved one after the other, so that no block mixes metres and radians. With
/// anchors away from the centres the two disturb each other; the substeps bring them together.
#include "joint/kind.h"
#include "joint/kinds/point_angle.h"

const iso__joint_kind iso__kind_weld = {
    .prepare = iso__point_angle_prepare, .update = iso__point_angle_update, .measure = iso__point_angle_measure};
