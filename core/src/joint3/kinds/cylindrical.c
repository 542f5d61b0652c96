/// The cylindrical joint: a_B stays on the line of a_A; B slides along it and turns about it.
///
///   linear   C = (b_A . e, c_A . e), two rows                      joint3/block3.c, as of the slider
///   angular  C = 2 sin(swing/2) along b_A, c_A, two rows           joint3/angle3.c, align, as of the hinge
///   axis 0   x = a_A . e [m];  axis 1  the angle about a_A [rad], unwrapped
///
/// Tests: tests/unit/joint3/test_joint3_line.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"
#include "joint3/line3.h"

static void cylindrical_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_align(work);
    iso__line3_position(work, 0);
    iso__angle3_turn(work, 1);
}

const iso__joint3_kind iso__joint3_kind_cylindrical = {.is_on_line = true, .update = cylindrical_update};
