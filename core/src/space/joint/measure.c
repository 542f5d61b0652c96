/// See measure.h.
#include "space/joint/measure.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "space/joint/axis.h"
#include "space/joint/block.h"
#include "space/joint/custom.h"
#include "space/joint/joint_prepare.h"
#include "space/world/body_mass.h"
#include "space/world/joint_mass.h"

/// The rows of a joint at the bodies' present poses, every axis computed.
static void measure_work(const iso__space *space, uint32_t index, iso__space_joint_work *work,
                         iso__space_custom_work *custom) {
    const iso__space_joint *joint = &space->joints[index];
    const uint32_t a = joint->body_a == ISO__WORLD_BODY ? space->world.def.body_capacity : joint->body_a;
    iso__space_drift drift_a, drift_b;
    iso__space_joint_rest_at(space, a, &drift_a);
    iso__space_joint_rest_at(space, joint->body_b, &drift_b);
    iso__space_joint_begin(space, index, work, custom);
    work->has_axes = true;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        work->axis[n].rows |= 1u << ISO__SPACE_AXIS_MEASURED;
    }
    iso__space_joint_arrive(work, &drift_a, &drift_b);
}

static int64_t measure_row_sum(const iso__space_axis *axis) {
    return axis->impulse[0] + axis->impulse[1] + axis->impulse[2] + axis->impulse[3];
}

/// How far [m] or [rad] an axis that is held at its rest is from it or beyond a limit.
static iso_wide measure_held(const iso__space_axis *axis) {
    if ((axis->rows & 1u << ISO__SPACE_AXIS_LOWER) != 0) {
        return iso__max64(0, iso__max64(axis->lower - axis->arrived, axis->arrived - axis->upper));
    }
    const iso_wide error = axis->arrived - axis->rest;
    return axis->is_soft || (axis->rows & 1u << ISO__SPACE_AXIS_HOLD) == 0 ? 0 : error < 0 ? -error : error;
}

/// The torque [N m] on B of a GEAR, r a_B M, or of a RACK, -r a_B F.
static iso_vec3_wide measure_rolling(const iso__space_axis *axis, const iso__space_joint *joint,
                                     const iso__space_body_derived *a, const iso__space_body_derived *b, int32_t rate) {
    const int64_t j = measure_row_sum(axis);
    const iso_wide most = axis->is_angle ? iso__space_joint_torque_of(j, a, b, iso__space_joint_ratio(joint), rate)
                                         : iso__space_joint_force_of(j, a, b, rate);
    return (iso_vec3_wide){iso_wide_mul(axis->rate[0], most), iso_wide_mul(axis->rate[1], most),
                           iso_wide_mul(axis->rate[2], most)};
}

void iso__space_joint_measure_make(const iso__space *space, uint32_t joint, iso__space_joint_measure *measure) {
    ISO_ASSERT(joint < space->world.globals->joint_count && space->joints[joint].kind != 0);
    iso__space_joint_work work;
    iso__space_custom_work custom;
    measure_work(space, joint, &work, &custom);
    if (work.custom != NULL) {
        iso__space_custom_measure(space, &work, measure);
        return;
    }
    int64_t P[3], T[3];
    iso__space_block_impulse(&work.linear, work.linear.impulse, P);
    iso__space_block_impulse(&work.angular, work.angular.impulse, T);
    const uint32_t has = iso__space_joint_has(&space->joints[joint]);
    const bool is_held = (has & ISO_JOINT3_IS_HELD) != 0, is_rolling = (has & ISO_JOINT3_COUNTS_TURNS) != 0;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso__space_axis *axis = &work.axis[n];
        const int64_t j = is_rolling && axis->is_angle ? 0 : measure_row_sum(axis);
        for (int i = 0; i < 3; ++i) {
            P[i] += axis->is_angle ? 0 : iso__mul_shift(axis->direction[i], j, ISO__UNIT_FRACTION);
            T[i] += axis->is_angle ? iso__mul_shift(axis->rate[i], j, ISO__WIDE_FRACTION) : 0;
        }
    }
    const iso__space_body_derived *a = iso__space_joint_body_of(space, work.a.body),
                                  *b = iso__space_joint_body_of(space, work.b.body);
    const int32_t rate = space->scratch->params.substep_rate;
    measure->force =
        (iso_vec3_wide){iso__space_joint_force_of(P[0], a, b, rate), iso__space_joint_force_of(P[1], a, b, rate),
                        iso__space_joint_force_of(P[2], a, b, rate)};
    measure->torque = (iso_vec3_wide){iso__space_joint_torque_of(T[0], a, b, ISO_WIDE_ONE, rate),
                                      iso__space_joint_torque_of(T[1], a, b, ISO_WIDE_ONE, rate),
                                      iso__space_joint_torque_of(T[2], a, b, ISO_WIDE_ONE, rate)};
    if (is_rolling) {
        measure->torque = measure_rolling(&work.axis[0], &space->joints[joint], a, b, rate);
    }
    const bool is_angle = work.axis[0].is_angle;
    measure->separation = is_held && !is_angle ? measure_held(&work.axis[0]) : iso__length3(work.linear.arrived);
    measure->angle_error = is_held && is_angle ? measure_held(&work.axis[0]) : iso__length3(work.angular.arrived);
}

static void measure_motion(const iso__space *space, uint32_t body, iso__space_motion *motion) {
    *motion = (iso__space_motion){0};
    if (body >= space->world.def.body_capacity) {
        return;
    }
    iso__space_body_spin(&space->bodies[body], &space->body_derived[body], motion->spin);
    for (int axis = 0; axis < 3; ++axis) {
        motion->velocity[axis] = space->bodies[body].velocity[axis];
    }
}

void iso__space_joint_measure_axis(const iso__space *space, uint32_t joint, uint32_t n, iso_wide *value,
                                   iso_wide *speed) {
    ISO_ASSERT(joint < space->world.globals->joint_count && n < ISO_JOINT3_AXES);
    iso__space_joint_work work;
    iso__space_motion a, b;
    measure_work(space, joint, &work, NULL); // what has an axis is of another kind
    measure_motion(space, work.a.body, &a);
    measure_motion(space, work.b.body, &b);
    *value = work.axis[n].arrived;
    *speed = iso__space_axis_speed(&a, &b, &work.axis[n]);
}
