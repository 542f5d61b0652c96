/// The slider: B's anchor stays on the line of a_A through A's, and B does not turn against A.
///
///   linear   C = (b_A . e, c_A . e), two rows                      joint3/block3.c
///            Cdot = d . (vB + omega_B x rB - vA - omega_A x (rA + e)): the directions turn with A
///   angular  C = 2 sin(angle/2) n along A's axes, three rows       joint3/angle3.c, lock
///   axis 0   x = a_A . e [m]                                       joint3/axis3.c
///            dx/dt = a_A . (vB + omega_B x rB - vA - omega_A x (rA + e)): exact, as for the rows across
///
/// Source: Erleben's thesis by way of the article. Tests: tests/unit/joint3/test_joint3_line.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"
#include "joint3/line3.h"

static void slider_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_lock(work);
    iso__line3_position(work, 0);
}

const iso__joint3_kind iso__joint3_kind_slider = {.is_on_line = true, .update = slider_update};
