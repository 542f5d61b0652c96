/// The target: pulls an anchor of B towards a point of the world, for dragging.
///
///   linear   C = xB + rB - target, three rows; |j| <= sigma F h    joint3/block3.c
///
/// A is the world: it has no mass, and its x is the target. Tests: tests/unit/joint3/test_joint3_fixed.c.
#include "joint3/block3.h"
#include "joint3/kind3.h"

static void target_update(iso__joint3_work *work) {
    iso__linear3_update(work);
}

const iso__joint3_kind iso__joint3_kind_target = {.update = target_update};
