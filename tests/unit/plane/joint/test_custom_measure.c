/// What joints of programs and games' functions are read and told between steps: forces, speeds, separations,
/// parameters, breaks; and that roots know of it.
#include "test_custom_util.h"

#define SHELF(most, more)                                                                                            \
    ", {'kind': 'user', 'constraint': 'shelf', 'bodies': {'body1': 'wall', 'body2': 'b'}, 'scalars': {'most': " most \
    "}" more "}"
#define ANGLE(low, high)                                                                           \
    ", {'kind': 'user', 'constraint': 'angle', " BODIES "'scalars': {'ratio': 2, 'jointMin': " low \
    ", 'jointMax': " high "}}"

#define BODY_B 2u // of the swing: the wall, a, b

static void expect_near(double value, double expected, double bound, const char *what) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %g, expected %g within %g", what, value, expected, bound);
    }
}

static iso_body_view view_of(const iso_world *world, uint32_t index) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_body_next(world, index), &view), ISO_OK);
    return view;
}

/// Gravity of 10 m/s^2 presses the box on the shelf; a torque tries to turn it.
static void test_rows_of_both_sorts_tell_what_they_bear(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("0", ""));
    const iso_joint_id joint = swing_joint(world, 1);
    const double weight = 10 * to_double(iso__plane_of(world)->body_derived[BODY_B].mass);
    for (int i = 0; i < 120; ++i) {
        assert_int_equal(iso_body_apply_torque(world, iso_body_next(world, BODY_B), ISO_WIDE_ONE / 4), ISO_OK);
        swing_run(world, 1);
    }
    iso_vec2_wide force;
    iso_wide torque;
    assert_int_equal(iso_joint_get_force(world, joint, &force), ISO_OK);
    assert_int_equal(iso_joint_get_torque(world, joint, &torque), ISO_OK);
    expect_near(to_double(force.y), weight, 0.02 * weight, "force [N]");
    expect_near(to_double(force.x), 0, 1e-6, "force across [N]");
    expect_near(to_double(torque), -0.25, 0.005, "torque [N m]");
    expect_near(to_double(view_of(world, BODY_B).position.y), 0, 0.005, "height [m]");
    expect_near(to_double(view_of(world, BODY_B).angle_turns), 0, 0.005, "angle [turns]");
    free(world);
}

/// The wall bears what b does not: the weight, and the torque that it has with it.
static void test_each_body_has_its_impulse(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("0", ""));
    const iso_joint_id joint = swing_joint(world, 1);
    const double rate = (double)world->def.tick_rate_hz * world->def.substep_count;
    const double weight = 10 * to_double(iso__plane_of(world)->body_derived[BODY_B].mass);
    swing_run(world, 60);
    for (uint32_t i = 0; i < 3; ++i) {
        iso_vec2_wide impulse;
        iso_wide turn;
        const iso_status status = iso_joint_get_body_impulse(world, joint, iso_body_next(world, i), &impulse, &turn);
        assert_int_equal(status, i == 1 ? ISO_ERR_WRONG_TYPE : ISO_OK);
        if (status == ISO_OK) {
            expect_near(to_double(impulse.y) * rate, i == 0 ? -weight : weight, 0.01 * weight, "impulse up");
            expect_near(to_double(impulse.x), 0, 1e-6, "impulse across");
            expect_near(to_double(turn), 0, 1e-4, "angular impulse");
        }
    }
    free(world);
}

static void test_strength_is_the_most_of_its_row(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("1", ""));
    const iso_joint_id joint = swing_joint(world, 1);
    const double mass = to_double(iso__plane_of(world)->body_derived[BODY_B].mass);
    swing_run(world, 60);
    iso_vec2_wide force;
    assert_int_equal(iso_joint_get_force(world, joint, &force), ISO_OK);
    expect_near(to_double(force.y), 1, 0.01, "force [N]");
    expect_near(to_double(view_of(world, BODY_B).velocity.y), 1 / mass - 10, 0.05, "speed after a second [m/s]");
    free(world);
}

/// force_max is of rows that move with a place, torque_max of those of rotations alone.
static void test_each_sort_of_row_has_its_maximum(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("0", ", 'force_max': 100, 'torque_max': 0.125"));
    iso_wide torque;
    for (int i = 0; i < 60; ++i) {
        assert_int_equal(iso_body_apply_torque(world, iso_body_next(world, BODY_B), ISO_WIDE_ONE / 4), ISO_OK);
        swing_run(world, 1);
    }
    assert_int_equal(iso_joint_get_torque(world, swing_joint(world, 1), &torque), ISO_OK);
    expect_near(to_double(torque), -0.125, 0.002, "torque [N m]");
    assert_true(to_double(view_of(world, BODY_B).angle_turns) > 0.01);
    expect_near(to_double(view_of(world, BODY_B).position.y), 0, 0.005, "height [m]");
    free(world);
}

