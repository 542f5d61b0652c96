/// The hinge: two anchors stay together, and B turns about a_A alone.
///
///   linear   C = e, three rows                               space/joint/block.c
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows     space/joint/angle.c, align
///            Cdot = (b_A, c_A) . (omega_B - omega_A)
///            J    = [0, -t_i, 0, t_i] with t1 = b_A, t2 = c_A
///   axis 0   the angle about a_A [rad], unwrapped; u = a_A
///
/// The article takes the mean s of both axes for a_A, and a_A x a_B projected on t1 and t2 for C: with a_A the rows are
/// off by half the error, which is 1e-5 rad in a joint at work, and no root is taken; C is the same in first order.
/// Source: the article (seed 003), hinge. Tests: tests/unit/space/joint/test_joint3_hinge.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void hinge_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_align(work);
    iso__space_angle_turn(work, 0);
}

const iso__space_joint_kind iso__space_joint_kind_hinge = {.update = hinge_update};
