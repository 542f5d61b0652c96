/// The line joint, against closed forms.
#include "slide_tests.h"

/// A bead on a wire that turns at W, from r0 at rest along it: r = r0 cosh(W t).
static void test_bead_is_flung_off_a_turning_wire(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.1);
    disc.filter.mask = 0;
    const iso_body_id wire = body_add(world, ISO_BODY_KINEMATIC, 0, 0, 0);
    const iso_body_id bead = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, wire, bead);
    const iso_joint_id joint = joint_add(world, &def);
    const double turn = 1.5;
    body_set_velocity(world, wire, 0, 0, turn);
    body_set_velocity(world, bead, 0, 0.5 * turn, 0);
    for (int t = 1; t <= 120; ++t) {
        world_steps(world, 1);
        const double expected = 0.5 * cosh(turn * t / 60);
        EXPECT_NEAR(joint_length(world, joint), expected, 0.01 * expected, "at tick %d", t);
    }
    EXPECT_NEAR(joint_separation(world, joint), 0, 0.01, "beside the wire");
    world_free(world);
}

/// A bead slides out on a bar that turns freely: (I + m r^2) W stays, and the centre of mass rests.
static void test_bead_and_bar_keep_their_angular_momentum(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.2), bar = shape_box(2, 0.1);
    disc.filter.mask = bar.filter.mask = 0;
    const iso_body_id carrier = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &bar);
    const iso_body_id bead = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_LINE, carrier, bead);
    def.limit_enabled = true;
    def.lower = fix(-1.5);
    def.upper = fix(1.5);
    const iso_joint_id joint = joint_add(world, &def);
    const pose a = body_pose(world, carrier), b = body_pose(world, bead);
    body_set_velocity(world, carrier, 0, 0, 2);
    body_set_velocity(world, bead, 0, 0.5 * 2, 0);
    const double share = b.mass / (a.mass + b.mass), reduced = a.mass * share;
    const double momentum = 2 * a.inertia + reduced * 0.5 * 0.5 * 2;
    for (int t = 0; t < 240; ++t) {
        world_steps(world, 1);
        const pose bar_at = body_pose(world, carrier), at = body_pose(world, bead);
        const double x = at.x - bar_at.x, y = at.y - bar_at.y, vx = at.vx - bar_at.vx, vy = at.vy - bar_at.vy;
        const double now = a.inertia * bar_at.w + b.inertia * at.w + reduced * (x * vy - y * vx);
        EXPECT_NEAR(now, momentum, 0.01 * momentum, "angular momentum at tick %d", t);
        EXPECT_NEAR(a.mass * bar_at.vx + b.mass * at.vx, 0, 1e-3, "momentum x");
        EXPECT_NEAR(a.mass * bar_at.vy + b.mass * at.vy, b.mass, 1e-3, "momentum y");
    }
    // At the end of the bar it stays, and with it the bar turns slower.
    EXPECT_NEAR(joint_length(world, joint), 1.5, 5e-3, "place of the bead");
    EXPECT_NEAR(body_pose(world, carrier).w, momentum / (a.inertia + reduced * 1.5 * 1.5), 0.02, "angular velocity");
    world_free(world);
}

int main(void) {
    static iso_joint_kind kind = ISO_JOINT_LINE;
    const struct CMUnitTest tests[] = {
        SLIDE_TESTS(&kind),
        cmocka_unit_test_prestate(test_linear_motor_keeps_its_speed_or_its_force, &kind),
        cmocka_unit_test_prestate(test_body_turns_freely, &kind),
        cmocka_unit_test(test_bead_is_flung_off_a_turning_wire),
        cmocka_unit_test(test_bead_and_bar_keep_their_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
