/// See joint_prepare.h.
#include "space/joint/joint_prepare.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "space/joint/axis.h"
#include "space/joint/block.h"
#include "space/joint/custom.h"
#include "space/joint/kind.h"
#include "space/joint/place.h"
#include "space/world/joint_mass.h"

void iso__space_joint_rest_at(const iso__space *space, uint32_t body, iso__space_drift *drift) {
    ISO_ASSERT(body <= space->world.def.body_capacity);
    *drift = (iso__space_drift){.q = {0, 0, 0, ISO__UNIT_ONE}};
    if (body < space->world.def.body_capacity) {
        iso__quat_mul(space->bodies[body].rotation, space->body_derived[body].frame, drift->q);
        iso__quat_renormalise(drift->q);
    }
    iso__quat_matrix(drift->q, drift->axes);
}

static bool prepare_can_break(const iso__space_joint *joint) {
    return (joint->break_force | joint->break_torque | joint->break_error | joint->break_angle) != 0;
}

void iso__space_joint_arrive(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b) {
    ISO_VALIDATE_ASSERT(work->a.body != work->b.body);
    iso__space_joint_place(work, a, b);
    const iso__space_joint_kind *kind = iso__space_joint_kind_of(work->kind);
    if (kind->arrive != NULL) {
        kind->arrive(work, a, b);
    } else {
        kind->update(work);
    }
}

void iso__space_joint_begin(const iso__space *space, uint32_t index, iso__space_joint_work *work,
                            iso__space_custom_work *custom) {
    ISO_ASSERT(index < space->world.globals->joint_count);
    const iso__space_joint *joint = &space->joints[index];
    const uint32_t has = iso__space_joint_has(joint);
    *work = (iso__space_joint_work){
        .joint = index,
        .kind = joint->kind,
        .is_on_line = (has & (ISO_JOINT3_HAS_LINE | ISO_JOINT3_IS_BRAKE)) != 0,
        .can_break = prepare_can_break(joint),
        .axes_angle = iso_wide_from_fix16(joint->axes_angle),
        .ratio = iso_wide_from_fix16(joint->ratio),
    };
    if (iso_joint3_kind_is_custom(joint->kind)) {
        iso__space_custom_begin(space, joint, work, custom);
        return;
    }
    iso__space_joint_meet(space, joint, work);
    const iso__space_body_derived *of_a = iso__space_joint_body_of(space, work->a.body);
    const iso__space_body_derived *of_b = iso__space_joint_body_of(space, work->b.body);
    const int64_t h = space->scratch->params.h;
    iso__space_block_prepare(space, joint, iso__space_joint_linear_rows(joint->kind),
                             iso__space_joint_impulse_of_force(joint->force_max, of_a, of_b, h),
                             &joint->impulse[ISO__SPACE_JOINT_LINEAR_IMPULSE], &work->linear);
    iso__space_block_prepare(space, joint, iso__space_joint_angular_rows(joint->kind),
                             iso__space_joint_impulse_of_torque(joint->torque_max, of_a, of_b, ISO_WIDE_ONE, h),
                             &joint->impulse[ISO__SPACE_JOINT_ANGULAR_IMPULSE], &work->angular);
    if ((has & ISO_JOINT3_IS_BRAKE) != 0) {
        iso__space_block_brake(&work->linear);
        iso__space_block_brake(&work->angular);
    }
    uint32_t any_rows = 0;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        iso__space_axis_prepare(space, joint, n, &work->axis[n]);
        any_rows |= work->axis[n].rows;
    }
    work->has_axes = any_rows != 0 || (has & ISO_JOINT3_HAS_FRAMES) != 0;
}
