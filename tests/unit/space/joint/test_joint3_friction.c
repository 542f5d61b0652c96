/// The friction joint in space: it stops what slides and turns as the closed forms say, makes no momentum, and breaks.
#include "unit/space/joint/joint3_util.h"

static const vec3 NONE = {0, 0, 0};

static iso_joint_id brake(iso_world *world, iso_body_id a, iso_body_id b, double force, double torque) {
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_FRICTION);
    def.body_a = a;
    def.body_b = b;
    def.force_max = wide(force);
    def.torque_max = wide(torque);
    return joint3_add(world, &def);
}

/// 2 kg, 3 m/s, 4 N: 2 m/s^2 for 1.5 s, along a way of v^2/2a - v h/2 with the substep h.
static void test_a_sliding_body_stops_after_its_way(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id body = body3_sphere(world, NONE, 0.5, 2.0);
    const iso_joint_id joint = brake(world, body3_fixed(world, NONE), body, 4.0, 1.0);
    body3_set(world, body, (vec3){1.8, 0, 2.4}, NONE);
    world_steps(world, 30);
    EXPECT_NEAR(vec3_length(body3_velocity(world, body)), 2.0, 1e-3, "after half a second");
    EXPECT_NEAR(vec3_length(joint3_force(world, joint)), 4.0, 1e-4, "the force is the maximum");
    world_steps(world, 90);
    EXPECT_NEAR(vec3_length(body3_velocity(world, body)), 0.0, 1e-6, "it rests");
    const vec3 at = body3_centre(world, body);
    EXPECT_NEAR(vec3_length(at), 9.0 / 4.0 - 3.0 / 480.0, 1e-3, "the way");
    EXPECT_NEAR(at.x / at.z, 0.75, 1e-4, "along a straight line");
    EXPECT_NEAR(joint3_separation(world, joint), 0.0, 0.0, "which is no error");
    world_free(world);
}

/// I = 2/5 m r^2 = 0.2 kg m^2, 6 rad/s, 0.4 N m: 2 rad/s^2 for 3 s.
static void test_a_turning_body_stops_after_its_time(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id body = body3_sphere(world, NONE, 0.5, 2.0);
    const iso_joint_id joint = brake(world, body3_fixed(world, NONE), body, 1.0, 0.4);
    body3_set(world, body, NONE, (vec3){0, 6, 0});
    world_steps(world, 60);
    EXPECT_NEAR(body3_spin(world, body).y, 4.0, 2e-3, "after a second");
    EXPECT_NEAR(vec3_length(joint3_torque(world, joint)), 0.4, 1e-4, "the torque is the maximum");
    world_steps(world, 130);
    EXPECT_NEAR(vec3_length(body3_spin(world, body)), 0.0, 1e-6, "it rests");
    world_free(world);
}

/// Two bodies brake each other far from where their anchors once were: momentum and angular momentum stay.
static void test_no_momentum_is_made(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_sphere(world, NONE, 0.5, 2.0), b = body3_sphere(world, (vec3){3, 1, 0}, 0.5, 1.0);
    const double inertia[2] = {0.2, 0.1};
    brake(world, a, b, 3.0, 0.2);
    body3_set(world, a, NONE, (vec3){1, 2, 3});
    body3_set(world, b, (vec3){0, 4, 1}, (vec3){-2, 0, 1});
    vec3 before[2] = {{0, 0, 0}};
    for (int tick = 0; tick <= 300; ++tick) {
        const vec3 p[2] = {vec3_scale(body3_velocity(world, a), 2.0), body3_velocity(world, b)};
        const vec3 sum = vec3_add(p[0], p[1]);
        vec3 turning = vec3_add(vec3_cross(body3_centre(world, a), p[0]), vec3_cross(body3_centre(world, b), p[1]));
        turning = vec3_add(turning, vec3_scale(body3_spin(world, a), inertia[0]));
        turning = vec3_add(turning, vec3_scale(body3_spin(world, b), inertia[1]));
        before[0] = tick == 0 ? sum : before[0];
        before[1] = tick == 0 ? turning : before[1];
        EXPECT_NEAR(vec3_length(vec3_sub(sum, before[0])), 0.0, 2e-3, "momentum at tick %d", tick);
        EXPECT_NEAR(vec3_length(vec3_sub(turning, before[1])), 0.0, 0.03, "angular momentum at tick %d", tick);
        world_steps(world, 1);
    }
    const vec3 between = vec3_sub(body3_spin(world, b), body3_spin(world, a));
    EXPECT_NEAR(vec3_length(between), 0.0, 5e-3, "they turn as one");
    world_free(world);
}

static void test_it_breaks_when_it_must_hold_too_much(void **state) {
    (void)state;
    for (int is_torque = 0; is_torque < 2; ++is_torque) {
        iso_world *world = space_make(is_torque ? 0.0 : -GRAVITY);
        const iso_body_id body = body3_sphere(world, NONE, 0.5, 2.0);
        const iso_joint_id joint = brake(world, body3_fixed(world, NONE), body, 0.0, 0.0); // unlimited
        iso_wide force = wide(is_torque ? 1000 : 21), torque = wide(is_torque ? 3 : 1000);
        EXPECT_STATUS(iso_joint_set_break(world, joint, force, torque, 0, 0, true), ISO_OK);
        world_steps(world, 60);
        assert_true(iso_joint_is_valid(world, joint)); // 20 N, no torque
        force = wide(is_torque ? 1000 : 19);
        EXPECT_STATUS(iso_joint_set_break(world, joint, force, torque, 0, 0, true), ISO_OK);
        for (int tick = 0; tick < 5 && is_torque; ++tick) {
            EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3((vec3){0, 2.9, 0})), ISO_OK);
            world_steps(world, 1);
        }
        assert_true(iso_joint_is_valid(world, joint));
        for (int tick = 0; tick < 5; ++tick) {
            EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3((vec3){0, is_torque ? 3.1 : 0, 0})), ISO_OK);
            world_steps(world, 1);
        }
        assert_false(iso_joint_is_valid(world, joint));
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sliding_body_stops_after_its_way),
        cmocka_unit_test(test_a_turning_body_stops_after_its_time),
        cmocka_unit_test(test_no_momentum_is_made),
        cmocka_unit_test(test_it_breaks_when_it_must_hold_too_much),
    };
    return cmocka_run_group_tests_name("joint3_friction", tests, NULL, NULL);
}
