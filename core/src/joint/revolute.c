/// The revolute joint: two anchor points stay together, the bodies turn freely or as an axis on their angle has it.
///
///   point  C = (xB + rB) - (xA + rA)         joint/point.c
///   axis   x = phiB - phiA, unwrapped        joint/axis.c: spring, motor, limits
#include "joint/rows.h"

static void revolute_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    iso__joint_prepare_pair(world, joint, work);
    iso__point_prepare(world, joint, work);
    iso__axis_prepare_angle(world, joint, work);
}

static void revolute_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    iso__point_update(scratch, work);
    if (work->has_axis) {
        iso__axis_update_angle(scratch, work);
    }
}

static void revolute_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    iso__point_measure(world, joint, measure);
    measure->torque = iso__joint_torque_of_impulse(
        iso__axis_impulse(joint), iso__joint_body(world, joint->body_a), iso__joint_body(world, joint->body_b),
        (int32_t)world->def.tick_rate_hz * world->def.substep_count);
}

const iso__joint_kind iso__joint_revolute = {revolute_prepare, revolute_update, revolute_measure};
