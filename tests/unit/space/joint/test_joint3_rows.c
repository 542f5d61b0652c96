// What acts on the axes of each kind of joint in space, from both sides: limits stop, a motor bears as much as its
// maximum; and what each kind holds breaks beyond its threshold, by force and by torque.
#include "unit/space/joint/joint3_util.h"

#define NONE    ((vec3){0, 0, 0})
#define NO_TURN ((quat){0, 0, 0, 1})

/// An axis of a kind, and what moves B along it.
typedef struct axis_row {
    const char *name;
    uint8_t kind, axis;
    bool is_length;
    vec3 along; // of B's velocity or spin
} axis_row;

/// The joint's axis is x, the second y.
static const axis_row AXES[] = {
    {"ball, twist", ISO_JOINT3_BALL, 1, false, {1, 0, 0}},
    {"hinge", ISO_JOINT3_HINGE, 0, false, {1, 0, 0}},
    {"slider", ISO_JOINT3_SLIDER, 0, true, {1, 0, 0}},
    {"universal, first", ISO_JOINT3_UNIVERSAL, 0, false, {1, 0, 0}},
    {"universal, second", ISO_JOINT3_UNIVERSAL, 1, false, {0, 1, 0}},
    {"wheel, suspension", ISO_JOINT3_HINGE2, 0, true, {1, 0, 0}},
    {"wheel, steering", ISO_JOINT3_HINGE2, 1, false, {1, 0, 0}},
    {"wheel, rolling", ISO_JOINT3_HINGE2, 2, false, {0, 1, 0}},
    {"distance", ISO_JOINT3_DISTANCE, 0, true, {1, 0, 0}},
    {"cylindrical, length", ISO_JOINT3_CYLINDRICAL, 0, true, {1, 0, 0}},
    {"cylindrical, angle", ISO_JOINT3_CYLINDRICAL, 1, false, {1, 0, 0}},
    {"parallel", ISO_JOINT3_PARALLEL, 0, false, {1, 0, 0}},
};
#define AXIS_COUNT (sizeof AXES / sizeof AXES[0])

/// A brick whose centre is its anchor, at a wall; of a distance the wall's anchor is 2 m away.
typedef struct rig {
    iso_world *world;
    iso_body_id wall, brick;
    iso_joint_id joint;
    double begin; // of the axis
} rig;

static iso_joint3_def rig_make(rig *is, uint8_t kind) {
    is->world = space_make(0.0);
    is->wall = body3_fixed(is->world, NONE);
    is->brick = body3_box(is->world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){0.4, 0.3, 0.5});
    const bool has_second = kind == ISO_JOINT3_UNIVERSAL || kind == ISO_JOINT3_HINGE2;
    iso_joint3_def def = joint3_def(is->world, kind, is->wall, is->brick, NONE, X_AXIS, has_second ? Y_AXIS : NONE);
    is->begin = 0;
    if (kind == ISO_JOINT3_DISTANCE) {
        is->begin = 2;
        def.frame_a.anchor = fix3((vec3){-2, 0, 0});
        def.axes[0].rest = fix(2);
    }
    return def;
}

static void rig_push(const rig *is, const axis_row *row, double speed) {
    const vec3 along = vec3_scale(row->along, speed);
    body3_set(is->world, is->brick, row->is_length ? along : NONE, row->is_length ? NONE : along);
}

