/// The target: pulls an anchor of B towards a point of the world, for dragging.
///
///   linear   C = xB + rB - target, three rows; |j| <= sigma F h    space/joint/block.c
///
/// A is the world: it has no mass, and its x is the target. Tests: tests/unit/space/joint/test_joint3_fixed.c.
#include "space/joint/block.h"
#include "space/joint/kind.h"

static void target_update(iso__space_joint_work *work) {
    iso__space_linear_update(work);
}

const iso__space_joint_kind iso__space_joint_kind_target = {.update = target_update};
