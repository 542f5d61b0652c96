/// The pulley: a rope from A to B and one from C to D that share their length, r to one.
///
///   x = |a| + r |c|,  a = (xB + rB) - (xA + rA),  c = (xD + rD) - (xC + rC)
///   dx/dt = n.(vB + wB x rB - vA - wA x rA) + r m.(vD + wD x rD - vC - wC x rC),  n = a / |a|,  m = c / |c|
///   sigma = 1/mA + 1/mB + r^2 (1/mC + 1/mD)
///   K     = 1 + the arms' part of each body, when the four are different
///
/// Without limit and spring x is held at `rest`; with limits it stays between them, with a spring it is soft. B and C
/// may be one body, and A and D: the terms of one body are summed before they are squared, which gives the reduced
/// effective mass of pulleys of three and of two bodies by itself. sigma stays as it is: it is only the unit of j.
///
/// The part of a body in K is (d.d) (1/m)/sigma + g p with its summed direction d. A pulley whose bodies' parts cancel
/// (both ropes along one line between the same bodies, r = 1) has nothing to push with: below 2^-20 its row rests.
///
/// Where two anchors meet, a rope has no direction and keeps the last one, as a distance joint does.
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"

#define LENGTH_MIN (INT64_C(1) << 12) // [m] Q31.32: a micrometre

static void pulley_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__plane_joint_prepare_rope(plane, joint, work);
    iso__plane_axis_main(plane, joint, iso__plane_axis_add_terms(plane, joint, work));
}

/// One rope: its length, its direction, which stays when its ends meet, and what it is to the two bodies.
static int64_t pulley_rope(const int64_t apart[2], const int64_t arm_a[2], const int64_t arm_b[2], int32_t direction[2],
                           iso__plane_axis_part *a, iso__plane_axis_part *b) {
    int32_t unit[2];
    const int64_t length = iso__normalize(apart[0], apart[1], &unit[0], &unit[1]);
    if (length >= LENGTH_MIN) {
        direction[0] = unit[0];
        direction[1] = unit[1];
    }
    for (int axis = 0; axis < 2; ++axis) {
        a->direction[axis] = -(int64_t)direction[axis] * 4; // Q2.30 to Q31.32
        b->direction[axis] = (int64_t)direction[axis] * 4;
    }
    a->arm = iso__dot_shift(-arm_a[0], direction[1], arm_a[1], direction[0], ISO__UNIT_FRACTION);
    b->arm = iso__dot_shift(arm_b[0], direction[1], -arm_b[1], direction[0], ISO__UNIT_FRACTION);
    return length;
}

static void pulley_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    const iso__plane_joint_rope *rope = &work->rope;
    const iso__plane_drift *a = &scratch->drifts[work->body_a], *b = &scratch->drifts[work->body_b];
    const iso__plane_drift *c = &scratch->drifts[work->body_c], *d = &scratch->drifts[work->body_d];
    int64_t levers[4][2], arms[4][2], ab[2], cd[2];
    iso__plane_axis_part parts[4];
    iso__plane_joint_lever(scratch, work->body_a, work->local_a, work->exponent_a, levers[0], arms[0]);
    iso__plane_joint_lever(scratch, work->body_b, work->local_b, work->exponent_b, levers[1], arms[1]);
    iso__plane_joint_lever(scratch, work->body_c, rope->local_c, rope->exponent_c, levers[2], arms[2]);
    iso__plane_joint_lever(scratch, work->body_d, rope->local_d, rope->exponent_d, levers[3], arms[3]);
    for (int axis = 0; axis < 2; ++axis) {
        ab[axis] = work->start[axis] + b->moved[axis] - a->moved[axis] + levers[1][axis] - levers[0][axis];
        cd[axis] = rope->start[axis] + d->moved[axis] - c->moved[axis] + levers[3][axis] - levers[2][axis];
    }
    iso__plane_axis *axis = &work->axes[0];
    const int64_t of_ab = pulley_rope(ab, arms[0], arms[1], work->direction, &parts[0], &parts[1]);
    const int64_t of_cd = pulley_rope(cd, arms[2], arms[3], work->rope.direction, &parts[2], &parts[3]);
    for (int i = 2; i < 4; ++i) {
        parts[i].direction[0] = iso_wide_mul(parts[i].direction[0], axis->ratio);
        parts[i].direction[1] = iso_wide_mul(parts[i].direction[1], axis->ratio);
        parts[i].arm = iso_wide_mul(parts[i].arm, axis->ratio);
    }
    iso__plane_axis_update_terms(axis, iso_wide_add(of_ab, iso_wide_mul(axis->ratio, of_cd)), parts);
    work->clamps += iso__plane_axis_cuts(axis);
}

static void pulley_measure(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure) {
    iso__plane_joint cd = *joint;
    cd.body_a = joint->body_c;
    cd.body_b = joint->body_d;
    __builtin_memcpy(cd.anchor_a, joint->anchor_c, sizeof cd.anchor_a);
    __builtin_memcpy(cd.anchor_b, joint->anchor_d, sizeof cd.anchor_b);
    const int64_t ratio = iso__plane_joint_ratio(joint);
    const iso_vec2_wide ab = iso__plane_joint_apart(plane, joint), v_ab = iso__plane_joint_velocity(plane, joint);
    const iso_vec2_wide of_cd = iso__plane_joint_apart(plane, &cd), v_cd = iso__plane_joint_velocity(plane, &cd);
    const iso_wide force = iso__plane_joint_force(plane, joint, iso__plane_axis_impulse(joint));
    const int32_t *n = joint->direction, *m = joint->direction_cd;
    const iso_wide x = iso_wide_add(iso_wide_hypot(ab.x, ab.y), iso_wide_mul(ratio, iso_wide_hypot(of_cd.x, of_cd.y)));
    *measure = (iso__plane_joint_measure){
        .force = {iso__mul_shift(force, n[0], ISO__UNIT_FRACTION), iso__mul_shift(force, n[1], ISO__UNIT_FRACTION)},
        .error = iso__plane_axis_error(joint, x),
        .speed = iso_wide_add(iso__dot_shift(v_ab.x, n[0], v_ab.y, n[1], ISO__UNIT_FRACTION),
                              iso_wide_mul(ratio, iso__dot_shift(v_cd.x, m[0], v_cd.y, m[1], ISO__UNIT_FRACTION))),
    };
}

const iso__plane_joint_kind iso__plane_kind_pulley = {
    .prepare = pulley_prepare, .update = pulley_update, .measure = pulley_measure};
