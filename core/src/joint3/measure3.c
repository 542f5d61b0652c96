/// See measure3.h.
#include "joint3/measure3.h"

#include "base/assert.h"
#include "joint3/axis3.h"
#include "joint3/block3.h"
#include "joint3/custom3.h"
#include "joint3/joint3_prepare.h"
#include "world3/joint_mass3.h"
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "world3/body3_mass.h"

/// The rows of a joint at the bodies' present poses, every axis computed.
static void measure_work(const iso__space *space, uint32_t index, iso__joint3_work *work, iso__custom3_work *custom) {
    const iso__joint3 *joint = &space->joints[index];
    const uint32_t a = joint->body_a == ISO__WORLD_BODY ? space->world.def.body_capacity : joint->body_a;
    iso__drift3 drift_a, drift_b;
    iso__joint3_rest_at(space, a, &drift_a);
    iso__joint3_rest_at(space, joint->body_b, &drift_b);
    iso__joint3_begin(space, index, work, custom);
    work->has_axes = true;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        work->axis[n].rows |= 1u << ISO__AXIS3_MEASURED;
    }
    iso__joint3_arrive(work, &drift_a, &drift_b);
}

static int64_t measure_row_sum(const iso__axis3 *axis) {
    return axis->impulse[0] + axis->impulse[1] + axis->impulse[2] + axis->impulse[3];
}

/// How far [m] or [rad] a DISTANCE, GEAR or RACK is from what it holds or beyond a limit.
static iso_wide measure_length(const iso__axis3 *axis) {
    if ((axis->rows & 1u << ISO__AXIS3_LOWER) != 0) {
        return iso__max64(0, iso__max64(axis->lower - axis->arrived, axis->arrived - axis->upper));
    }
    const iso_wide error = axis->arrived - axis->rest;
    return axis->is_soft || (axis->rows & 1u << ISO__AXIS3_HOLD) == 0 ? 0 : error < 0 ? -error : error;
}

/// The torque [N m] on B of a GEAR, r a_B M, or of a RACK, -r a_B F.
static iso_vec3_wide measure_rolling(const iso__axis3 *axis, const iso__joint3 *joint, const iso__body3_derived *a,
                                     const iso__body3_derived *b, int32_t rate) {
    const int64_t j = measure_row_sum(axis);
    const iso_wide most = axis->is_angle ? iso__joint3_torque_of(j, a, b, iso__joint3_ratio(joint), rate)
                                         : iso__joint3_force_of(j, a, b, rate);
    return (iso_vec3_wide){iso_wide_mul(axis->rate[0], most), iso_wide_mul(axis->rate[1], most),
                           iso_wide_mul(axis->rate[2], most)};
}

void iso__joint3_measure_make(const iso__space *space, uint32_t joint, iso__joint3_measure *measure) {
    ISO_ASSERT(joint < space->world.globals->joint_count && space->joints[joint].kind != 0);
    iso__joint3_work work;
    iso__custom3_work custom;
    measure_work(space, joint, &work, &custom);
    if (work.custom != NULL) {
        iso__custom3_measure(space, &work, measure);
        return;
    }
    int64_t P[3], T[3];
    iso__block3_impulse(&work.linear, work.linear.impulse, P);
    iso__block3_impulse(&work.angular, work.angular.impulse, T);
    const bool is_rolling = work.kind == ISO_JOINT3_GEAR || work.kind == ISO_JOINT3_RACK;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso__axis3 *axis = &work.axis[n];
        const int64_t j = is_rolling && axis->is_angle ? 0 : measure_row_sum(axis);
        for (int i = 0; i < 3; ++i) {
            P[i] += axis->is_angle ? 0 : iso__mul_shift(axis->direction[i], j, ISO__UNIT_FRACTION);
            T[i] += axis->is_angle ? iso__mul_shift(axis->rate[i], j, ISO__WIDE_FRACTION) : 0;
        }
    }
    const iso__body3_derived *a = iso__joint3_body_of(space, work.a.body), *b = iso__joint3_body_of(space, work.b.body);
    const int32_t rate = space->scratch->params.substep_rate;
    measure->force = (iso_vec3_wide){iso__joint3_force_of(P[0], a, b, rate), iso__joint3_force_of(P[1], a, b, rate),
                                     iso__joint3_force_of(P[2], a, b, rate)};
    measure->torque = (iso_vec3_wide){iso__joint3_torque_of(T[0], a, b, ISO_WIDE_ONE, rate),
                                      iso__joint3_torque_of(T[1], a, b, ISO_WIDE_ONE, rate),
                                      iso__joint3_torque_of(T[2], a, b, ISO_WIDE_ONE, rate)};
    if (is_rolling) {
        measure->torque = measure_rolling(&work.axis[0], &space->joints[joint], a, b, rate);
    }
    measure->separation = work.kind == ISO_JOINT3_DISTANCE || work.kind == ISO_JOINT3_RACK
                              ? measure_length(&work.axis[0])
                              : iso__length3(work.linear.arrived);
    measure->angle_error =
        work.kind == ISO_JOINT3_GEAR ? measure_length(&work.axis[0]) : iso__length3(work.angular.arrived);
}

static void measure_motion(const iso__space *space, uint32_t body, iso__motion3 *motion) {
    *motion = (iso__motion3){0};
    if (body >= space->world.def.body_capacity) {
        return;
    }
    iso__body3_spin(&space->bodies[body], &space->body_derived[body], motion->spin);
    for (int axis = 0; axis < 3; ++axis) {
        motion->velocity[axis] = space->bodies[body].velocity[axis];
    }
}

void iso__joint3_measure_axis(const iso__space *space, uint32_t joint, uint32_t n, iso_wide *value, iso_wide *speed) {
    ISO_ASSERT(joint < space->world.globals->joint_count && n < ISO_JOINT3_AXES);
    iso__joint3_work work;
    iso__motion3 a, b;
    measure_work(space, joint, &work, NULL); // what has an axis is of another kind
    measure_motion(space, work.a.body, &a);
    measure_motion(space, work.b.body, &b);
    *value = work.axis[n].arrived;
    *speed = iso__axis3_speed(&a, &b, &work.axis[n]);
}
