/// The motor joint, which draws a body to a place and an angle of another, against closed forms.
#include "unit/plane/joint/joint_util.h"

/// B reaches the place and the angle in A's frame, no faster than the correction speed, and stays.
static void test_motor_reaches_its_offsets_at_its_speed(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        wheel is = wheel_make(0.5, 0);
        const double x = i % 2 ? -1 : 1.5, y = i < 2 ? 1 : -0.5, angle = i % 2 ? 0.75 : -1;
        iso_joint_def def = joint_def(ISO_JOINT_MOTOR, is.fixed, is.disc);
        def.rest = fix(angle);
        def.correction_max = fix(0.5);
        const iso_joint_id joint = joint_add_at(is.world, &def, x, y, 0, 0);
        double before = joint_separation(is.world, joint), turned = 0;
        for (int t = 0; t < 60; ++t) {
            world_steps(is.world, 1);
            const double now = joint_separation(is.world, joint), angle_now = body_pose(is.world, is.disc).angle;
            EXPECT((before - now) * 60 < 0.5001 && (before - now) * 60 > 0.4, "case %d: %g m/s", i,
                   (before - now) * 60);
            EXPECT(fabs(angle_now - turned) * 60 < 0.5001 && fabs(angle_now - turned) * 60 > 0.4, "case %d: %g rad/s",
                   i, (angle_now - turned) * 60);
            before = now;
            turned = angle_now;
        }
        world_steps(is.world, 360);
        const pose at = body_pose(is.world, is.disc);
        EXPECT_NEAR(at.x, x, 1e-3, "case %d: x", i);
        EXPECT_NEAR(at.y, y, 1e-3, "case %d: y", i);
        EXPECT_NEAR(at.angle, angle, 1e-3, "case %d: angle", i);
        world_free(is.world);
    }
}

/// Soft, it gains F / m and M / I while it is far away; too weak for the weight, it lets the body fall with g - F / m.
static void test_motor_pushes_with_its_maximum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const pose at = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_MOTOR, is.fixed, is.disc);
    def.rest = fix(-200);
    def.hertz = fix(2);
    def.force_max = wide(at.mass * 3);
    def.torque_max = wide(at.inertia * 2);
    const iso_joint_id joint = joint_add_at(is.world, &def, 40, 30, 0, 0);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 3 * 0.8, 5e-3, "vx");
    EXPECT_NEAR(body_pose(is.world, is.disc).vy, 3 * 0.6, 5e-3, "vy");
    EXPECT_NEAR(body_pose(is.world, is.disc).w, -2, 5e-3, "w");
    EXPECT_NEAR(joint_torque(is.world, joint), -2 * at.inertia, 1e-3 * at.inertia, "torque");
    world_free(is.world);

    is = wheel_make(0.5, -GRAVITY);
    def.body_a = is.fixed;
    def.body_b = is.disc;
    joint_add_at(is.world, &def, 0, 0, 0, 0);
    world_steps(is.world, 60);
    const double early = body_pose(is.world, is.disc).vy;
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, is.disc).vy - early, -(GRAVITY - 3) / 2, 5e-3, "fall");
    world_free(is.world);
}

/// A carrier that moves takes B along, at its place in the carrier's frame.
static void test_motor_follows_a_moving_frame(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const iso_body_id carrier = body_add(is.world, ISO_BODY_KINEMATIC, 0, 0, 0);
    iso_joint_def def = joint_def(ISO_JOINT_MOTOR, carrier, is.disc);
    joint_add_at(is.world, &def, 2, 0, 0, 0);
    body_set_velocity(is.world, carrier, 0.5, -0.25, 1);
    world_steps(is.world, 240);
    const pose a = body_pose(is.world, carrier), b = body_pose(is.world, is.disc);
    EXPECT_NEAR(b.x, a.x + 2 * cos(a.angle), 0.02, "x");
    EXPECT_NEAR(b.y, a.y + 2 * sin(a.angle), 0.02, "y");
    EXPECT_NEAR(b.angle, a.angle, 0.01, "angle");
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor_reaches_its_offsets_at_its_speed),
        cmocka_unit_test(test_motor_pushes_with_its_maximum),
        cmocka_unit_test(test_motor_follows_a_moving_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
