/// The ratchet: it turns one way, holds in steps, and remembers the last.
#include "turning_pair.h"

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
        EXPECT_NEAR(joint_angle_error(is.world, joint), side * (0.5 * side - pressed), 1e-6, "case %d: error", i);
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
        cmocka_unit_test(test_ratchet_turns_one_way_in_steps),
        cmocka_unit_test(test_latch_survives_save_and_snapshot),
        cmocka_unit_test(test_ratchet_between_free_bodies_keeps_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
