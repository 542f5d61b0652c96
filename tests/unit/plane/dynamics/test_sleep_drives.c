/// Sleep does not stop what is slow and driven: by motors, springs, gravity; and takes what is at rest.
#include "unit/plane/joint/joint_util.h"

static iso_world *world_make_sleepy(double gravity) {
    iso_world_def def = world_def_small(gravity);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    return world_make(&def);
}

static iso_body_id box_add(iso_world *world, double x, double y) {
    const iso_shape_def box = shape_box(0.5, 0.5);
    return body_add_shape(world, ISO_BODY_DYNAMIC, x, y, 0, &box);
}

static iso_body_id wall_add(iso_world *world, double x) {
    const iso_shape_def wall = shape_box(0.5, 5);
    return body_add_shape(world, ISO_BODY_STATIC, x, 0, 0, &wall);
}

/// Steps until a body sleeps, at most so long. @return the ticks, or -1
static int ticks_awake(iso_world *world, iso_body_id body, int most) {
    for (int tick = 0; tick < most; ++tick) {
        if (!iso_body_is_awake(world, body)) {
            return tick;
        }
        world_steps(world, 1);
    }
    return -1;
}

/// A wheel on a motor, the world's anchor a static body far away.
static void test_a_slow_motor_turns_on(void **state) {
    (void)state;
    static const double speeds[] = {0.02, -0.02, 0.002, 0.0005};
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_sleepy(-10);
        const iso_body_id wall = body_add(world, ISO_BODY_STATIC, 0, 0, 0), disc = box_add(world, 0, 0);
        iso_joint_def def = revolute_def(wall, 0, 0, disc, 0, 0);
        def.motor_enabled = true;
        def.motor_speed = fix(speeds[i]);
        def.motor_max = wide(100);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 600);
        assert_true(iso_body_is_awake(world, disc));
        EXPECT_NEAR(joint_angle(world, joint), 10 * speeds[i], 0.02 * fabs(speeds[i]) + 0.0002, "turned in 10 s");
        world_free(world);
    }
}

/// It stops at its limit, or at a wall with its force: then both may sleep.
static void test_a_slow_piston_sleeps_where_it_stops(void **state) {
    (void)state;
    for (int with_wall = 0; with_wall < 2; ++with_wall) {
        iso_world *world = world_make_sleepy(0);
        const iso_body_id base = body_add(world, ISO_BODY_STATIC, 0, 0, 0), rod = box_add(world, 0, 0);
        wall_add(world, with_wall ? 1.15 : 9);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, base, rod);
        def.axis = (iso_vec2){ONE, 0};
        def.motor_enabled = true;
        def.motor_speed = fix(0.03);
        def.motor_max = wide(10);
        def.limit_enabled = true;
        def.lower = 0;
        def.upper = fix(with_wall ? 9 : 0.15);
        joint_add(world, &def);
        world_steps(world, 240);
        assert_true(iso_body_is_awake(world, rod));
        EXPECT_NEAR(body_pose(world, rod).x, 0.12, 0.002, "the piston's way in 4 s");
        const int ticks = ticks_awake(world, rod, 240);
        print_message("%s: asleep %d ticks later, at %.4f m\n", with_wall ? "wall" : "limit", ticks,
                      body_pose(world, rod).x);
        assert_in_range(ticks, 60, 60 + 60);
        EXPECT_NEAR(body_pose(world, rod).x, 0.15, 0.011, "where it stops");
        world_free(world);
    }
}

/// A ball on a rod of 10 m: it does not hang slanted, however it was let go.
static void test_a_long_pendulum_hangs_down(void **state) {
    (void)state;
    static const double offsets[] = {0.05, 0.02, 0.005};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_sleepy(-10);
        const iso_body_id roof = body_add(world, ISO_BODY_STATIC, 0, 10, 0);
        const iso_shape_def ball = shape_circle(0.25);
        const iso_body_id bob = body_add_shape(world, ISO_BODY_DYNAMIC, offsets[i], 0, 0, &ball);
        iso_joint_def def = revolute_def(roof, 0, 0, bob, -offsets[i], 10);
        joint_add(world, &def);
        double lowest = offsets[i];
        for (int tick = 0; tick < 1200 && iso_body_is_awake(world, bob); ++tick) {
            world_steps(world, 1);
            lowest = fmin(lowest, body_pose(world, bob).x);
        }
        EXPECT(iso_body_is_awake(world, bob) || fabs(body_pose(world, bob).x) < 0.0015, "%.3f m: it hangs at %.4f m",
               offsets[i], body_pose(world, bob).x);
        EXPECT(lowest < -0.8 * offsets[i], "%.3f m: it swings to %.4f m only", offsets[i], lowest);
        world_free(world);
    }
}

