/// The wheel: B's anchor stays on the line of a_A (the strut), and the axle a_B keeps its angle gamma to it.
///
///   linear   C = (b_A . e, c_A . e), two rows                      joint3/block3.c, as of the slider
///   angular  C = gamma - angle(a_A, a_B), one row                  joint3/angle3.c, cross
///   axis 0   x = a_A . e [m]: suspension, by a spring and limits
///   axis 1   the angle about a_A of a_B [rad]: steering, by a spring or limits
///   axis 2   the angle about a_B [rad], unwrapped: rolling, by a motor
///
/// Source: ODE's hinge-2, with the suspension as a soft row of its own. Tests: tests/unit/joint3/test_joint3_wheel.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"
#include "joint3/line3.h"

static void hinge2_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_cross(work);
    iso__line3_position(work, 0);
    iso__angle3_about_a(work, 1);
    iso__angle3_about_b(work, 2);
}

const iso__joint3_kind iso__joint3_kind_hinge2 = {.is_on_line = true, .update = hinge2_update};
