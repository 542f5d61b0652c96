/// The parallel joint: a_B stays along a_A, wherever B is: a body that stays upright.
///
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows           space/joint/angle.c, align, as of the hinge
///   axis 0   the angle about a_A [rad], unwrapped
///
/// Tests: tests/unit/space/joint/test_joint3_jacobian.c, test_joint3_line.c.
#include "space/joint/angle.h"
#include "space/joint/kind.h"

static void parallel_update(iso__space_joint_work *work) {
    iso__space_angle_align(work);
    iso__space_angle_turn(work, 0);
}

const iso__space_joint_kind iso__space_joint_kind_parallel = {.update = parallel_update};
