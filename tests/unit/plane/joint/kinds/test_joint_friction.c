/// The friction joint, against closed forms.
#include "unit/plane/joint/joint_util.h"

/// Seen from above: a disc that slides at v stops after v m / F and v^2 m / (2 F), one that turns after w I / M.
static void test_friction_stops_what_slides_and_turns(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        wheel is = wheel_make(0.5, 0);
        const pose at = body_pose(is.world, is.disc);
        const double angle = 1.3 * i, v = 3, w = i % 2 ? -4 : 4, force = at.mass * 2, torque = at.inertia * 8;
        iso_joint_def def = joint_def(ISO_JOINT_FRICTION, is.fixed, is.disc);
        def.force_max = wide(force);
        def.torque_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &def);
        body_set_velocity(is.world, is.disc, v * cos(angle), v * sin(angle), w);
        world_steps(is.world, 15);
        EXPECT_NEAR(hypot(body_pose(is.world, is.disc).vx, body_pose(is.world, is.disc).vy), v - 0.5, 2e-3,
                    "speed after 0.25 s");
        EXPECT_NEAR(body_pose(is.world, is.disc).w, w / 2, 2e-3, "angular velocity after 0.25 s");
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        EXPECT_NEAR(fx, -force * cos(angle), 1e-3 * force, "force x");
        EXPECT_NEAR(fy, -force * sin(angle), 1e-3 * force, "force y");
        EXPECT_NEAR(joint_torque(is.world, joint), -copysign(torque, w), 1e-3 * torque, "torque");
        world_steps(is.world, 105);
        const pose end = body_pose(is.world, is.disc);
        EXPECT_NEAR(hypot(end.x, end.y), v * v / 4, 0.01, "way");
        EXPECT_NEAR(fabs(end.angle), w * w / 16, 0.01, "turn");
        EXPECT_NEAR(hypot(end.vx, end.vy), 0, 1e-5, "at rest");
        EXPECT_NEAR(end.w, 0, 1e-5, "at rest");
        EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "where it is is no error");
        world_free(is.world);
    }
}

/// A push below the maximum moves nothing; one above it accelerates by the rest, of force and torque each.
static void test_friction_holds_up_to_its_maximum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const pose at = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_FRICTION, is.fixed, is.disc);
    def.force_max = wide(at.mass * 2);
    def.torque_max = wide(at.inertia * 2);
    joint_add(is.world, &def);
    body_push(is.world, is.disc, at.mass * 1.9, 0, at.inertia * -1.9, 120);
    EXPECT_NEAR(body_pose(is.world, is.disc).x, 0, 1e-3, "it slides");
    EXPECT_NEAR(body_pose(is.world, is.disc).angle, 0, 1e-3, "it turns");
    body_push(is.world, is.disc, at.mass * 3, 0, at.inertia * -3.5, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, 1, 5e-3, "speed");
    EXPECT_NEAR(body_pose(is.world, is.disc).w, -1.5, 5e-3, "angular velocity");
    world_free(is.world);
}

/// Between free bodies friction takes the difference of their speeds and leaves the sum.
static void test_friction_between_free_bodies_keeps_their_momentum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_shape_def box = shape_box(1, 1);
    box.filter.mask = 0;
    const iso_body_id other = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const pose a = body_pose(is.world, other), b = body_pose(is.world, is.disc);
    iso_joint_def def = joint_def(ISO_JOINT_FRICTION, other, is.disc);
    def.force_max = wide(b.mass);
    def.torque_max = wide(b.inertia);
    joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 1, 0, 0);
    for (int t = 0; t < 120; ++t) {
        world_steps(is.world, 1);
        const pose pa = body_pose(is.world, other), pb = body_pose(is.world, is.disc);
        EXPECT_NEAR(a.mass * pa.vx + b.mass * pb.vx, b.mass, 1e-3, "momentum at tick %d", t);
    }
    EXPECT_NEAR(body_pose(is.world, is.disc).vx, body_pose(is.world, other).vx, 1e-3, "they go on together");
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_stops_what_slides_and_turns),
        cmocka_unit_test(test_friction_holds_up_to_its_maximum),
        cmocka_unit_test(test_friction_between_free_bodies_keeps_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
