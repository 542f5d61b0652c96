/// The angle joint: springs, limits and motors of a weighed angle, against closed forms.
#include "turning_pair.h"

/// r wB - wA, from the bodies.
static double pair_speed(const pair *is, double ratio) {
    return ratio * body_pose(is->world, is->b).w - body_pose(is->world, is->a).w;
}

/// The spring's frequency is that of the pair, whatever the ratio: period 1 / (f sqrt(1 - z^2)) about the rest.
static void test_rotary_spring_swings_with_its_period(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        pair is = pair_make(ISO_JOINT_ANGLE, ratios[i]);
        const double f = 1.5, z = 0.1, rest = 0.5;
        is.def.spring_enabled = true;
        is.def.spring_hertz = fix(f);
        is.def.spring_damping_ratio = fix(z);
        is.def.rest = fix(rest);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        double before = -rest, first = 0, last = 0;
        int passages = 0;
        for (int t = 1; t < 900; ++t) {
            world_steps(is.world, 1);
            const double x = joint_angle(is.world, joint) - rest;
            EXPECT_NEAR(joint_angle(is.world, joint), pair_angle(&is, ratios[i]), 1e-6, "angle");
            if ((before > 0) != (x > 0) && passages < 5) {
                last = (t - 1 + before / (before - x)) / 60;
                first = passages == 0 ? last : first;
                ++passages;
            }
            before = x;
        }
        const double period = 1 / (f * sqrt(1 - z * z));
        assert_int_equal(passages, 5);
        EXPECT_NEAR((last - first) / 2, period, 0.01 * period, "ratio %g: period", ratios[i]);
        EXPECT_NEAR(before, 0, 1e-3, "ratio %g: at rest", ratios[i]);
        world_free(is.world);
    }
}

/// A torque on B turns the pair to the one limit, one the other way to the other.
static void test_limits_of_the_angle_are_reached_from_both_sides(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        pair is = pair_make(ISO_JOINT_ANGLE, ratios[i]);
        EXPECT_STATUS(iso_body_set_type(is.world, is.a, ISO_BODY_STATIC), ISO_OK);
        is.def.limit_enabled = true;
        is.def.lower = fix(-1);
        is.def.upper = fix(7.5);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        for (int side = 0; side < 2; ++side) {
            const double torque = (side ? -1 : 1) * copysign(is.ib * 5, ratios[i]);
            double least = 0, most = 0;
            for (int t = 0; t < 300; ++t) {
                step_with_torque(is.world, is.b, torque / fabs(ratios[i]), 1);
                least = fmin(least, pair_angle(&is, ratios[i]));
                most = fmax(most, pair_angle(&is, ratios[i]));
            }
            EXPECT(least > -1.02 && most < 7.52, "ratio %g: it left its limits: %g to %g", ratios[i], least, most);
            EXPECT_NEAR(pair_angle(&is, ratios[i]), side ? -1 : 7.5, 2e-3, "ratio %g: angle", ratios[i]);
            EXPECT_NEAR(joint_torque(is.world, joint), -torque / fabs(ratios[i]), 2e-3 * is.ib, "ratio %g: torque on B",
                        ratios[i]);
            EXPECT_NEAR(joint_angle_error(is.world, joint), 0, 2e-3, "ratio %g: error", ratios[i]);
        }
        world_free(is.world);
    }
}

/// The motor keeps r wB - wA. Its impulses are -1 on A and r on B, so r IA wA + IB wB stays.
static void test_motor_keeps_a_weighed_difference_of_speeds(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        pair is = pair_make(ISO_JOINT_ANGLE, ratios[i]);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(4);
        is.def.motor_max = wide(1000);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        turn(is.world, is.a, 1);
        world_steps(is.world, 120);
        const double wa = body_pose(is.world, is.a).w, wb = body_pose(is.world, is.b).w;
        EXPECT_NEAR(pair_speed(&is, ratios[i]), 4, 1e-3, "ratio %g: speed", ratios[i]);
        EXPECT_NEAR(joint_speed(is.world, joint), 4, 1e-3, "ratio %g: speed of the joint", ratios[i]);
        EXPECT_NEAR(ratios[i] * is.ia * wa + is.ib * wb, ratios[i] * is.ia, 2e-3 * (is.ib + fabs(ratios[i]) * is.ia),
                    "ratio %g: momentum", ratios[i]);
        world_free(is.world);
    }
}

