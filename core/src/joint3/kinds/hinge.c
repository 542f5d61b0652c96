/// The hinge: two anchors stay together, and B turns about a_A alone.
///
///   linear   C = e, three rows                               joint3/block3.c
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows     joint3/angle3.c, align
///            Cdot = (b_A, c_A) . (omega_B - omega_A)
///            J    = [0, -t_i, 0, t_i] with t1 = b_A, t2 = c_A
///   axis 0   the angle about a_A [rad], unwrapped; u = a_A
///
/// The article takes the mean s of both axes for a_A, and a_A x a_B projected on t1 and t2 for C: with a_A the rows are off by
/// half the error, which is 1e-5 rad in a joint at work, and no root is taken; C is the same in first order.
/// Source: the article (seed 003), hinge. Tests: tests/unit/joint3/test_joint3_hinge.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void hinge_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_align(work);
    iso__angle3_turn(work, 0);
}

const iso__joint3_kind iso__joint3_kind_hinge = {.update = hinge_update};
