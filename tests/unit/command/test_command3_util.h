/// Random definitions of bodies, shapes and joints in space, for tests of commands and of the codec. Each of them is
/// valid.
#ifndef TEST_COMMAND3_UTIL_H
#define TEST_COMMAND3_UTIL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isostep/command.h"
#include "unit/random.h"

/// From low to high, both included.
static inline int64_t random3_within(uint64_t *state, int64_t low, int64_t high) {
    return (int64_t)((uint64_t)low + random_u64(state) % ((uint64_t)high - (uint64_t)low + 1));
}

static inline fix16_t random3_fix(uint64_t *state, fix16_t most) {
    return (fix16_t)random3_within(state, -most, most);
}

static inline iso_vec3 random3_vec(uint64_t *state, fix16_t most) {
    const fix16_t x = random3_fix(state, most), y = random3_fix(state, most);
    return (iso_vec3){x, y, random3_fix(state, most)};
}

static inline iso_vec3_wide random3_vec_wide(uint64_t *state, int64_t most_whole) {
    const int64_t most = most_whole * ISO_WIDE_ONE;
    const iso_wide x = random3_within(state, -most, most), y = random3_within(state, -most, most);
    return (iso_vec3_wide){x, y, random3_within(state, -most, most)};
}

/// In its one form; every fourth has components that are zero.
static inline iso_quat random3_quat(uint64_t *state) {
    double q[4], sum = 0;
    const uint64_t zeros = random_u64(state) % 4 == 0 ? random_u64(state) % 15 : 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = (zeros >> i & 1) != 0 ? 0 : (double)random3_within(state, -1000000, 1000000) + 0.5;
        sum += q[i] * q[i];
    }
    const double first = q[3] != 0 ? q[3] : q[0] != 0 ? q[0] : q[1] != 0 ? q[1] : q[2];
    const double scale = (first < 0 ? -1.0 : 1.0) * 1073741824.0 / sqrt(sum);
    iso_quat result = {(int32_t)lrint(q[0] * scale), (int32_t)lrint(q[1] * scale), (int32_t)lrint(q[2] * scale),
                       (int32_t)lrint(q[3] * scale)};
    return result.w == 0 && q[3] != 0 ? iso_quat_identity() : result; // a first component that became zero
}

static inline iso_body3_params random3_body_params(uint64_t *s) {
    iso_body3_params params;
#define RANDOM3_NUMBER(name, low, high, otherwise) params.name = (fix16_t)random3_within(s, (low)*65536, (high)*65536);
#define RANDOM3_SWITCH(name, bit, key)             params.name = random_u64(s) % 2 == 0;
    ISO_BODY3_NUMBER_LIST(RANDOM3_NUMBER)
    ISO_BODY3_SWITCH_LIST(RANDOM3_SWITCH)
#undef RANDOM3_NUMBER
#undef RANDOM3_SWITCH
    return params;
}

static inline iso_body3_def random3_body_def(uint64_t *state) {
    iso_body3_def def = iso_body3_def_default();
    def.type = (uint8_t)random3_within(state, ISO_BODY_STATIC, ISO_BODY_DYNAMIC);
    def.position = random3_vec_wide(state, ISO_POSITION_MAX_M);
    def.rotation = random3_quat(state);
    def.velocity = random3_vec_wide(state, ISO_SPEED3_MAX_M_S);
    def.angular_velocity = random3_vec_wide(state, 230); // 400 / sqrt(3)
    def.tag = (uint32_t)random_u64(state);
    return def;
}

static inline iso_shape3_def random3_shape_def(uint64_t *state) {
    const fix16_t metre = ISO_FIX16_ONE;
    iso_vec3 corners[ISO_HULL_VERTICES_MAX];
    for (uint32_t i = 0; i < ISO_HULL_VERTICES_MAX; ++i) {
        corners[i] = random3_vec(state, 30 * metre);
    }
    const fix16_t size = (fix16_t)random3_within(state, 66, 10 * metre);
    iso_shape3_def def;
    switch (random_u64(state) % 5) {
    case 0:
        def = iso_shape3_def_sphere(size);
        def.points[0] = random3_vec(state, 20 * metre);
        break;
    case 1:
        def = iso_shape3_def_capsule(corners[0], (iso_vec3){corners[0].x, corners[0].y + 66, corners[0].z},
                                     size / 2 + 33);
        def.radius = def.radius < 66 ? 66 : def.radius > metre ? metre : def.radius;
        break;
    case 2:
        def = iso_shape3_def_box(size, (fix16_t)random3_within(state, 66, metre), size);
        def.points[0] = random3_vec(state, 20 * metre);
        def.rotation = random3_quat(state);
        break;
    case 3:
        def = iso_shape3_def_hull(corners, (uint32_t)random3_within(state, 4, ISO_HULL_VERTICES_MAX));
        break;
    default:
        def = iso_shape3_def_plane((iso_vec3){random3_fix(state, INT32_MAX), 1, INT32_MIN},
                                   random3_fix(state, 60 * metre));
        break;
    }
    def.density = (fix16_t)random3_within(state, 0, INT32_MAX);
    def.friction = (fix16_t)random3_within(state, 0, 517734);
    def.restitution = (fix16_t)random3_within(state, 0, metre);
    def.is_sensor = random_u64(state) % 2 == 0;
    def.filter = (iso_filter){(uint32_t)random_u64(state), (uint32_t)random_u64(state), random3_fix(state, INT32_MAX)};
    def.tag = (uint32_t)random_u64(state);
    return def;
}

