/// The motor joint: drives B's anchor to a point of A's frame and B's angle to one relative to A's, as fast as the
/// largest force, torque and correction speed let it.
///
///   point  C = (xB + rB) - (xA + rA)         plane/joint/point.c; rA is the linear offset
///   axis   x = phiB - phiA, held at rest     plane/joint/axis.c; rest is the angular offset
///
/// It is a weld whose offsets are made to be changed, and whose strength is made to be limited. A rigid joint takes the
/// speed of its corrections away again when it relaxes, so that they cannot add up: a limited force would creep by F
/// h^2 / m a substep. The speed of a drive is meant to stay, so it works with its softness in the relax pass, too.
#include "plane/joint/kind.h"
#include "plane/joint/kinds/point_angle.h"
#include "plane/joint/work.h"

static void motor_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_point_angle_prepare(plane, joint, work);
    work->point.is_soft = true;
    if (work->axis_count != 0) {
        work->axes[0].base.is_soft = true;
    }
}

const iso__plane_joint_kind iso__plane_kind_motor = {
    .prepare = motor_prepare, .update = iso__plane_point_angle_update, .measure = iso__plane_point_angle_measure};
