/// The wheel: B's anchor stays on the line of a_A (the strut), and the axle a_B keeps its angle gamma to it.
///
///   linear   C = (b_A . e, c_A . e), two rows                      space/joint/block.c, as of the slider
///   angular  C = gamma - angle(a_A, a_B), one row                  space/joint/angle.c, cross
///   axis 0   x = a_A . e [m]: suspension, by a spring and limits
///   axis 1   the angle about a_A of a_B [rad]: steering, by a spring or limits
///   axis 2   the angle about a_B [rad], unwrapped: rolling, by a motor
///
/// Source: ODE's hinge-2, with the suspension as a soft row of its own. Tests:
/// tests/unit/space/joint/test_joint3_wheel.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"
#include "space/joint/line.h"

static void hinge2_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_cross(work);
    iso__space_line_position(work, 0);
    iso__space_angle_about_a(work, 1);
    iso__space_angle_about_b(work, 2);
}

const iso__space_joint_kind iso__space_joint_kind_hinge2 = {.update = hinge2_update};
