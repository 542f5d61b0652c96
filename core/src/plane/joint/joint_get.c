/// The public functions that read a joint.
#include "isostep/joint.h"

#include "plane/joint/joint.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/line.h"
#include "plane/joint/measure.h"
#include "plane/joint/work.h"

static iso_status measure_joint(const iso__plane *plane, iso_joint_id joint, iso__plane_joint_measure *measure) {
    if (!iso__joint_is_alive(&plane->world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_joint *record = &plane->joints[joint.index];
    iso__plane_joint_kind_of(record->kind)->measure(plane, record, measure);
    return ISO_OK;
}

iso_status iso_joint_get_force(const iso_world *world, iso_joint_id joint, iso_vec2_wide *force) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso__plane_joint_measure measure;
    const iso_status status = measure_joint(plane, joint, &measure);
    if (status == ISO_OK) {
        *force = measure.force;
    }
    return status;
}

iso_status iso_joint_get_torque(const iso_world *world, iso_joint_id joint, iso_wide *torque) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso__plane_joint_measure measure;
    const iso_status status = measure_joint(plane, joint, &measure);
    if (status == ISO_OK) {
        *torque = measure.torque;
    }
    return status;
}

iso_status iso_joint_get_speed(const iso_world *world, iso_joint_id joint, iso_wide *speed) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso__plane_joint_measure measure;
    const iso_status status = measure_joint(plane, joint, &measure);
    if (status == ISO_OK) {
        *speed = measure.speed;
    }
    return status;
}

iso_status iso_joint_get_speed_max(const iso_world *world, iso_joint_id joint, iso_wide *speed) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso_joint_def def;
    const iso_status status = iso_joint_get(world, joint, &def);
    if (status == ISO_OK) {
        *speed = iso__plane_joint_speed_max(plane, &def);
    }
    return status;
}

iso_status iso_joint_get_separation(const iso_world *world, iso_joint_id joint, iso_wide *separation) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso__plane_joint_measure measure;
    const iso_status status = measure_joint(plane, joint, &measure);
    if (status == ISO_OK) {
        *separation = measure.error;
    }
    return status;
}

iso_status iso_joint_get_angle_error(const iso_world *world, iso_joint_id joint, iso_wide *error) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    iso__plane_joint_measure measure;
    const iso_status status = measure_joint(plane, joint, &measure);
    if (status == ISO_OK) {
        *error = measure.turned;
    }
    return status;
}

iso_status iso_joint_get_angle(const iso_world *world, iso_joint_id joint, iso_wide *angle) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    *angle = iso__plane_joint_angle(plane, &plane->joints[joint.index]);
    return ISO_OK;
}

iso_status iso_joint_get_length(const iso_world *world, iso_joint_id joint, iso_wide *length) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_joint *record = &plane->joints[joint.index];
    const iso_vec2_wide apart = iso__plane_joint_apart(plane, record);
    const bool has_axis = (iso_joint_kind_has(record->kind) & ISO_JOINT_HAS_AXIS) != 0;
    *length = has_axis ? iso__plane_line_position(plane, record) : iso_wide_hypot(apart.x, apart.y);
    return ISO_OK;
}
