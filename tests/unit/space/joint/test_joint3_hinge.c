// Hinges in space: the motor, its maximum, limits, the axis, wide errors.
#include "unit/space/joint/joint3_util.h"

/// The moment about a principal axis that is x.
static double moment_x(const iso_world *world, iso_body_id body, vec3 half) {
    const double mass = from_wide(body3_view(world, body).mass);
    return mass / 3.0 * (half.y * half.y + half.z * half.z);
}

static void test_motor_turns_both_bodies_apart(void **state) {
    (void)state;
    const double torque = 0.5, speed = 20.0;
    const vec3 half_a = {0.8, 0.3, 0.7}, half_b = {0.2, 0.15, 0.1}; // their L are 2 and 1/2 m
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, (vec3){-1, 0, 0}, (quat){0, 0, 0, 1}, half_a);
    const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.3, 0, 0}, (quat){0, 0, 0, 1}, half_b);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, a, b, (vec3){0, 0, 0}, X_AXIS, (vec3){0, 0, 0});
    def.axes[0].motor_enabled = true;
    def.axes[0].motor_speed = fix(speed);
    def.axes[0].motor_max = wide(torque);
    const iso_joint_id joint = joint3_add(world, &def);
    const double Ia = moment_x(world, a, half_a), Ib = moment_x(world, b, half_b);
    const double rate = torque * (1 / Ia + 1 / Ib);
    const uint32_t ticks = (uint32_t)(0.8 * speed / rate * 60);
    assert_true(ticks > 10);
    world_steps(world, ticks);
    const double expected = rate * ticks / 60;
    EXPECT_NEAR(joint3_speed(world, joint, 0), expected, 5e-4 * expected, "speed while it accelerates");
    EXPECT_NEAR(joint3_torque(world, joint).x, torque, 1e-3 * torque, "torque");
    world_steps(world, ticks);
    EXPECT_NEAR(joint3_speed(world, joint, 0), speed, 1e-4, "speed");
    const double total =
        from_wide3(body3_view(world, a).angular_momentum).x + from_wide3(body3_view(world, b).angular_momentum).x;
    EXPECT_NEAR(total, 0.0, 2e-3 * Ia * fabs(body3_spin(world, a).x), "momentum");
    EXPECT(fabs(joint3_axis(world, joint, 0)) > 1.0, "the angle was %g", joint3_axis(world, joint, 0));
    world_free(world);
}

static void test_motor_at_its_maximum_holds_no_more(void **state) {
    (void)state;
    // An arm of 1 m and 2 kg at the centre is held level by m g l/2 = 10 N m.
    for (int strong = 0; strong < 2; ++strong) {
        iso_world *world = space_make(-GRAVITY);
        const iso_body_id wall = body3_fixed(world, (vec3){0, 0, 0});
        const iso_body_id arm =
            body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.1, 0.1});
        const iso_wide none[3] = {0, 0, 0};
        EXPECT_STATUS(iso_body3_set_mass(world, arm, wide(2.0), none), ISO_OK);
        iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, wall, arm, (vec3){0, 0, 0}, Z_AXIS, (vec3){0, 0, 0});
        def.axes[0].motor_enabled = true;
        def.axes[0].motor_max = wide(strong ? 10.1 : 9.9);
        const iso_joint_id joint = joint3_add(world, &def);
        world_steps(world, 120);
        const double angle = joint3_axis(world, joint, 0);
        if (strong) {
            // It gives way until the rows agree, and has no position to go back to.
            EXPECT_NEAR(angle, 0.0, 0.02, "the angle that the motor holds");
            EXPECT_NEAR(joint3_speed(world, joint, 0), 0.0, 1e-4, "its speed");
            EXPECT_NEAR(joint3_torque(world, joint).z, 10.0, 0.01, "torque");
        } else {
            EXPECT(angle < -0.05, "the weak motor held the arm at %g", angle);
            EXPECT_NEAR(vec3_length(joint3_torque(world, joint)), 9.9, 0.01, "torque");
        }
        world_free(world);
    }
}

