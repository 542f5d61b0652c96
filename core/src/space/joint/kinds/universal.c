/// The universal joint: two anchors stay together, and the axes a_A and a_B keep their angle gamma; a cardan cross.
///
///   linear   C = e, three rows                                     space/joint/block.c
///   angular  C = gamma - angle(a_A, a_B), one row                  space/joint/angle.c, cross
///            Cdot = d . (omega_B - omega_A), d = (a_B x a_A)/|a_B x a_A|: exact
///   axis 0   the angle about a_A of a_B [rad], unwrapped;  axis 1  the angle about a_B
///            omega_B - omega_A = rate0 a_A + rate1 a_B - (d gamma/dt) d
///
/// Source: ODE's universal, whose row is a_A . a_B = 0. Tests: tests/unit/space/joint/test_joint3_wheel.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void universal_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_cross(work);
    iso__space_angle_about_a(work, 0);
    iso__space_angle_about_b(work, 1);
}

const iso__space_joint_kind iso__space_joint_kind_universal = {.update = universal_update};