/// At its maximum the motor's torque is M on A and r M on B.
static void test_motor_with_a_ratio_has_a_maximum_torque(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        pair is = pair_make(ISO_JOINT_ANGLE, ratios[i]);
        const double most = is.ib * 2 / fabs(ratios[i]);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(30000);
        is.def.motor_max = wide(most);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        EXPECT_NEAR(body_pose(is.world, is.b).w, copysign(2, ratios[i]), 5e-3, "ratio %g: B after a second", ratios[i]);
        EXPECT_NEAR(body_pose(is.world, is.a).w, -most / is.ia, 5e-3 * (1 + most / is.ia), "ratio %g: A after a second",
                    ratios[i]);
        EXPECT_NEAR(joint_torque(is.world, joint), ratios[i] * most, 1e-3 * is.ib, "ratio %g: torque on B", ratios[i]);
        world_free(is.world);
    }
}

/// Torques are right for bodies of every size: with M = 2 I a disc gains 2 rad/s each second.
static void test_torque_is_right_for_bodies_of_every_size(void **state) {
    (void)state;
    for (double radius = 0.006; radius < 60; radius *= 2) {
        wheel is = wheel_make(radius, 0);
        const double torque = 2 * body_pose(is.world, is.disc).inertia;
        iso_joint_def def = joint_def(ISO_JOINT_ANGLE, is.fixed, is.disc);
        def.motor_enabled = true;
        def.motor_speed = fix(100);
        def.motor_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 60);
        const double quanta = 8 * QUANTUM_WIDE / torque;
        EXPECT_NEAR(joint_torque(is.world, joint), torque, torque * (1e-3 + quanta), "torque on a disc of %g m",
                    radius);
        EXPECT_NEAR(body_pose(is.world, is.disc).w, 2, 2e-3 + 0.1 * quanta + 1e-3 / radius, "disc of %g m", radius);
        world_free(is.world);
    }
}

/// A servo with a maximum torque, and one with a maximum of its spring alone beside a limit that holds with more.
static void test_spring_turns_with_its_maximum(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        wheel is = wheel_make(0.5, 0);
        const double inertia = body_pose(is.world, is.disc).inertia;
        iso_joint_def def = joint_def(ISO_JOINT_ANGLE, is.fixed, is.disc);
        def.spring_enabled = true;
        def.spring_hertz = fix(5);
        def.rest = fix(i ? -500 : 500);
        def.spring_max = wide(inertia * 2);
        def.limit_enabled = true;
        def.lower = fix(-2);
        def.upper = fix(2);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 60);
        EXPECT_NEAR(joint_speed(is.world, joint), i ? -2 : 2, 5e-3, "speed after a second");
        EXPECT_NEAR(joint_torque(is.world, joint), i ? -2 * inertia : 2 * inertia, 1e-3 * inertia, "torque");
        world_steps(is.world, 120);
        EXPECT_NEAR(joint_angle(is.world, joint), i ? -2 : 2, 2e-3, "at the limit");
        EXPECT_NEAR(joint_torque(is.world, joint), 0, 1e-3 * inertia, "spring and limit together");
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotary_spring_swings_with_its_period),
        cmocka_unit_test(test_limits_of_the_angle_are_reached_from_both_sides),
        cmocka_unit_test(test_motor_keeps_a_weighed_difference_of_speeds),
        cmocka_unit_test(test_motor_with_a_ratio_has_a_maximum_torque),
        cmocka_unit_test(test_torque_is_right_for_bodies_of_every_size),
        cmocka_unit_test(test_spring_turns_with_its_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
