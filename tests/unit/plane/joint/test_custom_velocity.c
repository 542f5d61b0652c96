/// Rows of a game's functions that constrain a velocity alone.
#include "test_custom_util.h"

#define PACE(low, high, rate, more)                                                                               \
    ", {'kind': 'user', 'constraint': 'pace', 'bodies': {'body1': 'wall', 'body2': 'b'}, 'scalars': {'low': " low \
    ", 'high': " high ", 'rate': " rate "}" more "}"

#define BODY_B 2u // of the swing: the wall, a, b

static void expect_near(double value, double expected, double bound, const char *what) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %g, expected %g within %g", what, value, expected, bound);
    }
}

static iso_body_view body_b(const iso_world *world) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_body_next(world, BODY_B), &view), ISO_OK);
    return view;
}

static void set_velocity(iso_world *world, iso_wide y, iso_wide omega) {
    assert_int_equal(iso_body_set_velocity(world, iso_body_next(world, BODY_B), (iso_vec2_wide){0, y}, omega), ISO_OK);
}

/// Both rows are held from the first tick on, and nothing goes back to where it was.
static void test_a_held_velocity_is_kept_and_no_position(void **state) {
    (void)state;
    iso_world *world = swing_make(PACE("0.5", "0.5", "3", ""));
    const double weight = 10 * to_double(iso__plane_of(world)->body_derived[BODY_B].mass);
    swing_run(world, 60);
    expect_near(to_double(body_b(world).velocity.y), 0.5, 1e-6, "speed [m/s]");
    expect_near(to_double(body_b(world).position.y), 0.5, 1e-4, "height [m]");
    expect_near(to_double(body_b(world).angular_velocity), 3, 1e-5, "turn [rad/s]");
    iso_vec2_wide force;
    assert_int_equal(iso_joint_get_force(world, swing_joint(world, 1), &force), ISO_OK);
    expect_near(to_double(force.y), weight, 1e-3 * weight, "force [N]");
    assert_int_equal(
        iso_body_set_position(world, iso_body_next(world, BODY_B), (iso_vec2_wide){4 * ISO_WIDE_ONE, 0}, 0), ISO_OK);
    swing_run(world, 60);
    expect_near(to_double(body_b(world).position.y), 0.5, 1e-4, "height from the new place [m]");
    iso_wide error;
    assert_int_equal(iso_joint_get_separation(world, swing_joint(world, 1), &error), ISO_OK);
    assert_int_equal(error, 0);
    assert_int_equal(iso_joint_get_angle_error(world, swing_joint(world, 1), &error), ISO_OK);
    assert_int_equal(error, 0);
    free(world);
}

/// Free between the bounds, and stopped at each.
static void test_bounds_are_of_the_velocity(void **state) {
    (void)state;
    iso_world *world = swing_make(PACE("-2", "4", "0", ""));
    set_velocity(world, 3 * ISO_WIDE_ONE, 0);
    swing_run(world, 6);
    expect_near(to_double(body_b(world).velocity.y), 2, 1e-3, "thrown up [m/s]");
    set_velocity(world, 6 * ISO_WIDE_ONE, 0);
    swing_run(world, 1);
    expect_near(to_double(body_b(world).velocity.y), 4, 0.2, "thrown too fast [m/s]");
    swing_run(world, 180);
    expect_near(to_double(body_b(world).velocity.y), -2, 1e-6, "falling [m/s]");
    free(world);
}

/// As an angle joint's motor, with and without reaching its maximum.
static void test_a_held_turn_is_a_motor(void **state) {
    (void)state;
    const char *const most[] = {"0", "0.125"};
    for (int i = 0; i < 2; ++i) {
        char user[400], native[400];
        snprintf(user, sizeof user, PACE("-400", "400", "1.5", ", 'torque_max': %s"), most[i]);
        snprintf(native, sizeof native,
                 ", {'kind': 'angle', 'body_a': 'wall', 'body_b': 'b', 'motor': {'speed': 1.5, 'max': %s}}",
                 i == 0 ? "1000000" : most[i]);
        iso_world *a = swing_make(user), *b = swing_make(native);
        for (int t = 0; t < 60; ++t) {
            swing_run(a, 1);
            swing_run(b, 1);
            expect_near(to_double(body_b(a).angular_velocity), to_double(body_b(b).angular_velocity), 1e-6,
                        "turn [rad/s]");
        }
        assert_true(to_double(body_b(b).angular_velocity) > 0.1);
        assert_int_equal(to_double(body_b(b).angular_velocity) > 1.49, i == 0);
        free(a);
        free(b);
    }
}

/// Slower than what counts as rest, held or at a bound; and what demands no speed lets sleep.
static void test_what_is_paced_stays_awake(void **state) {
    (void)state;
    const char *const joints[] = {PACE("0.001", "0.001", "0", ""), PACE("0.001", "1", "0", ""),
                                  PACE("-1", "-0.001", "0", ""), PACE("0", "0", "0.001", ""), PACE("0", "0", "0", "")};
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; ++i) {
        iso_world *world = swing_make(joints[i]);
        world->def.sleep_speed = ISO_FIX16_ONE / 20;
        assert_int_equal(iso_world_set_gravity(world, (iso_vec2){0, (i == 2 ? 10 : -10) * ISO_FIX16_ONE}), ISO_OK);
        swing_run(world, 300);
        assert_int_equal(iso_body_is_awake(world, iso_body_next(world, BODY_B)), i < 4);
        expect_near(to_double(body_b(world).position.y), i < 2 ? 0.005 : i == 2 ? -0.005 : 0, 1e-4, "height [m]");
        free(world);
    }
}

static void test_a_decoded_world_goes_on_the_same(void **state) {
    (void)state;
    iso_world *a = swing_make(PACE("-2", "4", "1", "")), *b = swing_make("");
    swing_run(a, 40);
    const size_t size = iso_snapshot_size(a);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(a, bytes, size), size);
    assert_int_equal(iso_snapshot_decode(b, bytes, size), ISO_OK);
    for (int t = 0; t < 60; ++t) {
        assert_true(iso_world_root(a) == iso_world_root(b));
        swing_run(a, 1);
        swing_run(b, 1);
    }
    assert_true(iso__plane_of(a)->joints[1].impulse[0] != 0 && iso__plane_of(a)->joints[1].impulse[1] == 0);
    free(bytes);
    free(a);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_held_velocity_is_kept_and_no_position),
        cmocka_unit_test(test_bounds_are_of_the_velocity),
        cmocka_unit_test(test_a_held_turn_is_a_motor),
        cmocka_unit_test(test_what_is_paced_stays_awake),
        cmocka_unit_test(test_a_decoded_world_goes_on_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