/// dC/dt of the first row, C = 2 phiB - phiA.
static void test_speed_is_that_of_the_first_row(void **state) {
    (void)state;
    iso_world *world = swing_make(ANGLE("-1000", "1000"));
    const iso_body_id a = iso_body_next(world, 1), b = iso_body_next(world, BODY_B);
    assert_int_equal(iso_body_set_velocity(world, a, (iso_vec2_wide){0, 0}, ISO_WIDE_ONE), ISO_OK);
    assert_int_equal(iso_body_set_velocity(world, b, (iso_vec2_wide){ISO_WIDE_ONE, 0}, 3 * ISO_WIDE_ONE), ISO_OK);
    iso_wide speed;
    assert_int_equal(iso_joint_get_speed(world, swing_joint(world, 1), &speed), ISO_OK);
    expect_near(to_double(speed), 5, 1e-4, "speed [rad/s]");
    free(world);
}

static void test_separation_is_what_is_beyond_either_bound(void **state) {
    (void)state;
    const struct {
        const char *joints;
        double expected;
    } cases[] = {{ANGLE("0.5", "2"), 0.5}, {ANGLE("-2", "-0.25"), 0.25}, {ANGLE("-1", "1"), 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_world *world = swing_make(cases[i].joints);
        iso_wide separation;
        assert_int_equal(iso_joint_get_angle_error(world, swing_joint(world, 1), &separation), ISO_OK);
        expect_near(to_double(separation), cases[i].expected, 1e-6, "error [rad]");
        assert_int_equal(iso_joint_get_separation(world, swing_joint(world, 1), &separation), ISO_OK);
        assert_int_equal(separation, 0); // no row is a length
        free(world);
    }
}

static void test_new_parameters_wake_the_bodies(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("0", ""));
    const iso_body_id b = iso_body_next(world, BODY_B);
    world->def.sleep_speed = ISO_FIX16_ONE / 20;
    swing_run(world, 120);
    assert_false(iso_body_is_awake(world, b));
    const iso_program_params params = {.scalars = {ISO_WIDE_ONE}};
    assert_int_equal(iso_joint_set_params(world, swing_joint(world, 1), &params, NULL), ISO_OK);
    assert_true(iso_body_is_awake(world, b));
    swing_run(world, 30);
    assert_true(to_double(view_of(world, BODY_B).position.y) < -0.1); // a newton does not carry it
    free(world);
}

/// A root is the same when nothing of it is remembered.
static uint64_t fresh_root(iso_world *world) {
    const uint64_t root = iso_world_root(world);
    iso_world_drop_caches(world);
    assert_true(iso_world_root(world) == root);
    return root;
}

static void test_roots_know_of_breaks_and_programs(void **state) {
    (void)state;
    iso_world *world = swing_make(SHELF("0", ", 'break': {'force': 1}"));
    (void)fresh_root(world);
    for (int i = 0; i < 10; ++i) {
        swing_run(world, 1);
        (void)fresh_root(world);
    }
    assert_int_equal(iso__plane_of(world)->custom_joints[0].state[0], 1);

    static const char source[] = "body b constraint b.rotation";
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    iso_program program;
    uint32_t index;
    assert_int_equal(iso_program_compile(source, sizeof source - 1, scratch, &program, NULL), ISO_OK);
    free(scratch);
    world->globals->program_count = 2; // room for one
    iso_world_drop_caches(world);
    const uint64_t before = fresh_root(world);
    assert_int_equal(iso_world_add_program(world, &program, &index), ISO_OK);
    assert_true(fresh_root(world) != before);
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_both_sorts_tell_what_they_bear),
        cmocka_unit_test(test_each_body_has_its_impulse),
        cmocka_unit_test(test_strength_is_the_most_of_its_row),
        cmocka_unit_test(test_each_sort_of_row_has_its_maximum),
        cmocka_unit_test(test_speed_is_that_of_the_first_row),
        cmocka_unit_test(test_separation_is_what_is_beyond_either_bound),
        cmocka_unit_test(test_new_parameters_wake_the_bodies),
        cmocka_unit_test(test_roots_know_of_breaks_and_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
