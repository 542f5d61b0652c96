/// The distance: the length between two anchors; a rod, a rope or a damped spring.
///
///   axis 0   x = |e| [m], d = e/|e|                                space/joint/axis.c
///            dx/dt = d . (vB + omega_B x rB - vA - omega_A x rA): exact
///
/// Without a limit and a spring the hold is a rod of length `rest`, as soft as the joint; with limits a rope, with a
/// spring a damped spring. Where the anchors coincide d is a_A. Tests: tests/unit/space/joint/test_joint3_line.c.
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "space/joint/axis.h"
#include "space/joint/kind.h"

static void distance_update(iso__space_joint_work *work) {
    int32_t direction[3];
    if (iso__normalize3(work->apart, direction) == 0) {
        for (int axis = 0; axis < 3; ++axis) {
            direction[axis] = work->a.axes[0][axis];
        }
    }
    iso__space_axis_set_length(work, 0, direction, iso__length3(work->apart));
}

const iso__space_joint_kind iso__space_joint_kind_distance = {.update = distance_update};
