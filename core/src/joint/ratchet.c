/// The ratchet joint: B turns one way against A, in steps s, and not back beyond the step that it has passed.
///
///   x = phiB - phiA,  latch = rest + n s, the last of these that x has passed in the direction of s
///   s > 0:  C = x - latch >= 0,  s < 0:  C = x - latch <= 0      joint/axis.c: a limit from below or from above
///
/// The latch is state: it was passed once, wherever x is now. It moves once a tick, when the rows are prepared.
#include "joint/rows.h"

#include "math/fixed_ops.h"

/// The last step that x has passed.
static int64_t ratchet_step_before(const iso__joint *joint, int64_t x) {
    const int64_t rest = iso_wide_from_fix16(joint->rest), step = iso_wide_from_fix16(joint->ratchet);
    const int64_t away = x - rest;
    int64_t count = away / step; // rounds towards zero
    count -= away % step != 0 && (away < 0) != (step < 0);
    return rest + count * step;
}

int64_t iso__ratchet_start(const iso_world *world, const iso__joint *joint) {
    return ratchet_step_before(joint, iso__axis_clamp_angle(iso__joint_angle(world, joint)));
}

static void ratchet_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    const int64_t passed = iso__ratchet_start(world, joint);
    work->latch = joint->ratchet > 0 ? iso__max64(work->latch, passed) : iso__min64(work->latch, passed);
    iso__angle_prepare(world, joint, work);
    if (work->axis_count != 0) {
        work->axes[0].lower = work->axes[0].upper = work->latch;
    }
}

static void ratchet_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    iso__angle_measure(world, joint, measure);
    const iso_wide beyond = iso_wide_sub(iso__joint_angle(world, joint), joint->latch);
    measure->error = (beyond < 0) == (joint->ratchet > 0) ? (beyond < 0 ? -beyond : beyond) : 0;
}

const iso__joint_kind iso__kind_ratchet = {ratchet_prepare, iso__angle_update, ratchet_measure};
