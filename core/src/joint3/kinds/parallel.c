/// The parallel joint: a_B stays along a_A, wherever B is: a body that stays upright.
///
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows           joint3/angle3.c, align, as of the hinge
///   axis 0   the angle about a_A [rad], unwrapped
///
/// Tests: tests/unit/joint3/test_joint3_jacobian.c, test_joint3_line.c.
#include "joint3/angle3.h"
#include "joint3/kind3.h"

static void parallel_update(iso__joint3_work *work) {
    iso__angle3_align(work);
    iso__angle3_turn(work, 0);
}

const iso__joint3_kind iso__joint3_kind_parallel = {.update = parallel_update};