/// Overdamped: it creeps by less than 1 mm in a sleep time, and does not stop.
static void test_a_spring_creeps_to_its_rest(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy(0);
    const iso_body_id base = body_add(world, ISO_BODY_STATIC, 0, 0, 0), box = box_add(world, 2.1, 0);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, base, box);
    def.spring_enabled = true;
    def.rest = fix(2);
    def.spring_hertz = fix(0.1);
    def.spring_damping_ratio = fix(20);
    joint_add(world, &def);
    world_steps(world, 1200);
    assert_true(iso_body_is_awake(world, box));
    EXPECT_NEAR(body_pose(world, box).x, 2 + 0.1 * exp(-20 * PI * 0.1 / 20), 0.002, "the creeping box after 20 s");
    world_free(world);
}

/// A load that hangs still on a spring is at rest, though the spring is not.
static void test_a_load_on_a_spring_sleeps(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy(-10);
    const iso_body_id roof = body_add(world, ISO_BODY_STATIC, 0, 10, 0), load = box_add(world, 0, 8);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, roof, load);
    def.spring_enabled = true;
    def.rest = fix(2);
    def.spring_hertz = fix(1);
    def.spring_damping_ratio = fix(1);
    joint_add(world, &def);
    const int ticks = ticks_awake(world, load, 600);
    print_message("asleep after %d ticks at %.4f m\n", ticks, body_pose(world, load).y);
    assert_in_range(ticks, 60, 240); // exp(-2 pi t) of 0.25 m is 1 mm after 0.9 s
    EXPECT_NEAR(body_pose(world, load).y, 8 - 10 / (4 * PI * PI), 0.001, "where it hangs");
    world_free(world);
}

/// Without friction, on a slope of 1 in 200: 0.05 m/s^2.
static void test_a_box_slides_down_a_gentle_slope(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy(-10);
    iso_shape_def plane = shape_box(40, 0.5), box = shape_box(0.5, 0.5);
    plane.friction = box.friction = 0;
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &plane);
    const iso_body_id slides = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    EXPECT_STATUS(iso_world_set_gravity(world, (iso_vec2){fix(0.05), fix(-10)}), ISO_OK);
    world_steps(world, 300);
    EXPECT_NEAR(body_pose(world, slides).x, 0.05 * 25 / 2, 0.02, "after 5 s");
    EXPECT_STATUS(iso_world_set_gravity(world, (iso_vec2){0, fix(-10)}), ISO_OK);
    world_free(world);
}

/// Gravity against a damping of 1000/s: 1 cm/s.
static void test_what_sinks_slowly_sinks_on(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy(-1);
    const iso_body_id box = box_add(world, 0, 0);
    iso_body_params params = iso_body_params_default();
    params.linear_damping = fix(1000);
    EXPECT_STATUS(iso_body_set_params(world, box, &params), ISO_OK);
    world_steps(world, 600);
    assert_true(iso_body_is_awake(world, box));
    EXPECT_NEAR(body_pose(world, box).y, -0.01, 0.0006, "after 10 s");
    world_free(world);
}

/// Towers sleep as soon as they stand: within a second.
static void test_what_stands_sleeps(void **state) {
    (void)state;
    for (int height = 1; height <= 8; ++height) {
        iso_world *world = world_make_sleepy(-10);
        const iso_shape_def ground = shape_box(40, 0.5);
        body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
        iso_body_id top = {0, 0};
        for (int i = 0; i < height; ++i) {
            top = box_add(world, 0, 0.5 + i);
        }
        const int ticks = ticks_awake(world, top, 90);
        EXPECT(ticks >= 30 && ticks <= 60, "%d boxes: asleep after %d ticks", height, ticks);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_motor_turns_on),      cmocka_unit_test(test_a_slow_piston_sleeps_where_it_stops),
        cmocka_unit_test(test_a_long_pendulum_hangs_down), cmocka_unit_test(test_a_spring_creeps_to_its_rest),
        cmocka_unit_test(test_a_load_on_a_spring_sleeps),  cmocka_unit_test(test_a_box_slides_down_a_gentle_slope),
        cmocka_unit_test(test_what_sinks_slowly_sinks_on), cmocka_unit_test(test_what_stands_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
