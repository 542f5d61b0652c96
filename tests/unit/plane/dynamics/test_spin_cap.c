/// The cap on spin: an eighth of a turn per substep, 512 m/s at the radius. Who asks for more gets an answer.
#include "unit/plane/joint/joint_util.h"

static iso_world *world_of(uint8_t rate, uint8_t substeps) {
    iso_world_def def = world_def_small(0);
    def.tick_rate_hz = rate;
    def.substep_count = substeps;
    return world_make(&def);
}

/// The formula of SCENE.md.
static double cap(double rate, double substeps, double radius) {
    double power = 1.0 / 256;
    while (power <= radius) {
        power *= 2;
    }
    return fmin(PI / 4 * rate * substeps, 512 / power);
}

static iso_body_id disc_add(iso_world *world, double x, double radius) {
    const iso_shape_def disc = shape_circle(radius);
    return body_add_shape(world, ISO_BODY_DYNAMIC, x, 0, 0, &disc);
}

static void test_a_velocity_beyond_the_cap_is_refused(void **state) {
    (void)state;
    static const double cases[][3] = {{60, 4, 0.5}, {60, 4, 2}, {60, 4, 3}, {60, 8, 1.5}, {60, 1, 0.25}, {120, 8, 5}};
    for (int i = 0; i < 6; ++i) {
        iso_world *world = world_of((uint8_t)cases[i][0], (uint8_t)cases[i][1]);
        const iso_body_id disc = disc_add(world, 0, cases[i][2]);
        const double most = cap(cases[i][0], cases[i][1], cases[i][2]);
        const iso_vec2_wide still = {0, 0};
        EXPECT_STATUS(iso_body_set_velocity(world, disc, still, wide(most * 1.0001)), ISO_ERR_RANGE);
        EXPECT_STATUS(iso_body_set_velocity(world, disc, still, wide(-most * 1.0001)), ISO_ERR_RANGE);
        EXPECT_STATUS(iso_body_set_velocity(world, disc, still, wide(most * 0.9999)), ISO_OK);
        world_steps(world, 1);
        EXPECT_NEAR(body_pose(world, disc).w, most * 0.9999, 0.0005, "case %d: the spin", i);
        EXPECT_NEAR(body_pose(world, disc).angle, most * 0.9999 / cases[i][0], 0.001, "case %d: the turn", i);
        assert_int_equal(world_counts(world).clamped_velocities, 0);
        world_free(world);
    }
}

static iso_wide speed_max(const iso_world *world, iso_joint_id joint) {
    iso_wide most = 0;
    EXPECT_STATUS(iso_joint_get_speed_max(world, joint, &most), ISO_OK);
    return most;
}

/// In a scene or a command a motor beyond it is refused: test_scene_build.c, test_command_joint.c.
static void test_a_joint_tells_the_cap_of_its_motor(void **state) {
    (void)state;
    iso_world *world = world_of(60, 4);
    const iso_body_id wall = body_add(world, ISO_BODY_STATIC, 0, 0, 0), a = disc_add(world, 9, 0.5),
                      b = disc_add(world, 0, 0.5);
    const double most = cap(60, 4, 0.5);
    iso_joint_def def = revolute_def(wall, 0, 0, b, 0, 0);
    const iso_joint_id one = joint_add(world, &def);
    EXPECT_NEAR(from_wide(speed_max(world, one)), most, 0.001, "against the world");
    def.body_a = a;
    const iso_joint_id both = joint_add(world, &def);
    EXPECT_NEAR(from_wide(speed_max(world, both)), 2 * most, 0.001, "two bodies turn against each other");
    iso_joint_def angle = joint_def(ISO_JOINT_ANGLE, a, b);
    angle.ratio = fix(-3);
    const iso_joint_id ratio = joint_add(world, &angle);
    EXPECT_NEAR(from_wide(speed_max(world, ratio)), 4 * most, 0.001, "with a ratio");
    iso_joint_def slide = joint_def(ISO_JOINT_PRISMATIC, a, b);
    const iso_joint_id length = joint_add(world, &slide);
    assert_true(speed_max(world, length) == INT64_MAX);
    world_free(world);
}

/// What impulses and motors make of a body is what is read: the angle goes on by as much.
static void test_what_is_read_is_what_turns(void **state) {
    (void)state;
    iso_world *world = world_of(60, 4);
    const iso_body_id wall = body_add(world, ISO_BODY_STATIC, 0, 0, 0), driven = disc_add(world, 0, 0.5),
                      pushed = disc_add(world, 9, 0.5);
    const double most = cap(60, 4, 0.5);
    iso_joint_def def = revolute_def(wall, 0, 0, driven, 0, 0);
    def.motor_enabled = true;
    def.motor_max = wide(10000);
    def.motor_speed = fix(most - 0.5);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 2);
    EXPECT_NEAR(joint_speed(world, joint), most - 0.5, 0.01, "a motor within its cap");
    EXPECT_STATUS(iso_body_apply_angular_impulse(world, pushed, wide(10000)), ISO_OK);
    for (int tick = 0; tick < 5; ++tick) {
        const double before = body_pose(world, pushed).angle, motor_before = joint_angle(world, joint);
        EXPECT_STATUS(iso_body_apply_angular_impulse(world, driven, wide(10000)), ISO_OK);
        world_steps(world, 1);
        EXPECT_NEAR(body_pose(world, pushed).w, most, 0.001, "what an impulse spins");
        EXPECT_NEAR(body_pose(world, pushed).angle - before, body_pose(world, pushed).w / 60, 0.001, "how it turned");
        EXPECT(joint_speed(world, joint) <= most + 0.001, "the motor reads %.3f", joint_speed(world, joint));
        EXPECT(joint_angle(world, joint) - motor_before <= most / 60 + 0.001, "the motor turned too far");
    }
    assert_true(world_counts(world).clamped_velocities > 0);
    world_free(world);
}

/// A chain of gears drives a wheel faster than it can turn: the relax pass may not say otherwise.
static void test_a_geared_wheel_reads_what_it_turns(void **state) {
    (void)state;
    iso_world *world = world_of(60, 4);
    const iso_body_id wall = body_add(world, ISO_BODY_STATIC, 0, 0, 0), big = disc_add(world, 0, 2),
                      fast = disc_add(world, 9, 0.1);
    iso_joint_def def = revolute_def(wall, 0, 0, big, 0, 0);
    def.motor_enabled = true;
    def.motor_max = wide(1e6);
    def.motor_speed = fix(100);
    joint_add(world, &def);
    def = revolute_def(wall, 9, 0, fast, 0, 0);
    const iso_joint_id axle = joint_add(world, &def);
    iso_joint_def gear = joint_def(ISO_JOINT_GEAR, big, fast);
    gear.ratio = fix(1.0 / 3); // 300 rad/s
    joint_add(world, &gear);
    world_steps(world, 30);
    for (int tick = 0; tick < 10; ++tick) {
        const double before = joint_angle(world, axle);
        world_steps(world, 1);
        EXPECT_NEAR(joint_speed(world, axle) / 60, joint_angle(world, axle) - before, 0.05, "speed and turn");
        EXPECT(fabs(joint_speed(world, axle)) <= cap(60, 4, 0.1) + 0.001, "it reads %.2f", joint_speed(world, axle));
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_velocity_beyond_the_cap_is_refused),
        cmocka_unit_test(test_a_joint_tells_the_cap_of_its_motor),
        cmocka_unit_test(test_what_is_read_is_what_turns),
        cmocka_unit_test(test_a_geared_wheel_reads_what_it_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