static void test_limits_stop_from_both_sides(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        iso_world *world = space_make(0.0);
        const iso_body_id a =
            body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.5, 0.5});
        const iso_body_id b =
            body3_box(world, ISO_BODY_DYNAMIC, (vec3){1.25, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.1, 0.3});
        iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, a, b, (vec3){0.6, 0, 0}, Y_AXIS, (vec3){0, 0, 0});
        def.axes[0].limit_enabled = true;
        def.axes[0].lower = fix(-0.5);
        def.axes[0].upper = fix(0.8);
        const iso_joint_id joint = joint3_add(world, &def);
        body3_set(world, b, (vec3){0, 0, -2.6 * side}, (vec3){0, 4.0 * side, 0});
        double least = 0.0, most = 0.0;
        for (uint32_t tick = 0; tick < 120; ++tick) {
            world_steps(world, 1);
            least = fmin(least, joint3_axis(world, joint, 0));
            most = fmax(most, joint3_axis(world, joint, 0));
            EXPECT(joint3_separation(world, joint) < 3e-3 && joint3_angle_error(world, joint) < 1e-3,
                   "off by %g m, %g rad", joint3_separation(world, joint), joint3_angle_error(world, joint));
        }
        if (side > 0) {
            EXPECT(most > 0.795 && most < 0.81, "it turned to %g", most);
        } else {
            EXPECT(least < -0.495 && least > -0.51, "it turned to %g", least);
        }
        world_free(world);
    }
}

static void test_angle_counts_whole_turns(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_fixed(world, (vec3){0, 0, 0});
    const iso_body_id b =
        body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 0, 0}, quat_of((vec3){0.3, 0.2, 0}), (vec3){0.5, 0.1, 0.3});
    const vec3 axis = quat_rotate(quat_of((vec3){0.3, 0.2, 0}), Z_AXIS);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_HINGE, a, b, (vec3){0, 0, 0}, axis, (vec3){0, 0, 0});
    body3_set(world, b, (vec3){0, 0, 0}, vec3_scale(axis, 7.0));
    world_steps(world, 600);
    EXPECT_NEAR(joint3_axis(world, joint, 0), 70.0, 0.07, "angle after 10 s at 7 rad/s");
    world_free(world);
}

// A door on a vertical hinge, its axis tilted: it swings as a pendulum of g sin(tilt).
static void test_spring_of_the_angle_has_its_frequency(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id wall = body3_fixed(world, (vec3){0, 0, 0});
    const iso_body_id door =
        body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 1.0, 0.03});
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, wall, door, (vec3){0.5, 0, 0}, Y_AXIS, (vec3){0, 0, 0});
    def.axes[0].spring_enabled = true;
    def.axes[0].spring_hertz = fix(0.5);
    def.axes[0].spring_damping_ratio = 0;
    def.axes[0].rest = fix(0.4);
    const iso_joint_id joint = joint3_add(world, &def);
    double first = 0.0, last = 0.0, before = -0.4;
    uint32_t count = 0;
    for (uint32_t tick = 1; tick <= 1200; ++tick) {
        world_steps(world, 1);
        const double now = joint3_axis(world, joint, 0) - 0.4;
        if (before < 0 && now >= 0) {
            last = (tick - now / (now - before)) / 60.0;
            first = count == 0 ? last : first;
            ++count;
        }
        before = now;
    }
    assert_int_equal(count, 10);
    EXPECT_NEAR((last - first) / 9, 2.0, 0.005, "period of 0.5 Hz");
    world_free(world);
}

static void test_axes_from_parallel_to_opposite_come_together(void **state) {
    (void)state;
    // From opposite axes on, every misalignment is taken away: there the sine of the article's error is zero.
    for (uint32_t i = 0; i <= 12; ++i) {
        iso_world *world = space_make(0.0);
        const iso_body_id a = body3_fixed(world, (vec3){0, 0, 0});
        const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 0, 0}, quat_of((vec3){0, PI * i / 12, 0}),
                                        (vec3){0.4, 0.3, 0.2});
        iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_HINGE);
        def.body_a = a;
        def.body_b = b;
        const iso_joint_id joint = joint3_add(world, &def);
        world_steps(world, 300);
        EXPECT(joint3_angle_error(world, joint) < 1e-3, "from %g turns it stayed %g rad off", i / 24.0,
               joint3_angle_error(world, joint));
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor_turns_both_bodies_apart),
        cmocka_unit_test(test_motor_at_its_maximum_holds_no_more),
        cmocka_unit_test(test_limits_stop_from_both_sides),
        cmocka_unit_test(test_angle_counts_whole_turns),
        cmocka_unit_test(test_spring_of_the_angle_has_its_frequency),
        cmocka_unit_test(test_axes_from_parallel_to_opposite_come_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
