/// What springs, limits and motors of angles and lengths make bodies do in joints of several kinds, against closed
/// forms and bounds, and how they are changed. What one kind does: kinds/. The rows themselves: test_axis_rows.c.
#include "joint_util.h"

// ---- springs -------------------------------------------------------------------------------------

/// Measures a swing about `rest` from one side: the period and the logarithmic decrement. @return false: no swing
static bool swing_measure(iso_world *world, iso_joint_id joint, bool is_length, double rest, double *period,
                          double *decrement) {
    double before = (is_length ? joint_length(world, joint) : joint_angle(world, joint)) - rest;
    double first = 0, last = 0, peaks[2] = {0, 0}, peak = 0;
    int passages = 0;
    for (int t = 1; t < 6000 && passages < 5; ++t) {
        world_steps(world, 1);
        const double x = (is_length ? joint_length(world, joint) : joint_angle(world, joint)) - rest;
        if ((before > 0) != (x > 0)) {
            last = (t - 1 + before / (before - x)) * world_tick(world);
            first = passages == 0 ? last : first;
            peaks[0] = passages == 1 ? peak : peaks[0];
            peaks[1] = passages == 3 ? peak : peaks[1];
            peak = 0;
            ++passages;
        }
        peak = fmax(peak, fabs(x));
        before = x;
    }
    *period = (last - first) / 2;
    *decrement = log(peaks[0] / peaks[1]);
    return passages == 5;
}

/// Period 1 / (f sqrt(1 - z^2)), decrement 2 pi z / sqrt(1 - z^2), with the reduced mass or inertia of the pair.
/// Implicit steps of h damp like another z of pi f h.
static void test_springs_swing_like_damped_oscillators(void **state) {
    (void)state;
    const struct { double hertz, ratio; } cases[] = {{1, 0.05}, {1, 0.2}, {0.5, 0.1}, {2, 0.1}};
    for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; ++i) {
        const bool is_length = i % 2, is_free = i / 2 % 2;
        const double f = cases[i / 4].hertz, z = cases[i / 4].ratio, root = sqrt(1 - z * z), own = PI * f / 240;
        wheel is = wheel_make(0.5, 0);
        iso_shape_def other = shape_box(0.3, 0.6);
        other.filter.mask = 0;
        const iso_body_id a = is_free ? body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &other) : is.fixed;
        const iso_body_id b = is_length ? body_add_shape(is.world, ISO_BODY_DYNAMIC, 2.5, 0, 0, &other) : is.disc;
        iso_joint_def def = joint_def(is_length ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE, a, b);
        def.spring_enabled = true;
        def.spring_hertz = fix(f);
        def.spring_damping_ratio = fix(z);
        def.rest = is_length ? fix(2) : fix(0.5);
        const iso_joint_id joint = joint_add(is.world, &def);
        double period, decrement;
        assert_true(swing_measure(is.world, joint, is_length, from_fix(def.rest), &period, &decrement));
        print_message("%s, %.1f Hz, ratio %.2f: period %.4f (%.4f) s, decrement %.4f (%.4f)\n",
                      is_length ? "length" : "angle", f, z, period, 1 / (f * root), decrement, 2 * PI * z / root);
        EXPECT_NEAR(period, 1 / (f * root), 0.01 * period, "period at %g Hz, ratio %g", f, z);
        EXPECT(decrement > 2 * PI * z / root * 0.97 && decrement < 2 * PI * (z + 2 * own) / root,
               "decrement at %g Hz, ratio %g: %g, expected %g", f, z, decrement, 2 * PI * z / root);
        world_free(is.world);
    }
}

/// A spring of 0 Hz is none: what it is the only part of holds nothing.
static void test_springs_of_no_frequency_pull_nothing(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_ANGLE, ISO_JOINT_DISTANCE, ISO_JOINT_LINE};
    for (int i = 0; i < 4; ++i) {
        const bool turns = i < 2;
        wheel is = wheel_make(0.5, turns ? 0 : -GRAVITY);
        iso_joint_def def = joint_def(kinds[i], is.fixed, is.disc);
        def.axis = (iso_vec2){0, ONE};
        def.spring_enabled = true;
        def.spring_hertz = 0;
        def.rest = ONE / 4;
        const iso_joint_id joint = joint_add(is.world, &def);
        body_set_velocity(is.world, is.disc, 0, 0, turns ? 3 : 0);
        world_steps(is.world, 30);
        const pose at = body_pose(is.world, is.disc);
        EXPECT_NEAR(turns ? at.w : at.vy, turns ? 3 : -GRAVITY / 2, 1e-6, "kind %d", kinds[i]);
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        assert_true(fx == 0 && fy == 0 && joint_torque(is.world, joint) == 0);
        world_free(is.world);
    }
}

