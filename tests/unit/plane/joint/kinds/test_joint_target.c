/// The target joint: a body is dragged to a point of the world, by a spring.
#include "unit/plane/joint/joint_util.h"

static void test_target_drags_an_anchor_to_its_point_and_follows_it(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(1, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const iso_joint_def def = target_def(body, 4, 3, 4, 1);
    const iso_joint_id joint = joint_add(world, &def);
    EXPECT_NEAR(joint_separation(world, joint), hypot(4, 3), 1e-6, "separation at the start");
    world_steps(world, 300);
    EXPECT(joint_separation(world, joint) < 1e-3, "still %g m away", joint_separation(world, joint));
    EXPECT_STATUS(iso_joint_set_target(world, joint, (iso_vec2_wide){wide(-10) + 1, wide(2) - 1}), ISO_OK);
    iso_joint_def read;
    EXPECT_STATUS(iso_joint_get(world, joint, &read), ISO_OK);
    assert_true(read.target.x == wide(-10) + 1 && read.target.y == wide(2) - 1);
    EXPECT(joint_separation(world, joint) > 13, "the new target is not far");
    world_steps(world, 300);
    EXPECT(joint_separation(world, joint) < 1e-3, "%g m from the new target", joint_separation(world, joint));
    world_free(world);
}

/// In rest a spring of stiffness m w^2 gives way by g / w^2.
static void test_soft_joint_gives_way_by_the_weight(void **state) {
    (void)state;
    const double hertz[] = {1, 2, 5};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.3);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &disc);
        const iso_joint_def def = target_def(body, 3, 0, hertz[i], 1);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 900);
        const double sag = GRAVITY / pow(2 * PI * hertz[i], 2);
        EXPECT_NEAR(body_pose(world, body).y, -sag, 0.01 * sag, "sag at %g Hz", hertz[i]);
        EXPECT_NEAR(joint_separation(world, joint), sag, 0.01 * sag, "separation at %g Hz", hertz[i]);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target_drags_an_anchor_to_its_point_and_follows_it),
        cmocka_unit_test(test_soft_joint_gives_way_by_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
