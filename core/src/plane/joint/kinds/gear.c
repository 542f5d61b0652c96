/// The gear joint: B turns r times less than A, whatever turns them.
///
///   x = r phiB - phiA, held at rest (the phase)         plane/joint/axis.c
///   J = [-1, r],  K = J M^-1 J^T = 1/IA + r^2/IB
///
/// Both angles are those in the world, so gears that a third body carries need to be joined to it, not to each other.
#include "plane/joint/kind.h"
#include "plane/joint/kinds/angle.h"

const iso__plane_joint_kind iso__plane_kind_gear = {
    .prepare = iso__plane_angle_prepare, .update = iso__plane_angle_update, .measure = iso__plane_angle_measure};