static inline iso_joint3_axis random3_joint_axis(uint64_t *s, iso_joint3_axis_kind kind) {
    iso_joint3_axis axis;
    memset(&axis, 0, sizeof axis);
#define RANDOM3_FIX16(low, high)              (fix16_t) random3_within(s, (low)*65536, (high)*65536)
#define RANDOM3_WIDE(low, high)               random3_within(s, (low)*ISO_WIDE_ONE, (high)*ISO_WIDE_ONE)
#define RANDOM3_NUMBER(type, name, low, high) axis.name = RANDOM3_##type(low, high);
#define RANDOM3_SWITCH(name, bit)             axis.name = kind != ISO_JOINT3_AXIS_NONE && random_u64(s) % 2 == 0;
    ISO_JOINT3_AXIS_NUMBER_LIST(RANDOM3_NUMBER)
    ISO_JOINT3_AXIS_SWITCH_LIST(RANDOM3_SWITCH)
#undef RANDOM3_NUMBER
#undef RANDOM3_SWITCH
    axis.rest = axis.rest < 0 ? -axis.rest : axis.rest; // as of a length
    axis.lower = (fix16_t)random3_within(s, 0, 3 * 65536 / 2);
    axis.upper = axis.lower + (fix16_t)random3_within(s, 0, 65536);
    return axis;
}

static inline iso_joint3_def random3_joint_def(uint64_t *s) {
#define RANDOM3_KIND(name, number, snake, linear, angular, axis0, axis1, axis2, has) (number),
    static const uint8_t kinds[] = {ISO_JOINT3_KIND_LIST(RANDOM3_KIND) ISO_JOINT3_CUSTOM_LIST(RANDOM3_KIND)};
#undef RANDOM3_KIND
    iso_joint3_def def = iso_joint3_def_default(kinds[random_u64(s) % sizeof kinds]);
#define RANDOM3_NUMBER(type, name, low, high) def.name = RANDOM3_##type(low, high);
#define RANDOM3_SWITCH(name, bit)             def.name = random_u64(s) % 2 == 0;
    ISO_JOINT3_NUMBER_LIST(RANDOM3_NUMBER)
    ISO_JOINT3_SWITCH_LIST(RANDOM3_SWITCH)
#undef RANDOM3_NUMBER
#undef RANDOM3_SWITCH
#undef RANDOM3_FIX16
#undef RANDOM3_WIDE
    def.axes_angle = (fix16_t)random3_within(s, 13107, 190054);
    def.ratio = (fix16_t)random3_within(s, 1024, 64 * 65536) * (random_u64(s) % 2 == 0 ? -1 : 1);
    def.body_a = (iso_body_id){(uint32_t)random_u64(s), (uint32_t)random_u64(s)};
    def.body_b = (iso_body_id){(uint32_t)random_u64(s), (uint32_t)random_u64(s)};
    def.frame_a = (iso_joint3_frame){random3_vec(s, 60 * 65536), random3_quat(s)};
    def.frame_b = (iso_joint3_frame){random3_vec(s, 60 * 65536), random3_quat(s)};
    def.target = random3_vec_wide(s, ISO_POSITION_MAX_M);
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        def.axes[n] = random3_joint_axis(s, iso_joint3_axis_of(def.kind, n));
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX && iso_joint3_kind_is_custom(def.kind); ++i) {
        def.constraint = (uint32_t)random_u64(s);
        for (int k = 0; k < 3; ++k) {
            def.params.vectors3[i][k] = (iso_wide)random_u64(s);
        }
        def.params.scalars[i] = (iso_wide)random_u64(s);
    }
    def.tag = (uint32_t)random_u64(s);
    return def;
}

#endif
