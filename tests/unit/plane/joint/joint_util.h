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

static inline iso_joint_def revolute_def(iso_body_id a, double ax, double ay, iso_body_id b, double bx, double by) {
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, a, b);
    def.anchor_a = (iso_vec2){fix(ax), fix(ay)};
    def.anchor_b = (iso_vec2){fix(bx), fix(by)};
    return def;
}

static inline iso_joint_def target_def(iso_body_id b, double x, double y, double hertz, double ratio) {
    iso_joint_def def = joint_def(ISO_JOINT_TARGET, (iso_body_id){0, 0}, b);
    def.target = iso_vec2_to_wide((iso_vec2){fix(x), fix(y)});
    def.hertz = fix(hertz);
    def.damping_ratio = fix(ratio);
    return def;
}

static inline iso_joint_id joint_add_at(iso_world *world, iso_joint_def *def, double ax, double ay, double bx,
                                        double by) {
    def->anchor_a = (iso_vec2){fix(ax), fix(ay)};
    def->anchor_b = (iso_vec2){fix(bx), fix(by)};
    return joint_add(world, def);
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

static inline double joint_angle_error(const iso_world *world, iso_joint_id joint) {
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_angle_error(world, joint, &value), ISO_OK);
    return from_wide(value);
}

/// The force on body B [N].
static inline void joint_force(const iso_world *world, iso_joint_id joint, double *x, double *y) {
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
    *x = from_wide(force.x);
    *y = from_wide(force.y);
}

/// Pushes and turns a body for so many ticks.
static inline void body_push(iso_world *world, iso_body_id body, double x, double y, double torque, int ticks) {
    for (int t = 0; t < ticks; ++t) {
        EXPECT_STATUS(iso_body_apply_force_to_centre(world, body, (iso_vec2_wide){wide(x), wide(y)}), ISO_OK);
        EXPECT_STATUS(iso_body_apply_torque(world, body, wide(torque)), ISO_OK);
        world_steps(world, 1);
    }
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
