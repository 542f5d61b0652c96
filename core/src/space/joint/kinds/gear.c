/// The gear: B turns r times less than A, whatever turns them. Other joints hold the wheels.
///
///   axis 0   x = r phi_B - phi_A [rad]                             space/joint/axis.c, gear
///            dx/dt = r a_B . omega_B - a_A . omega_A
///
/// where phi_A and phi_B count how far A has turned about a_A and B about a_B, in the world, since the joint was made.
/// The axes turn with their bodies; they may be parallel, or at any angle as those of bevel gears are. Without a limit
/// and a spring x is held at `rest`; limits are the play of the teeth. Source: the article of the plane's gear, J =
/// [-1, r]. Tests: tests/unit/space/joint/test_joint3_gear.c.
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "space/joint/angle.h"
#include "space/joint/axis.h"
#include "space/joint/kind.h"

static void gear_update(iso__space_joint_work *work) {
    iso__space_joint_body *a = &work->a, *b = &work->b;
    if (!work->has_begun) {
        work->has_begun = true;
        work->began = work->axis[0].turns;
        iso__space_angle_begin(a, a->rotation);
        iso__space_angle_begin(b, b->rotation);
    }
    const int64_t of_b = iso_wide_mul(work->ratio, iso__space_angle_count(b, b->rotation));
    const int64_t turned = of_b - iso__space_angle_count(a, a->rotation);
    iso__space_axis_set_gear(work, a->axes[0], b->axes[0], iso_wide_add(work->began, turned));
}

const iso__space_joint_kind iso__space_joint_kind_gear = {.update = gear_update};