static void test_limits_stop_each_axis_from_both_sides(void **state) {
    (void)state;
    for (size_t i = 0; i < AXIS_COUNT; ++i) {
        for (int side = -1; side <= 1; side += 2) {
            const axis_row *row = &AXES[i];
            rig is;
            iso_joint3_def def = rig_make(&is, row->kind);
            def.axes[row->axis].limit_enabled = true;
            def.axes[row->axis].lower = fix(is.begin - 0.4);
            def.axes[row->axis].upper = fix(is.begin + 0.7);
            is.joint = joint3_add(is.world, &def);
            rig_push(&is, row, 2.0 * side);
            double least = 0, most = 0;
            for (uint32_t tick = 0; tick < 120; ++tick) {
                world_steps(is.world, 1);
                const double at = joint3_axis(is.world, is.joint, row->axis) - is.begin;
                least = fmin(least, at);
                most = fmax(most, at);
            }
            const double reached = side > 0 ? most : -least, limit = side > 0 ? 0.7 : 0.4;
            const double back = side > 0 ? least : -most, speed = joint3_speed(is.world, is.joint, row->axis);
            EXPECT(reached > limit - 5e-3 && reached < limit + 5e-3, "%s: it came to %g of %g", row->name, reached,
                   limit);
            EXPECT(back > -1e-3, "%s: it went to %g on the other side", row->name, back);
            EXPECT_NEAR(speed, 0, 1e-3, "%s: speed at the limit", row->name);
            world_free(is.world);
        }
    }
}

/// Pushed with more than the motor bears, the brick goes by what is too much; with less it stands still.
static void test_motors_bear_their_maximum_from_both_sides(void **state) {
    (void)state;
    const double load = 60;
    for (size_t i = 0; i < 4 * AXIS_COUNT; ++i) {
        const axis_row *row = &AXES[i / 4];
        const double side = i % 2 == 0 ? 1 : -1, most = i % 4 < 2 ? 0.9 * load : 1.1 * load;
        rig is;
        iso_joint3_def def = rig_make(&is, row->kind);
        if (row->kind == ISO_JOINT3_DISTANCE) {
            def.axes[0].limit_enabled = true; // else it is a rod
            def.axes[0].lower = 0;
            def.axes[0].upper = fix(40);
        }
        def.axes[row->axis].motor_enabled = true;
        def.axes[row->axis].motor_max = wide(most);
        is.joint = joint3_add(is.world, &def);
        const iso_vec3_wide push = wide3(vec3_scale(row->along, side * load));
        for (uint32_t tick = 0; tick < 60; ++tick) {
            EXPECT_STATUS(row->is_length ? iso_body3_apply_force_to_centre(is.world, is.brick, push)
                                         : iso_body3_apply_torque(is.world, is.brick, push),
                          ISO_OK);
            world_steps(is.world, 1);
        }
        const iso_body3_view view = body3_view(is.world, is.brick);
        const double third = from_wide(view.mass) / 3; // half extents 0.4, 0.3, 0.5
        const double inertia =
            row->is_length ? from_wide(view.mass) : third * (0.25 + (row->along.x != 0 ? 0.3 * 0.3 : 0.4 * 0.4));
        const double expected = most > load ? 0 : side * (load - most) / inertia;
        EXPECT_NEAR(joint3_speed(is.world, is.joint, row->axis), expected, 0.01 * fabs(expected) + 2e-4,
                    "%s: speed against %g of %g", row->name, side * load, most);
        const vec3 bears = row->is_length ? joint3_force(is.world, is.joint) : joint3_torque(is.world, is.joint);
        EXPECT_NEAR(vec3_dot(bears, row->along), -side * fmin(most, load), 0.01 * load, "%s: what it bears", row->name);
        world_free(is.world);
    }
}

// ---- cones ---------------------------------------------------------------------------------------