/// A spring that may pull with half the weight lets the body fall with half the acceleration.
static void test_maximum_force_and_torque_limit_springs(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const double weight = body_pose(is.world, is.disc).mass * GRAVITY, inertia = body_pose(is.world, is.disc).inertia;
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, is.disc);
    def.force_max = wide(weight / 2);
    joint_add(is.world, &def);
    world_steps(is.world, 60);
    const double early = body_pose(is.world, is.disc).vy;
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vy - early, -GRAVITY / 2, 0.01 * GRAVITY, "acceleration on a weak rod");
    world_free(is.world);

    is = wheel_make(0.5, 0);
    def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.spring_enabled = true;
    def.spring_hertz = fix(10);
    def.rest = fix(1000);
    def.torque_max = wide(inertia);
    joint_add(is.world, &def);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).w, 1, 2e-3, "speed after a second of weak torque");
    world_free(is.world);
}

// ---- parts that do nothing -----------------------------------------------------------------------

static void test_parts_between_bodies_that_do_not_move_do_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_KINEMATIC, 3, 0, 0, &disc);
        iso_joint_def def = joint_def(kind ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE, a, b);
        def.motor_enabled = kind == 0;
        def.motor_speed = ONE;
        def.motor_max = wide(1000);
        def.limit_enabled = true;
        def.lower = def.upper = ONE;
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        assert_true(body_pose(world, b).x == 3 && body_pose(world, b).w == 0);
        assert_true(joint_torque(world, joint) == 0);
        world_free(world);
    }
}

/// A disabled joint is not there: its body falls, its bodies collide, and its impulses are forgotten.
static void test_disabled_joint_lets_go(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id a = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -0.9, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, a, b);
    def.anchor_b.y = fix(0.9);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    assert_int_equal(world_counts(world).contacts, 0);
    EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
    assert_true(force.x == 0 && force.y == 0);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).contacts, 1);
    world_steps(world, 59);
    EXPECT(body_pose(world, b).y < -3, "it hangs still, at %g", body_pose(world, b).y);
    EXPECT_STATUS(iso_joint_enable(world, joint, true), ISO_OK);
    world_steps(world, 240);
    EXPECT(joint_separation(world, joint) < 0.02, "it was not caught: %g m", joint_separation(world, joint));
    world_free(world);
}

// ---- handles and bounds --------------------------------------------------------------------------

static void test_changes_are_checked_and_change_nothing_on_error(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    const iso_joint_id revolute = joint_add(is.world, &def);
    def.kind = ISO_JOINT_DISTANCE;
    const iso_joint_id distance = joint_add(is.world, &def);
    def.kind = ISO_JOINT_TARGET;
    const iso_joint_id target = joint_add(is.world, &def), stale = {target.index, target.generation + 2};
    iso_world *world = is.world;
    world_steps(world, 3);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const fix16_t most = 32767 * ONE;
    EXPECT_STATUS(iso_joint_set_motor(world, stale, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_limits(world, stale, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_spring(world, stale, true, 0, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_break(world, stale, 0, 0, 0, 0, true), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_enable(world, stale, true), ISO_ERR_STALE);
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_torque(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_angle(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_length(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_speed(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_motor(world, distance, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_motor(world, target, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_limits(world, target, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_spring(world, target, true, 0, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, most + 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, 0, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, -most - 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, distance, true, -1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, distance, true, ONE, ONE, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, 1000 * ONE + 1, ONE, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, ONE, -1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_break(world, revolute, -1, 0, 0, 0, true), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_break(world, revolute, 0, 0, 0, -1, true), ISO_ERR_RANGE);
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    // The bounds themselves are taken, read back, and stepped.
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, -most, INT64_MAX), ISO_OK);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, -most, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, 1000 * ONE, 1000 * ONE, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_limits(world, distance, true, 0, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_spring(world, distance, true, 1, 0, most), ISO_OK);
    EXPECT_STATUS(iso_joint_get(world, revolute, &def), ISO_OK);
    assert_true(def.motor_enabled && def.motor_speed == -most && def.motor_max == INT64_MAX && def.lower == -most &&
                def.upper == most && def.rest == most && def.spring_hertz == 1000 * ONE);
    world_steps(world, 60);
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(world, bytes, size), ISO_OK); // what the extremes lead to is a state
    free(bytes);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs_swing_like_damped_oscillators),
        cmocka_unit_test(test_springs_of_no_frequency_pull_nothing),
        cmocka_unit_test(test_maximum_force_and_torque_limit_springs),
        cmocka_unit_test(test_parts_between_bodies_that_do_not_move_do_nothing),
        cmocka_unit_test(test_disabled_joint_lets_go),
        cmocka_unit_test(test_changes_are_checked_and_change_nothing_on_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
