/// The universal joint: two anchors stay together, and the axes a_A and a_B keep their angle gamma; a cardan cross.
///
///   linear   C = e, three rows                                     joint3/block3.c
///   angular  C = gamma - angle(a_A, a_B), one row                  joint3/angle3.c, cross
///            Cdot = d . (omega_B - omega_A), d = (a_B x a_A)/|a_B x a_A|: exact
///   axis 0   the angle about a_A of a_B [rad], unwrapped;  axis 1  the angle about a_B
///            omega_B - omega_A = rate0 a_A + rate1 a_B - (d gamma/dt) d
///
/// Source: ODE's universal, whose row is a_A . a_B = 0. Tests: tests/unit/joint3/test_joint3_wheel.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void universal_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_cross(work);
    iso__angle3_about_a(work, 0);
    iso__angle3_about_b(work, 1);
}

const iso__joint3_kind iso__joint3_kind_universal = {.update = universal_update};