/// An arm in a socket between two bodies, thrown in all directions: the cone stops it within its angle; with a lower
/// limit it does not come back beyond that, either.
static void test_cones_stop_a_swing_in_each_direction(void **state) {
    (void)state;
    for (int i = 0; i < 12; ++i) {
        const double way = 2 * PI * i / 12, begin = 0.5;
        const vec3 about = {0, -sin(way), cos(way)};
        iso_world *world = space_make(0.0);
        const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){0.6, 0.6, 0.6});
        const iso_body_id b =
            body3_box(world, ISO_BODY_DYNAMIC, NONE, quat_of(vec3_scale(about, begin)), (vec3){0.4, 0.2, 0.3});
        iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
        def.body_a = a;
        def.body_b = b;
        def.axes[0].limit_enabled = true;
        def.axes[0].lower = fix(0.25);
        def.axes[0].upper = fix(1.25);
        const iso_joint_id joint = joint3_add(world, &def);
        for (int side = 1; side >= -1; side -= 2) {
            double least = 2, most = 0;
            body3_set(world, a, NONE, NONE);
            body3_set(world, b, NONE, vec3_scale(about, 2.0 * side));
            for (uint32_t tick = 0; tick < 90; ++tick) {
                world_steps(world, 1);
                const double swing = joint3_axis(world, joint, 0);
                least = fmin(least, swing);
                most = fmax(most, swing);
            }
            EXPECT(most < 1.255 && least > 0.245, "direction %d: it swung from %g to %g", i, least, most);
            EXPECT(side > 0 ? most > 1.245 : least < 0.255, "direction %d: it swung from %g to %g", i, least, most);
        }
        world_free(world);
    }
}

/// The twist's limits hold where the arm has swung out of its axis, too.
static void test_twist_stops_while_the_arm_is_swung(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < 6; ++i) {
            const double way = 2 * PI * i / 6;
            const quat swung = quat_of((vec3){0, 0.8 * cos(way), 0.8 * sin(way)});
            iso_world *world = space_make(0.0);
            const iso_body_id wall = body3_fixed(world, NONE);
            const iso_body_id arm = body3_box(world, ISO_BODY_DYNAMIC, NONE, swung, (vec3){0.4, 0.3, 0.3});
            iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
            def.body_a = wall;
            def.body_b = arm;
            def.axes[1].limit_enabled = true;
            def.axes[1].lower = fix(-0.4);
            def.axes[1].upper = fix(0.7);
            const iso_joint_id joint = joint3_add(world, &def);
            body3_set(world, arm, NONE, vec3_scale(quat_rotate(swung, X_AXIS), 2.0 * side));
            double least = 0, most = 0;
            for (uint32_t tick = 0; tick < 90; ++tick) {
                world_steps(world, 1);
                least = fmin(least, joint3_axis(world, joint, 1));
                most = fmax(most, joint3_axis(world, joint, 1));
            }
            EXPECT(least > -0.405 && most < 0.705, "side %d, direction %d: from %g to %g", side, i, least, most);
            EXPECT(side > 0 ? most > 0.695 : least < -0.395, "side %d, direction %d: from %g to %g", side, i, least,
                   most);
            world_free(world);
        }
    }
}

// ---- breaking ------------------------------------------------------------------------------------

/// What a kind holds: a force and a torque on B along this way; none: zero.
typedef struct hold_row {
    const char *name;
    uint8_t kind;
    vec3 force, torque;
} hold_row;

static const hold_row HOLDS[] = {
    {"ball", ISO_JOINT3_BALL, {0.6, -0.8, 0}, {0, 0, 0}},
    {"hinge", ISO_JOINT3_HINGE, {0, 0.6, 0.8}, {0, -0.8, 0.6}},
    {"fixed", ISO_JOINT3_FIXED, {0.6, 0, 0.8}, {0.48, 0.64, 0.6}},
    {"slider", ISO_JOINT3_SLIDER, {0, 0.6, -0.8}, {0.48, 0.64, 0.6}},
    {"universal", ISO_JOINT3_UNIVERSAL, {0.6, 0, 0.8}, {0, 0, -1}},
    {"wheel", ISO_JOINT3_HINGE2, {0, 0.6, 0.8}, {0, 0, 1}},
    {"distance", ISO_JOINT3_DISTANCE, {1, 0, 0}, {0, 0, 0}},
    {"cylindrical", ISO_JOINT3_CYLINDRICAL, {0, -0.6, 0.8}, {0, 0.8, 0.6}},
    {"parallel", ISO_JOINT3_PARALLEL, {0, 0, 0}, {0, 0.8, -0.6}},
    {"motor", ISO_JOINT3_MOTOR, {0.6, 0.8, 0}, {0, 0.6, 0.8}},
};

