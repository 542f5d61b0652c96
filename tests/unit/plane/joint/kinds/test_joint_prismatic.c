/// The prismatic joint, against closed forms.
#include "slide_tests.h"

/// It holds the angle at its reference against a torque, and says which.
static void test_prismatic_holds_the_angle(void **state) {
    (void)state;
    iso_joint_id joint;
    slide is = slide_turned(ISO_JOINT_PRISMATIC, &joint);
    EXPECT_NEAR(joint_angle(is.world, joint), 0.8, 1e-3, "angle");
    EXPECT_NEAR(joint_torque(is.world, joint), -0.5, 1e-3, "torque");
    world_free(is.world);
}

/// A prismatic joint that is not at its reference turns there.
static void test_prismatic_turns_to_its_reference(void **state) {
    (void)state;
    slide is = slide_make(ISO_JOINT_PRISMATIC, 0, 0, 0);
    is.def.reference = fix(1.25);
    const iso_joint_id joint = joint_add(is.world, &is.def);
    world_steps(is.world, 120);
    EXPECT_NEAR(joint_angle(is.world, joint), 1.25, 1e-3, "angle");
    world_free(is.world);
}

int main(void) {
    static iso_joint_kind kind = ISO_JOINT_PRISMATIC;
    const struct CMUnitTest tests[] = {
        SLIDE_TESTS(&kind),
        cmocka_unit_test_prestate(test_linear_motor_keeps_its_speed_or_its_force, &kind),
        cmocka_unit_test(test_prismatic_holds_the_angle),
        cmocka_unit_test(test_prismatic_turns_to_its_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
