/// The public functions that read a joint in space.
#include "isostep/joint3.h"
#include "space/joint/joint.h"
#include "space/joint/measure.h"
#include "space/world/space.h"

static iso_status get_measure(const iso_world *world, iso_joint_id joint, iso__space_joint_measure *measure) {
    const iso_status status = iso__space_joint_find(world, joint);
    if (status == ISO_OK) {
        iso__space_joint_measure_make(iso__space_of_const(world), joint.index, measure);
    }
    return status;
}

iso_status iso_joint3_get_force(const iso_world *world, iso_joint_id joint, iso_vec3_wide *force) {
    iso__space_joint_measure measure;
    const iso_status status = get_measure(world, joint, &measure);
    if (status == ISO_OK) {
        *force = measure.force;
    }
    return status;
}

iso_status iso_joint3_get_torque(const iso_world *world, iso_joint_id joint, iso_vec3_wide *torque) {
    iso__space_joint_measure measure;
    const iso_status status = get_measure(world, joint, &measure);
    if (status == ISO_OK) {
        *torque = measure.torque;
    }
    return status;
}

iso_status iso_joint3_get_separation(const iso_world *world, iso_joint_id joint, iso_wide *separation) {
    iso__space_joint_measure measure;
    const iso_status status = get_measure(world, joint, &measure);
    if (status == ISO_OK) {
        *separation = measure.separation;
    }
    return status;
}

iso_status iso_joint3_get_angle_error(const iso_world *world, iso_joint_id joint, iso_wide *error) {
    iso__space_joint_measure measure;
    const iso_status status = get_measure(world, joint, &measure);
    if (status == ISO_OK) {
        *error = measure.angle_error;
    }
    return status;
}

static iso_status get_axis(const iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *value,
                           iso_wide *speed) {
    const iso_status status = iso__space_joint_find(world, joint);
    if (status != ISO_OK) {
        return status;
    }
    const iso__space *space = iso__space_of_const(world);
    if (iso_joint3_axis_of(space->joints[joint.index].kind, axis) == ISO_JOINT3_AXIS_NONE) {
        return ISO_ERR_WRONG_TYPE;
    }
    iso__space_joint_measure_axis(space, joint.index, axis, value, speed);
    return ISO_OK;
}

iso_status iso_joint3_get_axis(const iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *value) {
    iso_wide speed;
    return get_axis(world, joint, axis, value, &speed);
}

iso_status iso_joint3_get_axis_speed(const iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *speed) {
    iso_wide value;
    return get_axis(world, joint, axis, &value, speed);
}

iso_status iso_joint3_get_axis_speed_max(const iso_world *world, iso_joint_id joint, uint32_t axis, iso_wide *speed) {
    iso_joint3_def def;
    const iso_status status = iso_joint3_get(world, joint, &def);
    if (status != ISO_OK || iso_joint3_axis_of(def.kind, axis) == ISO_JOINT3_AXIS_NONE) {
        return status != ISO_OK ? status : ISO_ERR_WRONG_TYPE;
    }
    *speed = iso__space_joint_speed_max(world, &def, axis);
    return ISO_OK;
}
