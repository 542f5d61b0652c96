/// What the tests of joints in space share: worlds, bodies, vectors as doubles, making and reading joints.
#ifndef TEST_JOINT3_UTIL_H
#define TEST_JOINT3_UTIL_H

#include "isostep/body3.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"
#include "unit/math/vec3_util.h"
#include "unit/world/physics_util.h"

#define GRAVITY 10.0

static inline vec3 vec3_random(rng *random, double most) {
    const double x = rng_range(random, -most, most), y = rng_range(random, -most, most);
    return (vec3){x, y, rng_range(random, -most, most)};
}

static inline iso_vec3 fix3(vec3 v) {
    return (iso_vec3){fix(v.x), fix(v.y), fix(v.z)};
}

static inline iso_vec3_wide wide3(vec3 v) {
    return (iso_vec3_wide){wide(v.x), wide(v.y), wide(v.z)};
}

static inline vec3 from_wide3(iso_vec3_wide v) {
    return (vec3){from_wide(v.x), from_wide(v.y), from_wide(v.z)};
}

// ---- quaternions ---------------------------------------------------------------------------------

typedef struct quat {
    double x, y, z, w;
} quat;

static inline quat quat_from(iso_quat q) {
    return (quat){q.x / 1073741824.0, q.y / 1073741824.0, q.z / 1073741824.0, q.w / 1073741824.0};
}

static inline iso_quat quat_to(quat q) {
    return iso_quat_normalize((iso_quat){(int32_t)lround(q.x * 1073741824.0), (int32_t)lround(q.y * 1073741824.0),
                                         (int32_t)lround(q.z * 1073741824.0), (int32_t)lround(q.w * 1073741824.0)});
}

static inline quat quat_mul(quat a, quat b) {
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline quat quat_conj(quat q) {
    return (quat){-q.x, -q.y, -q.z, q.w};
}

static inline vec3 quat_rotate(quat q, vec3 v) {
    const quat p = quat_mul(quat_mul(q, (quat){v.x, v.y, v.z, 0}), quat_conj(q));
    return (vec3){p.x, p.y, p.z};
}

/// The rotation by a vector: axis times angle.
static inline quat quat_of(vec3 turn) {
    const double angle = vec3_length(turn), s = angle == 0 ? 0.5 : sin(angle / 2) / angle;
    return (quat){turn.x * s, turn.y * s, turn.z * s, cos(angle / 2)};
}

static inline quat quat_random(rng *random) {
    for (;;) {
        const vec3 v = vec3_random(random, 1.0);
        const double w = rng_range(random, -1.0, 1.0), length = sqrt(vec3_dot(v, v) + w * w);
        if (length < 1.0 && length > 0.1) {
            return (quat){v.x / length, v.y / length, v.z / length, w / length};
        }
    }
}

// ---- worlds and bodies ---------------------------------------------------------------------------

static inline iso_world_def space_def(double gravity) {
    iso_world_def def = world_def_small(gravity);
    def.dimensions = 3;
    return def;
}

static inline iso_world *space_make(double gravity) {
    const iso_world_def def = space_def(gravity);
    return world_make(&def);
}

static inline iso_body_id body3_add(iso_world *world, uint8_t type, vec3 position, quat rotation) {
    iso_body3_def def = iso_body3_def_default();
    def.type = type;
    def.position = wide3(position);
    def.rotation = quat_to(rotation);
    iso_body_id body = {0, 0};
    EXPECT_STATUS(iso_body3_create(world, &def, &body), ISO_OK);
    return body;
}

/// A shape that touches nothing.
static inline void body3_shape(iso_world *world, iso_body_id body, iso_shape3_def shape, double density) {
    iso_shape_id id;
    shape.density = fix(density);
    shape.filter.mask = 0;
    EXPECT_STATUS(iso_shape3_create(world, body, &shape, &id), ISO_OK);
}

static inline iso_body_id body3_box(iso_world *world, uint8_t type, vec3 position, quat rotation, vec3 half) {
    const iso_body_id body = body3_add(world, type, position, rotation);
    body3_shape(world, body, iso_shape3_def_box(fix(half.x), fix(half.y), fix(half.z)), 100.0);
    return body;
}

static inline iso_body_id body3_sphere(iso_world *world, vec3 position, double radius, double mass) {
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, position, (quat){0, 0, 0, 1});
    body3_shape(world, body, iso_shape3_def_sphere(fix(radius)), 100.0);
    const iso_wide none[3] = {0, 0, 0};
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(mass), none), ISO_OK);
    return body;
}

