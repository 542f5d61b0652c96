/// The slider: B's anchor stays on the line of a_A through A's, and B does not turn against A.
///
///   linear   C = (b_A . e, c_A . e), two rows                      space/joint/block.c
///            Cdot = d . (vB + omega_B x rB - vA - omega_A x (rA + e)): the directions turn with A
///   angular  C = 2 sin(angle/2) n along A's axes, three rows       space/joint/angle.c, lock
///   axis 0   x = a_A . e [m]                                       space/joint/axis.c
///            dx/dt = a_A . (vB + omega_B x rB - vA - omega_A x (rA + e)): exact, as for the rows across
///
/// Source: Erleben's thesis by way of the article. Tests: tests/unit/space/joint/test_joint3_line.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"
#include "space/joint/line.h"

static void slider_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_lock(work);
    iso__space_line_position(work, 0);
}

const iso__space_joint_kind iso__space_joint_kind_slider = {.update = slider_update};
