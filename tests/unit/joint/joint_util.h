/// What the tests of joints share: making them, reading them, a wheel to try them on.
#ifndef TEST_JOINT_UTIL_H
#define TEST_JOINT_UTIL_H

#include "unit/world/physics_util.h"

#define GRAVITY 10.0

static inline iso_joint_id joint_add(iso_world *world, const iso_joint_def *def) {
    iso_joint_id joint = {0, 0};
    EXPECT_STATUS(iso_joint_create(world, def, &joint), ISO_OK);
    return joint;
}

static inline iso_joint_def joint_def(iso_joint_kind kind, iso_body_id a, iso_body_id b) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = (uint8_t)kind;
    def.body_a = a;
    def.body_b = b;
    return def;
}

static inline double joint_angle(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_angle(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint_length(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_length(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint_speed(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_speed(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint_torque(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_torque(world, joint, &value), ISO_OK);
    return from_wide(value);
}

static inline double joint_separation(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_separation(world, joint, &value), ISO_OK);
    return from_wide(value);
}

/// The force on body B [N].
static inline void joint_force(const iso_world *world, iso_joint_id joint, double *x, double *y) {
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
    *x = from_wide(force.x);
    *y = from_wide(force.y);
}

/// A static body and a disc, both at the origin.
typedef struct wheel {
    iso_world *world;
    iso_body_id fixed, disc;
} wheel;

static inline wheel wheel_make(double radius, double gravity) {
    wheel is = {.world = world_make_small(gravity)};
    iso_shape_def disc = shape_circle(radius);
    disc.filter.mask = 0;
    is.fixed = body_add(is.world, ISO_BODY_STATIC, 0, 0, 0);
    is.disc = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
    return is;
}

#endif
