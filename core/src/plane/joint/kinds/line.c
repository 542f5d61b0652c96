/// The line joint (a groove): B's anchor stays on a line through A's anchor, which A carries; and what prismatic and
/// wheel joints have of it.
///
/// With a = (xB + rB) - (xA + rA), d the axis, turned with A, and n = d turned by a quarter:
///
///   along   x = d.a     dx/dt = d.(vB + wB x rB - vA - wA x rA) + (wA x d).a = d.vB + wB (rB x d) - d.vA - wA ((rA +
///           a) x d)
///   across  x = n.a     likewise with n; held at 0
///
/// (wA x d).a = wA (d x a) = -wA (a x d), which makes A's lever rA + a: that of the point of A where B's anchor is. So
/// both are lengths of plane/joint/axis.c with exact derivatives. The way along may have limits, a motor and a spring.
#include "plane/joint/kinds/line.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/kind.h"
#include "plane/joint/measure.h"
#include "plane/joint/pair.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"

void iso__plane_line_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_joint_prepare_pair(plane, joint, work);
    iso__normalize(joint->axis[0], joint->axis[1], &work->direction[0], &work->direction[1]);
    iso__plane_axis_main(plane, joint, iso__plane_axis_add_length(plane, work));
    iso__plane_axis *across = iso__plane_axis_add_length(plane, work);
    iso__plane_axis_hold(plane, joint, across, ISO__PLANE_JOINT_ACROSS_IMPULSE, 0);
    ISO_ASSERT(work->axis_count >= 2);
}

void iso__plane_line_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->axis_count >= 2);
    int64_t lever_a[2], lever_b[2], arm_a[2], arm_b[2], apart[2], reach[2];
    iso__plane_joint_lever(scratch, work->body_a, work->local_a, work->exponent_a, lever_a, arm_a);
    iso__plane_joint_lever(scratch, work->body_b, work->local_b, work->exponent_b, lever_b, arm_b);
    for (int axis = 0; axis < 2; ++axis) {
        reach[axis] = work->start[axis] + scratch->drifts[work->body_b].moved[axis] -
                      scratch->drifts[work->body_a].moved[axis] + lever_b[axis];
        apart[axis] = reach[axis] - lever_a[axis];
        arm_a[axis] = work->exponent_a > 0 ? iso__round_shift(reach[axis], (unsigned)work->exponent_a)
                                           : iso__shl64(reach[axis], (unsigned)-work->exponent_a);
    }
    const iso_rotation q = scratch->rotations[work->body_a];
    int32_t d[2];
    iso__rotate_unit(q, work->direction, d);
    const int32_t n[2] = {-d[1], d[0]};
    iso__plane_axis_update_length(&work->axes[0], d, iso__dot_shift(d[0], apart[0], d[1], apart[1], ISO__UNIT_FRACTION),
                                  arm_a, arm_b);
    iso__plane_axis_update_length(&work->axes[1], n, iso__dot_shift(n[0], apart[0], n[1], apart[1], ISO__UNIT_FRACTION),
                                  arm_a, arm_b);
}

/// The axis in the world, between steps.
static void line_axis(const iso__plane *plane, const iso__plane_joint *joint, int32_t d[2]) {
    int32_t local[2];
    iso__normalize(joint->axis[0], joint->axis[1], &local[0], &local[1]);
    iso__rotate_unit(plane->body_derived[joint->body_a].rotation, local, d);
}

iso_wide iso__plane_line_position(const iso__plane *plane, const iso__plane_joint *joint) {
    ISO_ASSERT((iso__plane_joint_has(joint) & ISO_JOINT_HAS_AXIS) != 0);
    const iso_vec2_wide apart = iso__plane_joint_apart(plane, joint);
    int32_t d[2];
    line_axis(plane, joint, d);
    return iso__dot_shift(d[0], apart.x, d[1], apart.y, ISO__UNIT_FRACTION);
}

void iso__plane_line_measure(const iso__plane *plane, const iso__plane_joint *joint,
                             iso__plane_joint_measure *measure) {
    ISO_ASSERT((iso__plane_joint_has(joint) & ISO_JOINT_HAS_AXIS) != 0);
    const iso_vec2_wide apart = iso__plane_joint_apart(plane, joint);
    const iso_vec2_wide velocity = iso__plane_joint_velocity(plane, joint);
    const iso_wide omega_a = iso__plane_joint_omega(plane, joint->body_a);
    const iso_wide along = iso__plane_joint_force(plane, joint, iso__plane_axis_impulse(joint));
    const iso_wide across = iso__plane_joint_force(plane, joint, joint->impulse[ISO__PLANE_JOINT_ACROSS_IMPULSE]);
    int32_t d[2];
    line_axis(plane, joint, d);
    const iso_wide beside = iso__dot_shift(d[0], apart.y, -d[1], apart.x, ISO__UNIT_FRACTION);
    const iso_wide beyond = iso__plane_axis_error(joint, iso__plane_line_position(plane, joint));
    *measure = (iso__plane_joint_measure){
        .force = {iso__dot_shift(d[0], along, -d[1], across, ISO__UNIT_FRACTION),
                  iso__dot_shift(d[1], along, d[0], across, ISO__UNIT_FRACTION)},
        .error = iso_wide_hypot(beside, beyond),
        .speed = iso__dot_shift(d[0], iso_wide_add(velocity.x, iso_wide_mul(omega_a, apart.y)), d[1],
                                iso_wide_sub(velocity.y, iso_wide_mul(omega_a, apart.x)), ISO__UNIT_FRACTION),
    };
}

const iso__plane_joint_kind iso__plane_kind_line = {
    .prepare = iso__plane_line_prepare, .update = iso__plane_line_update, .measure = iso__plane_line_measure};
