/// What joints of several kinds make bodies do alike: soft points, maximum forces, bodies that do not move, handles,
/// filters. What one kind does: kinds/. The rows themselves: test_joint_rows.c.
#include "joint_util.h"

// ---- springs -------------------------------------------------------------------------------------

/// A disc on a soft joint without gravity, let go 0.5 m from its place.
static void spring_measure(bool is_target, double hertz, double ratio, double *period, double *decrement) {
    iso_world *world = world_make_small(0);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = revolute_def(fixed, 0, 0, body, 0, 0);
    def.hertz = fix(hertz);
    def.damping_ratio = fix(ratio);
    def = is_target ? target_def(body, 0, 0, hertz, ratio) : def;
    joint_add(world, &def);
    double before = 0.5, times[2] = {0, 0}, peaks[2] = {0, 0}, peak = 0;
    int passages = 0;
    for (int t = 1; t < 3000 && passages < 5; ++t) {
        world_steps(world, 1);
        const double x = body_pose(world, body).x;
        if ((before > 0) != (x > 0)) {
            // Passages 0 and 4 are two periods apart; the swings after 0 and after 2 are of one side.
            times[1] = (t - 1 + before / (before - x)) * world_tick(world);
            times[0] = passages == 0 ? times[1] : times[0];
            peaks[0] = passages == 1 ? peak : peaks[0];
            peaks[1] = passages == 3 ? peak : peaks[1];
            peak = 0;
            ++passages;
        }
        peak = fmax(peak, fabs(x));
        before = x;
    }
    *period = passages == 5 ? (times[1] - times[0]) / 2 : 0;
    *decrement = log(peaks[0] / peaks[1]);
    world_free(world);
}

/// Period 1 / (f sqrt(1 - z^2)), decrement 2 pi z / sqrt(1 - z^2). Implicit steps of h damp like another z of
/// pi f h and lengthen the period by some of that.
static void test_soft_joints_swing_like_a_damped_oscillator(void **state) {
    (void)state;
    const struct { double hertz, ratio; } cases[] = {{1, 0.05}, {1, 0.2}, {0.5, 0.1}, {2, 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int is_target = 0; is_target < 2; ++is_target) {
            double period, decrement;
            spring_measure(is_target, cases[i].hertz, cases[i].ratio, &period, &decrement);
            const double z = cases[i].ratio, root = sqrt(1 - z * z), own = PI * cases[i].hertz / 240;
            print_message("%s, %.1f Hz, ratio %.2f: period %.4f (%.4f) s, decrement %.4f (%.4f)\n",
                          is_target ? "target" : "revolute", cases[i].hertz, z, period, 1 / (cases[i].hertz * root),
                          decrement, 2 * PI * z / root);
            EXPECT_NEAR(period, 1 / (cases[i].hertz * root), 0.01 * period, "period at %g Hz, ratio %g", cases[i].hertz,
                        z);
            EXPECT(decrement > 2 * PI * z / root * 0.97 && decrement < 2 * PI * (z + 2 * own) / root,
                   "decrement at %g Hz, ratio %g: %g, expected %g to %g", cases[i].hertz, z, decrement,
                   2 * PI * z / root, 2 * PI * (z + 2 * own) / root);
        }
    }
}

/// A point that is apart comes together no faster than its correction speed, whatever else the joint has.
static void test_correction_of_a_point_has_a_speed(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_TARGET, ISO_JOINT_WELD};
    for (int i = 0; i < 3; ++i) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(kinds[i], kinds[i] == ISO_JOINT_TARGET ? (iso_body_id){0, 0} : is.fixed, is.disc);
        def.target = iso_vec2_to_wide((iso_vec2){3 * ONE, -4 * ONE});
        def.correction_max = ONE / 2;
        const iso_joint_id joint = joint_add_at(is.world, &def, 3, -4, 0, 0);
        for (int t = 1; t <= 60; ++t) {
            world_steps(is.world, 1);
            EXPECT(joint_separation(is.world, joint) > 5 - t / 120.0 - 1e-4, "kind %d is too fast at tick %d", kinds[i],
                   t);
        }
        EXPECT_NEAR(joint_separation(is.world, joint), 4.5, 0.1, "kind %d after a second", kinds[i]);
        world_free(is.world);
    }
}

/// With a maximum force F a body is drawn no faster than F / m lets it, and one that weighs more falls with g - F / m.
static void test_maximum_force_limits_what_a_joint_does(void **state) {
    (void)state;
    const double shares[] = {0.25, 0.5, 0.9};
    for (int kind = 0; kind < 2; ++kind) {
        for (int i = 0; i < 3; ++i) {
            iso_world *world = world_make_small(-GRAVITY);
            const iso_shape_def disc = shape_circle(0.5);
            const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
            const double mass = body_pose(world, body).mass;
            iso_joint_def def = kind ? target_def(body, 0, 0, 5, 1) : revolute_def(fixed, 0, 0, body, 0, 0);
            def.force_max = wide(shares[i] * mass * GRAVITY);
            const iso_joint_id joint = joint_add(world, &def);
            world_steps(world, 60);
            const double early = body_pose(world, body).vy;
            world_steps(world, 60);
            const double acceleration = body_pose(world, body).vy - early;
            EXPECT_NEAR(acceleration, -(1 - shares[i]) * GRAVITY, 1e-3 * GRAVITY, "kind %d, share %g: acceleration",
                        kind, shares[i]);
            double x, y;
            joint_force(world, joint, &x, &y);
            EXPECT_NEAR(hypot(x, y), from_wide(def.force_max), 1e-4 * from_wide(def.force_max), "force");
            world_free(world);
        }
    }
}

