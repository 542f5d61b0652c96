/// The filter: two bodies that do not collide, and nothing else.
#include "unit/plane/joint/joint_util.h"

/// With the filter two discs pass through each other unmoved; without it, or when it is off, they bounce.
static void test_filter_lets_two_bodies_pass(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(0);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -2, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0.1, 0, &disc);
        const iso_joint_def def = joint_def(ISO_JOINT_FILTER, a, b);
        const iso_joint_id joint = joint_add(world, &def);
        if (i == 1) {
            EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
        } else if (i == 2) {
            EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
        }
        body_set_velocity(world, a, 2, 0, 0);
        body_set_velocity(world, b, -2, 0, 0);
        world_steps(world, 120);
        EXPECT((body_pose(world, a).x > 1.9) == (i == 0), "case %d: A is at %g m", i, body_pose(world, a).x);
        if (i == 0) {
            assert_true(body_pose(world, a).vx == 2 && body_pose(world, b).vx == -2 && body_pose(world, a).y == 0);
        }
        world_free(world);
    }
}

/// It connects nothing: what has force, torque or error is zero, islands stay apart, and a third body still collides.
static void test_filter_does_nothing_else(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def ground = shape_box(10, 0.5), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.3, 0.5, 0, &box);
    const iso_joint_def def = joint_def(ISO_JOINT_FILTER, a, b);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    assert_int_equal(world_counts(world).islands, 2);
    EXPECT_NEAR(body_pose(world, a).y, 0.5, 0.01, "A stands");
    EXPECT_NEAR(body_pose(world, b).y, 0.5, 0.01, "B stands");
    EXPECT_NEAR(body_pose(world, b).x - body_pose(world, a).x, 0.3, 1e-3, "within each other");
    double fx, fy;
    joint_force(world, joint, &fx, &fy);
    assert_true(fx == 0 && fy == 0 && joint_torque(world, joint) == 0 && joint_separation(world, joint) == 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter_lets_two_bodies_pass),
        cmocka_unit_test(test_filter_does_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
