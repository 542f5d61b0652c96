/// What joints do that act on angles alone, against closed forms: angle, gear, ratchet.
#include "joint_util.h"

/// Two discs side by side that only turn, of different inertias.
typedef struct pair {
    iso_world *world;
    iso_body_id a, b;
    iso_joint_def def;
    double ia, ib;
} pair;

static pair pair_make(iso_joint_kind kind, double ratio) {
    pair is = {.world = world_make_small(0)};
    const iso_shape_def small = shape_circle(0.4), large = shape_circle(0.7);
    is.a = body_add_shape(is.world, ISO_BODY_DYNAMIC, -2, 0, 0, &small);
    is.b = body_add_shape(is.world, ISO_BODY_DYNAMIC, 2, 0, 0, &large);
    is.def = joint_def(kind, is.a, is.b);
    is.def.ratio = fix(ratio);
    is.ia = body_pose(is.world, is.a).inertia;
    is.ib = body_pose(is.world, is.b).inertia;
    return is;
}

static void turn(iso_world *world, iso_body_id body, double w) {
    body_set_velocity(world, body, 0, 0, w);
}

/// r wB - wA, and the angle of the same, from the bodies.
static double pair_speed(const pair *is, double ratio) {
    return ratio * body_pose(is->world, is->b).w - body_pose(is->world, is->a).w;
}

static double pair_angle(const pair *is, double ratio) {
    return ratio * body_pose(is->world, is->b).angle - body_pose(is->world, is->a).angle;
}

static void step_with_torque(iso_world *world, iso_body_id body, double torque, int ticks) {
    for (int t = 0; t < ticks; ++t) {
        EXPECT_STATUS(iso_body_apply_torque(world, body, wide(torque)), ISO_OK);
        world_steps(world, 1);
    }
}

static const double ratios[] = {1, 0.25, -3, 40};

// ---- angle ---------------------------------------------------------------------------------------

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
            EXPECT_NEAR(joint_torque(is.world, joint), -torque / fabs(ratios[i]), 2e-3 * is.ib, "ratio %g: torque on B", ratios[i]);
            EXPECT_NEAR(joint_separation(is.world, joint), 0, 2e-3, "ratio %g: error", ratios[i]);
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
        EXPECT_NEAR(body_pose(is.world, is.a).w, -most / is.ia, 5e-3 * (1 + most / is.ia), "ratio %g: A after a second", ratios[i]);
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
        EXPECT_NEAR(joint_torque(is.world, joint), torque, torque * (1e-3 + quanta), "torque on a disc of %g m", radius);
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

// ---- gear ----------------------------------------------------------------------------------------

/// A turns; the gear gives B its part at once. IA wA0 is split so that r wB = wA and r IA wA + IB wB = r IA wA0.
static void test_gear_splits_the_momentum_and_keeps_the_ratio(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double r = ratios[i];
        pair is = pair_make(ISO_JOINT_GEAR, r);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        turn(is.world, is.a, 6);
        world_steps(is.world, 60);
        const double wb = r * is.ia * 6 / (r * r * is.ia + is.ib);
        EXPECT_NEAR(body_pose(is.world, is.b).w, wb, 0.01 * fabs(wb) + 1e-4, "ratio %g: B", r);
        EXPECT_NEAR(body_pose(is.world, is.a).w, r * wb, 0.01 * fabs(r * wb) + 1e-4, "ratio %g: A", r);
        // A minute later the angles still stand in the ratio.
        world_steps(is.world, 3600);
        EXPECT_NEAR(pair_angle(&is, r), 0, 1e-3 * fmax(1, fabs(r)), "ratio %g: angle", r);
        EXPECT_NEAR(joint_separation(is.world, joint), fabs(pair_angle(&is, r)), 1e-6, "ratio %g: error", r);
        world_free(is.world);
    }
}

