/// The rack and its pinion: B rolls along A, without slip.
///
///   axis 0   x = a_A . e - r phi [m]                               space/joint/axis.c, rack
///            dx/dt = a_A . (vB + omega_B x rB - vA - omega_A x (rA + e)) - r a_B . (omega_B - omega_A)
///
/// where phi counts how far B has turned against A about a_B since the joint was made, and r [m/rad] is the pinion's
/// radius; its sign says which way it rolls. B's anchor is on the pinion's axle. Without a limit and a spring x is held
/// at `rest`; limits are the play of the teeth. Other joints hold the axle. Force and torque act between A and B at one
/// point, so that no momentum is made. Tests: tests/unit/space/joint/test_joint3_gear.c.
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "space/joint/angle.h"
#include "space/joint/axis.h"
#include "space/joint/kind.h"

static void rack_update(iso__space_joint_work *work) {
    if (!work->has_begun) {
        work->has_begun = true;
        work->began = work->axis[0].turns;
        iso__space_angle_begin(&work->b, work->relative);
    }
    const int64_t turns = iso_wide_add(work->began, iso__space_angle_count(&work->b, work->relative));
    const int32_t *d = work->a.axes[0];
    const int64_t *e = work->apart;
    const int64_t way = iso__dot3_shift(d[0], e[0], d[1], e[1], d[2], e[2], ISO__UNIT_FRACTION);
    iso__space_axis_set_rack(work, d, work->b.axes[0], way, turns);
}

const iso__space_joint_kind iso__space_joint_kind_rack = {.update = rack_update};
