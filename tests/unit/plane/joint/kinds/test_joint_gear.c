/// The gear, against closed forms.
#include "turning_pair.h"

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
        EXPECT_NEAR(joint_angle_error(is.world, joint), fabs(pair_angle(&is, r)), 1e-6, "ratio %g: error", r);
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
        EXPECT_NEAR(joint_torque(is.world, joint), is.ib * gained / r, 0.01 * is.ib * gained / fabs(r),
                    "ratio %g: torque on B", r);
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
        double before = joint_angle_error(is.world, joint);
        EXPECT_NEAR(before, 2, 1e-4, "case %d: at the start", i);
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double now = joint_angle_error(is.world, joint), speed = (before - now) * 60;
            EXPECT(speed < 0.5001 && speed > 0.4, "case %d: %g rad/s at tick %d", i, speed, t);
            before = now;
        }
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gear_splits_the_momentum_and_keeps_the_ratio),
        cmocka_unit_test(test_gear_hands_a_torque_on),
        cmocka_unit_test(test_gear_slips_beyond_its_torque),
        cmocka_unit_test(test_correction_of_an_angle_has_a_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
