/// The motor: drives B to A's frame, up to a force and a torque.
///
///   linear   C = e, three rows; |j| <= sigma F h                   space/joint/block.c
///   angular  C = 2 sin(angle/2) n, three rows; |j| <= sigma M h    space/joint/angle.c, lock
///
/// It is a fixed joint by its rows. It is a kind of its own as its frames are a goal: iso_joint3_set moves them, and
/// break_error and break_angle then say that the bodies lag behind. Tests: tests/unit/space/joint/test_joint3_fixed.c.
#include "space/joint/angle.h"
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void motor_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
    iso__space_angle_lock(work);
}

const iso__space_joint_kind iso__space_joint_kind_motor = {.update = motor_update};
