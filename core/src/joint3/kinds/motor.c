/// The motor: drives B to A's frame, up to a force and a torque.
///
///   linear   C = e, three rows; |j| <= sigma F h                   joint3/block3.c
///   angular  C = 2 sin(angle/2) n, three rows; |j| <= sigma M h    joint3/angle3.c, lock
///
/// It is a fixed joint by its rows. It is a kind of its own as its frames are a goal: iso_joint3_set moves them, and
/// break_error and break_angle then say that the bodies lag behind. Tests: tests/unit/joint3/test_joint3_fixed.c.
#include "joint3/angle3.h"
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void motor_update(iso__joint3_work *work) {
    iso__linear3_update(work);
    iso__angle3_lock(work);
}

const iso__joint3_kind iso__joint3_kind_motor = {.update = motor_update};