static void test_joints_between_bodies_that_do_not_move_do_nothing(void **state) {
    (void)state;
    static const iso_body_type types[2] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC};
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, types[i % 2], 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, types[i / 2], 10, 0, 0, &disc);
        const iso_joint_def def = revolute_def(a, 0, 0, b, 0, 0);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        const pose at = body_pose(world, a), other = body_pose(world, b);
        assert_true(at.x == 0 && at.y == 0 && at.vx == 0 && other.x == 10 && other.y == 0 && other.vx == 0);
        double x, y;
        joint_force(world, joint, &x, &y);
        assert_true(x == 0 && y == 0);
        assert_true(joint_separation(world, joint) == 10);
        world_free(world);
    }
}

// ---- handles and filters -------------------------------------------------------------------------

static void test_stale_and_bad_joints_are_refused_and_change_nothing(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id fixed = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
    const iso_body_id kept = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0, 0, &disc);
    const iso_body_id gone = body_add_shape(world, ISO_BODY_DYNAMIC, 4, 0, 0, &disc);
    const iso_joint_def between = revolute_def(kept, 0, 0, gone, 0, 0), holding = revolute_def(fixed, 0, 0, kept, 0, 0);
    const iso_joint_id stale = joint_add(world, &between), alive = joint_add(world, &holding);
    EXPECT_STATUS(iso_body_destroy(world, gone), ISO_OK);
    assert_false(iso_joint_is_valid(world, stale));
    assert_true(iso_joint_is_valid(world, alive));
    assert_int_equal(world_counts(world).joints, 1);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const iso_joint_id ids[] = {stale, {0, 0}, {999, 1}, {alive.index, alive.generation + 2}};
    for (int i = 0; i < 4; ++i) {
        iso_joint_def def;
        iso_vec2_wide force;
        iso_wide separation;
        EXPECT_STATUS(iso_joint_get(world, ids[i], &def), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_get_force(world, ids[i], &force), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_get_separation(world, ids[i], &separation), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_get_angle_error(world, ids[i], &separation), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_set_target(world, ids[i], (iso_vec2_wide){0, 0}), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_destroy(world, ids[i]), ISO_ERR_STALE);
    }
    EXPECT_STATUS(iso_joint_set_target(world, alive, (iso_vec2_wide){0, 0}), ISO_ERR_WRONG_TYPE);
    iso_joint_def bad[8];
    for (int i = 0; i < 8; ++i) {
        bad[i] = holding;
    }
    bad[0].body_b = gone;
    bad[1].body_a = (iso_body_id){0, 0};
    bad[2].body_b = fixed;
    bad[3].kind = 99;
    bad[4].anchor_a.x = 61 * ONE;
    bad[5].hertz = -1;
    bad[6].force_max = -1;
    bad[7] = target_def(fixed, 0, 0, 1, 1);
    const iso_status expected[8] = {ISO_ERR_STALE, ISO_ERR_STALE, ISO_ERR_WRONG_TYPE, ISO_ERR_BAD_ENUM,
                                    ISO_ERR_RANGE, ISO_ERR_RANGE, ISO_ERR_RANGE,      ISO_ERR_WRONG_TYPE};
    for (int i = 0; i < 8; ++i) {
        iso_joint_id joint;
        const iso_status status = iso_joint_create(world, &bad[i], &joint);
        EXPECT(status == expected[i], "bad joint %d: %s", i, iso_status_name(status));
    }
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

static void test_connected_bodies_collide_only_when_asked(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; ++collide) {
        iso_world *world = world_make_small(0);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.9, 0, 0, &disc);
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.45, 0.8, 0, &disc);
        // B's index is the lower one in the joint.
        iso_joint_def def = revolute_def(b, -0.45, 0, a, 0.45, 0);
        def.collide_connected = collide;
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 2 + collide);
        // Without the joint they collide again.
        EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 3);
        joint_add(world, &def);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 2 + collide);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft_joints_swing_like_a_damped_oscillator),
        cmocka_unit_test(test_correction_of_a_point_has_a_speed),
        cmocka_unit_test(test_maximum_force_limits_what_a_joint_does),
        cmocka_unit_test(test_joints_between_bodies_that_do_not_move_do_nothing),
        cmocka_unit_test(test_stale_and_bad_joints_are_refused_and_change_nothing),
        cmocka_unit_test(test_connected_bodies_collide_only_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