/// A torque on A accelerates both by M / (IA + IB / r^2); the gear's torque on B is IB times B's part of that.
static void test_gear_hands_a_torque_on(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double r = ratios[i];
        pair is = pair_make(ISO_JOINT_GEAR, r);
        is.def.rest = fix(0.75); // the phase
        is.def.hertz = 0;
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 120);
        EXPECT_NEAR(pair_angle(&is, r), 0.75, 1e-3, "ratio %g: phase", r);
        const double before = body_pose(is.world, is.a).w, torque = 3 * is.ia;
        step_with_torque(is.world, is.a, torque, 60);
        const double gained = torque / (is.ia + is.ib / (r * r));
        EXPECT_NEAR(body_pose(is.world, is.a).w - before, gained, 5e-3 * gained + 1e-4, "ratio %g: A", r);
        EXPECT_NEAR(joint_torque(is.world, joint), is.ib * gained / r, 0.01 * is.ib * gained / fabs(r), "ratio %g: torque on B", r);
        world_free(is.world);
    }
}

/// With a maximum torque on A the gear slips: A loses no more than M / IA.
static void test_gear_slips_beyond_its_torque(void **state) {
    (void)state;
    pair is = pair_make(ISO_JOINT_GEAR, 2);
    is.def.torque_max = wide(is.ia / 2);
    joint_add(is.world, &is.def);
    turn(is.world, is.a, 20);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.a).w, 19.5, 5e-3, "A");
    EXPECT_NEAR(body_pose(is.world, is.b).w, 2 * 0.5 * is.ia / is.ib, 5e-3, "B");
    world_free(is.world);
}

/// What is out of phase is corrected no faster than the correction speed.
static void test_correction_of_an_angle_has_a_speed(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        pair is = pair_make(i < 2 ? ISO_JOINT_GEAR : ISO_JOINT_ANGLE, 0.5);
        is.def.rest = fix(i % 2 ? -2 : 2);
        is.def.limit_enabled = i >= 2;
        is.def.lower = fix(i % 2 ? -9 : 2);
        is.def.upper = fix(i % 2 ? -2 : 9);
        is.def.correction_max = fix(0.5);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        double before = joint_separation(is.world, joint);
        EXPECT_NEAR(before, 2, 1e-4, "case %d: at the start", i);
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double now = joint_separation(is.world, joint), speed = (before - now) * 60;
            EXPECT(speed < 0.5001 && speed > 0.4, "case %d: %g rad/s at tick %d", i, speed, t);
            before = now;
        }
        world_free(is.world);
    }
}

// ---- ratchet -------------------------------------------------------------------------------------

/// A disc on a ratchet that holds with `strength` times its inertia, 0: with whatever it takes.
static wheel ratchet_make(double step, double rest, double strength, iso_joint_id *joint) {
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_RATCHET, is.fixed, is.disc);
    def.ratchet = fix(step);
    def.rest = fix(rest);
    def.torque_max = wide(strength * body_pose(is.world, is.disc).inertia);
    *joint = joint_add(is.world, &def);
    return is;
}

/// Driven its own way it turns freely and passes steps; driven back it stops at the last one, and holds there.
static void test_ratchet_turns_one_way_in_steps(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        iso_joint_id joint;
        const double step = i % 2 ? -0.3 : 0.3, side = i % 2 ? -1 : 1, rest = i < 2 ? 0 : 0.05;
        wheel is = ratchet_make(step, rest, 0, &joint);
        const double inertia = body_pose(is.world, is.disc).inertia;
        turn(is.world, is.disc, side);
        world_steps(is.world, 60);
        EXPECT_NEAR(joint_angle(is.world, joint), side, 1e-3, "case %d: it is held up on its way", i);
        double expected = rest + floor((side - rest) / step) * step;
        turn(is.world, is.disc, 0);
        step_with_torque(is.world, is.disc, -side * 4 * inertia, 180);
        EXPECT_NEAR(joint_angle(is.world, joint), expected, 2e-3, "case %d: driven back", i);
        EXPECT_NEAR(joint_torque(is.world, joint), side * 4 * inertia, 0.01 * inertia, "case %d: torque", i);
        // On again, two steps and a bit, and back.
        turn(is.world, is.disc, side * 0.65);
        world_steps(is.world, 60);
        expected += 2 * step;
        step_with_torque(is.world, is.disc, -side * 4 * inertia, 180);
        EXPECT_NEAR(joint_angle(is.world, joint), expected, 2e-3, "case %d: driven back again", i);
        world_free(is.world);
    }
}