/// Pulls ever stronger, by one per tick. @return the load at which the joint broke, 0: it bore 130
static double break_by(const hold_row *row, bool by_torque, double force, double torque, double sign) {
    rig is;
    iso_joint3_def def = rig_make(&is, row->kind);
    def.break_force = wide(force);
    def.break_torque = wide(torque);
    is.joint = joint3_add(is.world, &def);
    const vec3 along = by_torque ? row->torque : row->force;
    double broke = 0;
    for (uint32_t tick = 1; tick <= 130 && broke == 0; ++tick) {
        const iso_vec3_wide push = wide3(vec3_scale(along, sign * tick));
        EXPECT_STATUS(by_torque ? iso_body3_apply_torque(is.world, is.brick, push)
                                : iso_body3_apply_force_to_centre(is.world, is.brick, push),
                      ISO_OK);
        world_steps(is.world, 1);
        iso_events events;
        iso_world_get_events(is.world, &events);
        if (events.joint_break_count == 1) {
            broke = tick;
            const vec3 bore = from_wide3(by_torque ? events.joint_breaks[0].torque3 : events.joint_breaks[0].force3);
            EXPECT(vec3_length(vec3_add(bore, vec3_scale(along, sign * tick))) < 3, "%s: it bore %g, %g, %g at %g",
                   row->name, bore.x, bore.y, bore.z, broke);
        }
    }
    world_free(is.world);
    return broke;
}

static void test_each_kind_breaks_by_what_it_holds(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * sizeof HOLDS / sizeof HOLDS[0]; ++i) {
        const hold_row *row = &HOLDS[i / 2];
        const double sign = i % 2 == 0 ? 1 : -1;
        if (vec3_length(row->force) > 0) {
            EXPECT_NEAR(break_by(row, false, 100, 0, sign), 101, 2, "%s: force", row->name);
            EXPECT_NEAR(break_by(row, false, 0, 1, sign), 0, 0, "%s: a force is no torque", row->name);
        }
        if (vec3_length(row->torque) > 0) {
            EXPECT_NEAR(break_by(row, true, 0, 100, sign), 101, 2, "%s: torque", row->name);
            EXPECT_NEAR(break_by(row, true, 1, 0, sign), 0, 0, "%s: a torque is no force", row->name);
        }
    }
}

/// What a limit bears counts, too.
static void test_limits_break_a_joint(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * AXIS_COUNT; ++i) {
        const axis_row *row = &AXES[i / 2];
        const double sign = i % 2 == 0 ? 1 : -1;
        rig is;
        iso_joint3_def def = rig_make(&is, row->kind);
        def.axes[row->axis].limit_enabled = true;
        def.axes[row->axis].lower = def.axes[row->axis].upper = fix(is.begin);
        def.break_force = wide(row->is_length ? 100 : 0);
        def.break_torque = wide(row->is_length ? 0 : 100);
        is.joint = joint3_add(is.world, &def);
        uint32_t broke = 0;
        for (uint32_t tick = 1; tick <= 130 && broke == 0; ++tick) {
            const iso_vec3_wide push = wide3(vec3_scale(row->along, sign * tick));
            EXPECT_STATUS(row->is_length ? iso_body3_apply_force_to_centre(is.world, is.brick, push)
                                         : iso_body3_apply_torque(is.world, is.brick, push),
                          ISO_OK);
            world_steps(is.world, 1);
            iso_events events;
            iso_world_get_events(is.world, &events);
            broke = events.joint_break_count == 1 ? tick : 0;
        }
        EXPECT_NEAR(broke, 101, 2, "%s: the limit broke", row->name);
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_stop_each_axis_from_both_sides),
        cmocka_unit_test(test_motors_bear_their_maximum_from_both_sides),
        cmocka_unit_test(test_cones_stop_a_swing_in_each_direction),
        cmocka_unit_test(test_twist_stops_while_the_arm_is_swung),
        cmocka_unit_test(test_each_kind_breaks_by_what_it_holds),
        cmocka_unit_test(test_limits_break_a_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
