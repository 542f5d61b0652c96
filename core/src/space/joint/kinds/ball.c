/// The ball-in-socket: two anchors stay together.
///
///   linear   C = e = xB + rB - xA - rA, three rows           space/joint/block.c; the article's ball-in-socket
///            Cdot = vB + omega_B x rB - vA - omega_A x rA
///            J    = [-1, [rA]x, 1, -[rB]x]
///   axis 0   the swing of a_B from a_A [rad], 0 to pi        space/joint/angle.c; a cone by its upper limit, to 170
///            degrees
///   axis 1   the twist about both [rad], unwrapped while it has rows
///
/// An axis without rows is not computed: most ball joints cost the linear block alone. Source: the article (seed 003);
/// the cone and twist are those of Jolt's swing-twist constraint, with the twist's exact rate. Tests:
/// tests/unit/space/joint/test_joint3_ball.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void ball_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    if (work->axis[0].rows != 0) {
        iso__space_angle_swing(work, 0);
    }
    if (work->axis[1].rows != 0) {
        iso__space_angle_twist(work, 1);
    }
}

const iso__space_joint_kind iso__space_joint_kind_ball = {.update = ball_update};