/// The latch is state: a body that was pressed back with more than the ratchet's torque returns to the step that it had
/// passed, also after a restore or by way of a snapshot.
static void test_latch_survives_save_and_snapshot(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        iso_joint_id joint;
        const double side = i % 2 ? -1 : 1;
        wheel is = ratchet_make(0.25 * side, 0, 20, &joint);
        const double inertia = body_pose(is.world, is.disc).inertia;
        turn(is.world, is.disc, side);
        world_steps(is.world, 31); // past two steps
        turn(is.world, is.disc, 0);
        step_with_torque(is.world, is.disc, -side * 60 * inertia, 6);
        const double pressed = joint_angle(is.world, joint);
        EXPECT(side * pressed < 0.4, "case %d: pressed to %g rad", i, pressed);
        EXPECT_NEAR(joint_separation(is.world, joint), side * (0.5 * side - pressed), 1e-6, "case %d: error", i);
        const size_t size = i / 2 == 1 ? iso_world_image_size(is.world) : iso_snapshot_size(is.world);
        uint8_t *bytes = malloc(size);
        if (i / 2 == 1) {
            assert_int_equal(iso_world_save(is.world, bytes, size), size);
            turn(is.world, is.disc, 100 * side);
            world_steps(is.world, 10);
            EXPECT_STATUS(iso_world_restore(is.world, bytes, size), ISO_OK);
        } else if (i / 2 == 2) {
            assert_int_equal(iso_snapshot_encode(is.world, bytes, size), size);
            EXPECT_STATUS(iso_snapshot_decode(is.world, bytes, size), ISO_OK);
        }
        free(bytes);
        world_steps(is.world, 1200);
        EXPECT_NEAR(joint_angle(is.world, joint), 0.5 * side, 1e-3, "case %d: angle at the end", i);
        world_free(is.world);
    }
}

/// Between free bodies a ratchet takes the difference and leaves the sum.
static void test_ratchet_between_free_bodies_keeps_their_momentum(void **state) {
    (void)state;
    pair is = pair_make(ISO_JOINT_RATCHET, 1);
    is.def.ratchet = fix(0.1);
    joint_add(is.world, &is.def);
    turn(is.world, is.a, 2);
    turn(is.world, is.b, -1);
    world_steps(is.world, 120);
    const double expected = (2 * is.ia - is.ib) / (is.ia + is.ib);
    EXPECT_NEAR(body_pose(is.world, is.a).w, expected, 0.01, "A");
    EXPECT_NEAR(body_pose(is.world, is.b).w, expected, 0.01, "B");
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotary_spring_swings_with_its_period),
        cmocka_unit_test(test_limits_of_the_angle_are_reached_from_both_sides),
        cmocka_unit_test(test_motor_keeps_a_weighed_difference_of_speeds),
        cmocka_unit_test(test_motor_with_a_ratio_has_a_maximum_torque),
        cmocka_unit_test(test_torque_is_right_for_bodies_of_every_size),
        cmocka_unit_test(test_spring_turns_with_its_maximum),
        cmocka_unit_test(test_gear_splits_the_momentum_and_keeps_the_ratio),
        cmocka_unit_test(test_gear_hands_a_torque_on),
        cmocka_unit_test(test_gear_slips_beyond_its_torque),
        cmocka_unit_test(test_correction_of_an_angle_has_a_speed),
        cmocka_unit_test(test_ratchet_turns_one_way_in_steps),
        cmocka_unit_test(test_latch_survives_save_and_snapshot),
        cmocka_unit_test(test_ratchet_between_free_bodies_keeps_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
