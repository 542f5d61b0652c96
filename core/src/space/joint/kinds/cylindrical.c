/// The cylindrical joint: a_B stays on the line of a_A; B slides along it and turns about it.
///
///   linear   C = (b_A . e, c_A . e), two rows                      space/joint/block.c, as of the slider
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows           space/joint/angle.c, align, as of the hinge
///   axis 0   x = a_A . e [m];  axis 1  the angle about a_A [rad], unwrapped
///
/// Tests: tests/unit/space/joint/test_joint3_line.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"
#include "space/joint/line.h"

static void cylindrical_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_align(work);
    iso__space_line_position(work, 0);
    iso__space_angle_turn(work, 1);
}

const iso__space_joint_kind iso__space_joint_kind_cylindrical = {.update = cylindrical_update};
