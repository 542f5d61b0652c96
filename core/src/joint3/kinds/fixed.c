/// The fixed joint: two bodies as one.
///
///   linear   C = e, three rows                                     joint3/block3.c
///   angular  C = 2 sin(angle/2) n along A's axes, three rows       joint3/angle3.c, lock
///            Cdot = omega_B - omega_A in first order of the angle
///
/// The blocks are solved one after the other, the linear one last, so that no block mixes metres and radians. Soft with
/// hertz; force_max and torque_max bound the length of each block's impulse. Source: Erleben's thesis by way of the
/// article. Tests: tests/unit/joint3/test_joint3_fixed.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void fixed_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_lock(work);
}

const iso__joint3_kind iso__joint3_kind_fixed = {.update = fixed_update};
