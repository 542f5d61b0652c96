/// The ball-in-socket: two anchors stay together.
///
///   linear   C = e = xB + rB - xA - rA, three rows           joint3/block3.c; the article's ball-in-socket
///            Cdot = vB + omega_B x rB - vA - omega_A x rA
///            J    = [-1, [rA]x, 1, -[rB]x]
///   axis 0   the swing of a_B from a_A [rad], 0 to pi        joint3/angle3.c; a cone by its upper limit, to 170 degrees
///   axis 1   the twist about both [rad], unwrapped while it has rows
///
/// An axis without rows is not computed: most ball joints cost the linear block alone. Source: the article (seed 003); the cone and twist are those of
/// Jolt's swing-twist constraint, with the twist's exact rate. Tests: tests/unit/joint3/test_joint3_ball.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void ball_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    if (work->axis[0].rows != 0) {
        iso__angle3_swing(work, 0);
    }
    if (work->axis[1].rows != 0) {
        iso__angle3_twist(work, 1);
    }
}

const iso__joint3_kind iso__joint3_kind_ball = {.update = ball_update};