static inline iso_body_id body3_fixed(iso_world *world, vec3 position) {
    return body3_add(world, ISO_BODY_STATIC, position, (quat){0, 0, 0, 1});
}

static inline iso_body3_view body3_view(const iso_world *world, iso_body_id body) {
    iso_body3_view view;
    EXPECT_STATUS(iso_body3_get(world, body, &view), ISO_OK);
    return view;
}

static inline vec3 body3_centre(const iso_world *world, iso_body_id body) {
    return from_wide3(body3_view(world, body).centre);
}

static inline vec3 body3_velocity(const iso_world *world, iso_body_id body) {
    return from_wide3(body3_view(world, body).velocity);
}

static inline vec3 body3_spin(const iso_world *world, iso_body_id body) {
    return from_wide3(body3_view(world, body).angular_velocity);
}

static inline void body3_set(iso_world *world, iso_body_id body, vec3 velocity, vec3 spin) {
    EXPECT_STATUS(iso_body3_set_velocity(world, body, wide3(velocity), wide3(spin)), ISO_OK);
}

// ---- joints --------------------------------------------------------------------------------------

#define X_AXIS ((vec3){1, 0, 0})
#define Y_AXIS ((vec3){0, 1, 0})
#define Z_AXIS ((vec3){0, 0, 1})

/// A definition at a point of the world with these axes. @param second  (0, 0, 0): none
static inline iso_joint3_def joint3_def(const iso_world *world, uint8_t kind, iso_body_id a, iso_body_id b, vec3 point,
                                        vec3 axis, vec3 second) {
    iso_joint3_def def = iso_joint3_def_default(kind);
    EXPECT_STATUS(iso_joint3_def_between(world, a, b, wide3(point), fix3(axis), fix3(second), &def), ISO_OK);
    return def;
}

static inline iso_joint_id joint3_add(iso_world *world, const iso_joint3_def *def) {
    iso_joint_id joint = {0, 0};
    EXPECT_STATUS(iso_joint3_create(world, def, &joint), ISO_OK);
    return joint;
}

static inline iso_joint_id joint3_make(iso_world *world, uint8_t kind, iso_body_id a, iso_body_id b, vec3 point,
                                       vec3 axis, vec3 second) {
    const iso_joint3_def def = joint3_def(world, kind, a, b, point, axis, second);
    return joint3_add(world, &def);
}

static inline double joint3_axis(const iso_world *world, iso_joint_id joint, uint32_t axis) {
    iso_wide value = 0;
    EXPECT_STATUS(iso_joint3_get_axis(world, joint, axis, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint3_speed(const iso_world *world, iso_joint_id joint, uint32_t axis) {
    iso_wide value = 0;
    EXPECT_STATUS(iso_joint3_get_axis_speed(world, joint, axis, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint3_separation(const iso_world *world, iso_joint_id joint) {
    iso_wide value = 0;
    EXPECT_STATUS(iso_joint3_get_separation(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint3_angle_error(const iso_world *world, iso_joint_id joint) {
    iso_wide value = 0;
    EXPECT_STATUS(iso_joint3_get_angle_error(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline vec3 joint3_force(const iso_world *world, iso_joint_id joint) {
    iso_vec3_wide value = {0, 0, 0};
    EXPECT_STATUS(iso_joint3_get_force(world, joint, &value), ISO_OK);
    return from_wide3(value);
}

static inline vec3 joint3_torque(const iso_world *world, iso_joint_id joint) {
    iso_vec3_wide value = {0, 0, 0};
    EXPECT_STATUS(iso_joint3_get_torque(world, joint, &value), ISO_OK);
    return from_wide3(value);
}

#endif
