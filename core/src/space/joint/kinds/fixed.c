/// The fixed joint: two bodies as one.
///
///   linear   C = e, three rows                                     space/joint/block.c
///   angular  C = 2 sin(angle/2) n along A's axes, three rows       space/joint/angle.c, lock
///            Cdot = omega_B - omega_A in first order of the angle
///
/// The blocks are solved one after the other, the linear one last, so that no block mixes metres and radians. Soft with
/// hertz; force_max and torque_max bound the length of each block's impulse. Source: Erleben's thesis by way of the
/// article. Tests: tests/unit/space/joint/test_joint3_fixed.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void fixed_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_lock(work);
}

const iso__space_joint_kind iso__space_joint_kind_fixed = {.update = fixed_update};
