/// The friction joint: brakes the sliding of B against A, and its turning. Speeds alone, no place:
///
///   linear   Cdot = vB + omega_B x rB - vA - omega_A x (rA + e) = 0, three rows, |j| <= sigma F h
///            space/joint/block.c
///   angular  Cdot = omega_B - omega_A = 0, three rows, |j| <= sigma M h
///
/// Both bodies are pushed at B's anchor, so that no momentum is made, wherever B slides. A force or torque of 0 is
/// unlimited, as everywhere. Tests: tests/unit/space/joint/test_joint3_friction.c.
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void friction_update(iso__space_joint_work *work) {
    static const int64_t none[3] = {0, 0, 0};
    iso__space_linear_update(work);
    for (int i = 0; i < 3; ++i) {
        work->linear.arrived[i] = 0; // where B is, is no error
    }
    iso__space_angular_update(work, work->a.axes, none);
}

const iso__space_joint_kind iso__space_joint_kind_friction = {.update = friction_update};
