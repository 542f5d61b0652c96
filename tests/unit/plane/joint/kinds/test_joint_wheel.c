/// The wheel joint, against closed forms.
#include "slide_tests.h"

/// The motor of a wheel turns B: at its speed, or by M / I, and leaves the way along the line alone.
static void test_wheel_motor_turns_at_its_speed_or_by_its_torque(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        slide is = slide_make(ISO_JOINT_WHEEL, 0.3, 0, 0);
        const double speed = i % 2 ? -4 : 4, torque = body_pose(is.world, is.box).inertia * (i < 2 ? 100 : 2);
        is.def.motor_enabled = true;
        is.def.motor_speed = fix(speed);
        is.def.motor_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &is.def);
        world_steps(is.world, 60);
        const double expected = i < 2 ? speed : speed / 2;
        EXPECT_NEAR(body_pose(is.world, is.box).w, expected, 2e-3, "case %d: angular velocity", i);
        EXPECT_NEAR(joint_speed(is.world, joint), expected, 2e-3, "case %d: speed of the joint", i);
        EXPECT_NEAR(joint_torque(is.world, joint), i < 2 ? 0 : copysign(torque, speed), 1e-3 * torque,
                    "case %d: torque", i);
        EXPECT_NEAR(slide_place(&is), 0, 1e-4, "case %d: along the line", i);
        // Switched off it stops pushing, and the wheel goes on.
        EXPECT_STATUS(iso_joint_set_motor(is.world, joint, false, 0, 0), ISO_OK);
        world_steps(is.world, 30);
        EXPECT_NEAR(body_pose(is.world, is.box).w, expected, 3e-3, "case %d: switched off", i);
        assert_true(joint_torque(is.world, joint) == 0);
        world_free(is.world);
    }
}

int main(void) {
    static iso_joint_kind kind = ISO_JOINT_WHEEL;
    const struct CMUnitTest tests[] = {
        SLIDE_TESTS(&kind),
        cmocka_unit_test_prestate(test_body_turns_freely, &kind),
        cmocka_unit_test(test_wheel_motor_turns_at_its_speed_or_by_its_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
