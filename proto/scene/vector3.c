/// Triples and rotations of a scene in space.
#include "scene/internal.h"

iso_vec3_wide iso__scene_vec3_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    iso_wide numbers[3];
    iso__scene_numbers(reader, node, range, 3, numbers);
    return (iso_vec3_wide){numbers[0], numbers[1], numbers[2]};
}

iso_vec3_wide iso__scene_vec3_wide_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                                      iso__scene_range range) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_vec3_wide(reader, &node, range) : (iso_vec3_wide){0, 0, 0};
}

iso_vec3 iso__scene_vec3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    return iso_vec3_from_wide(iso__scene_vec3_wide(reader, node, range));
}

iso_vec3 iso__scene_vec3_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range) {
    return iso_vec3_from_wide(iso__scene_vec3_wide_or(reader, object, key, range));
}

// ---- rotations -----------------------------------------------------------------------------------

/// Brings the largest of some numbers to 2^29 to 2^30, so that a direction keeps 30 bits if so many were read. Those of
/// a unit quaternion, of which the largest is at least a half, so become Q2.30 without a change of its length.
/// @return false: all are zero
static bool direction_scale(const iso_wide *numbers, size_t count, int32_t *scaled) {
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t size = (uint64_t)(numbers[i] < 0 ? -numbers[i] : numbers[i]);
        largest = size > largest ? size : largest;
    }
    if (largest == 0) {
        return false;
    }
    int shift = 2; // from Q31.32
    if (largest < UINT64_C(1) << 31 || largest > UINT64_C(1) << 32) {
        shift = -29;
        while (largest >> 1 != 0) {
            largest >>= 1;
            ++shift;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        // At most 2^47, and below 2^30 where they are made larger.
        scaled[i] = (int32_t)(shift > 0 ? ((numbers[i] >> (shift - 1)) + 1) >> 1 : numbers[i] * (INT64_C(1) << -shift));
    }
    return true;
}

static iso_quat read_quaternion(iso__scene_reader *reader, const iso__scene_node *node) {
    iso_wide numbers[4];
    int32_t q[4];
    iso__scene_numbers(reader, node, ISO__SCENE_VALUE_RANGE, 4, numbers);
    if (!direction_scale(numbers, 4, q)) {
        iso__scene_invalid(reader, node, "x, y, z and w, of which one is not 0 (rounded to 2^-32)");
        return iso_quat_identity();
    }
    return iso_quat_normalize((iso_quat){q[0], q[1], q[2], q[3]});
}

iso_vec3 iso__scene_direction(iso__scene_reader *reader, const iso__scene_node *node) {
    iso_wide numbers[3];
    int32_t n[3] = {ISO_ROTATION_ONE, 0, 0};
    iso__scene_numbers(reader, node, ISO__SCENE_VALUE_RANGE, 3, numbers);
    if (!direction_scale(numbers, 3, n)) {
        iso__scene_invalid(reader, node, "a direction with a component that is not 0 (rounded to 2^-32)");
    }
    return (iso_vec3){n[0], n[1], n[2]};
}

iso_quat iso__scene_rotation(iso__scene_reader *reader, const iso__scene_node *object) {
    const iso__scene_node node = iso__scene_member(object, "rotation");
    if (!node.is_present || !iso__scene_object(reader, &node, "axis angle quaternion")) {
        return iso_quat_identity();
    }
    const iso__scene_node axis = iso__scene_member(&node, "axis");
    const iso__scene_node angle = iso__scene_member(&node, "angle");
    const iso__scene_node quaternion = iso__scene_member(&node, "quaternion");
    if (quaternion.is_present) {
        if (axis.is_present || angle.is_present) {
            iso__scene_invalid(reader, axis.is_present ? &axis : &angle, "nothing: the rotation is a quaternion");
        }
        return read_quaternion(reader, &quaternion);
    }
    const iso_vec3 direction = iso__scene_direction(reader, &axis);
    return iso_quat_from_axis_angle(direction, iso__scene_wide(reader, &angle, ISO__SCENE_VALUE_RANGE));
}
