/// The ratchet joint: B turns one way against A, in steps s, and not back beyond the step that it has passed.
///
///   x = phiB - phiA,  latch = rest + n s, the last of these that x has passed in the direction of s
///   s > 0:  C = x - latch >= 0,  s < 0:  C = x - latch <= 0      plane/joint/axis.c: a limit from below or from above
///
/// The latch is state: it was passed once, wherever x is now. It moves once a tick, when the rows are prepared.
#include "math/fixed_ops.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/angle.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"

#define RATCHET_MIN ((uint32_t)ISO_FIX16_ONE / 64) // of a step either way

static bool ratchet_check(const iso_joint_def *def) {
    return iso__abs_u32(def->ratchet) >= RATCHET_MIN;
}

/// The pawl: a limit from below or from above.
static uint32_t ratchet_rows(const iso__plane_joint *joint) {
    return joint->ratchet > 0 ? 1u << ISO__AXIS_LOWER : 1u << ISO__AXIS_UPPER;
}

/// The last step that x has passed.
static int64_t ratchet_step_before(const iso__plane_joint *joint, int64_t x) {
    const int64_t rest = iso_wide_from_fix16(joint->rest), step = iso_wide_from_fix16(joint->ratchet);
    const int64_t away = x - rest;
    int64_t count = away / step; // rounds towards zero
    count -= away % step != 0 && (away < 0) != (step < 0);
    return rest + count * step;
}

static int64_t ratchet_passed(const iso__plane *plane, const iso__plane_joint *joint) {
    return ratchet_step_before(joint, iso__plane_axis_clamp_angle(iso__plane_joint_angle(plane, joint)));
}

/// With changed steps the latch is the last step that x has passed.
static int64_t ratchet_start(const iso__plane *plane, const iso__plane_joint *joint, const iso__plane_joint *before) {
    const bool is_same = before != NULL && joint->ratchet == before->ratchet && joint->rest == before->rest;
    return is_same ? before->latch : ratchet_passed(plane, joint);
}

static void ratchet_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    const int64_t passed = ratchet_passed(plane, joint);
    work->latch = joint->ratchet > 0 ? iso__max64(work->latch, passed) : iso__min64(work->latch, passed);
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__plane_axis *axis = iso__plane_axis_add_angle(plane, joint, work);
    if (axis != NULL) {
        iso__plane_axis_limit(plane, joint, axis, ratchet_rows(joint));
        axis->base.lower = axis->base.upper = work->latch;
    }
}

static void ratchet_measure(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure) {
    iso__plane_angle_measure(plane, joint, measure);
    const iso_wide beyond = iso_wide_sub(iso__plane_joint_angle(plane, joint), joint->latch);
    measure->turned = (beyond < 0) == (joint->ratchet > 0) ? (beyond < 0 ? iso_wide_sub(0, beyond) : beyond) : 0;
}

const iso__plane_joint_kind iso__plane_kind_ratchet = {.prepare = ratchet_prepare,
                                                       .update = iso__plane_angle_update,
                                                       .measure = ratchet_measure,
                                                       .check = ratchet_check,
                                                       .start = ratchet_start,
                                                       .rows = ratchet_rows};
