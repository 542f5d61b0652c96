// Fixed joints, motors and targets in space.
#include "unit/space/joint/joint3_util.h"

#define BOX_HALF ((vec3){0.4, 0.2, 0.3})

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

static vec3 momentum_about_origin(const iso_world *world, iso_body_id body) {
    const iso_body3_view view = body3_view(world, body);
    const vec3 p = vec3_scale(from_wide3(view.velocity), from_wide(view.mass));
    return vec3_add(from_wide3(view.angular_momentum), vec3_cross(from_wide3(view.centre), p));
}

static void test_two_bodies_tumble_as_one(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, (vec3){-0.5, 0, 0}, NO_TURN, BOX_HALF);
    const iso_body_id b =
        body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.6, 0.1, 0}, quat_of((vec3){0.3, 0.5, -0.2}), BOX_HALF);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_FIXED, a, b, NONE, X_AXIS, NONE);
    const vec3 spin = {1.0, 2.0, 0.5};
    body3_set(world, a, vec3_cross(spin, body3_centre(world, a)), spin);
    body3_set(world, b, vec3_cross(spin, body3_centre(world, b)), spin);
    const vec3 before = vec3_add(momentum_about_origin(world, a), momentum_about_origin(world, b));
    double apart = 0.0, turned = 0.0;
    for (uint32_t tick = 0; tick < 300; ++tick) {
        world_steps(world, 1);
        apart = fmax(apart, joint3_separation(world, joint));
        turned = fmax(turned, joint3_angle_error(world, joint));
    }
    EXPECT(apart < 1e-3 && turned < 1e-3, "off by %g m, %g rad", apart, turned);
    EXPECT(apart > 0 && turned > 0, "nothing was off at all");
    const vec3 after = vec3_add(momentum_about_origin(world, a), momentum_about_origin(world, b));
    const double lost = vec3_length(vec3_sub(after, before)) / vec3_length(before);
    EXPECT(lost < 2e-3, "%g of the momentum was lost", lost);
    world_free(world);
}

static void test_wall_carries_a_beam(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id beam = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1, 0, 0}, NO_TURN, (vec3){1, 0.1, 0.1});
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_FIXED, wall, beam, NONE, X_AXIS, NONE);
    world_steps(world, 300);
    const double weight = from_wide(body3_view(world, beam).mass) * GRAVITY;
    EXPECT_NEAR(joint3_force(world, joint).y, weight, 1e-3 * weight, "force");
    EXPECT_NEAR(joint3_torque(world, joint).z, weight, 0.01 * weight, "torque"); // on a lever of 1 m
    EXPECT(joint3_separation(world, joint) < 1e-3, "%g m off", joint3_separation(world, joint));
    EXPECT(joint3_angle_error(world, joint) < 1e-3, "%g rad off", joint3_angle_error(world, joint));
    EXPECT_NEAR(vec3_length(body3_velocity(world, beam)), 0.0, 1e-4, "speed");
    world_free(world);
}

static void test_soft_joint_gives_by_its_stiffness(void **state) {
    (void)state;
    // At its centre a body of any mass sags by g / (2 pi f)^2.
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_FIXED, wall, box, NONE, X_AXIS, NONE);
    def.hertz = fix(2.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 600);
    const double sag = GRAVITY / (16 * PI * PI);
    EXPECT_NEAR(body3_centre(world, box).y, -sag, 1e-3 * sag, "sag");
    EXPECT_NEAR(joint3_separation(world, joint), sag, 1e-3 * sag, "separation");
    world_free(world);
}

static void test_motor_yields_beyond_its_force(void **state) {
    (void)state;
    // Held by less than its weight a body falls by g - F/m.
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    const double mass = from_wide(body3_view(world, box).mass);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_MOTOR, wall, box, NONE, X_AXIS, NONE);
    def.force_max = wide(0.75 * mass * GRAVITY);
    def.torque_max = wide(3.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 60);
    EXPECT_NEAR(body3_velocity(world, box).y, -0.25 * GRAVITY, 0.01, "speed");
    EXPECT_NEAR(joint3_force(world, joint).y, 0.75 * mass * GRAVITY, 0.01 * mass, "force");
    // A stronger torque turns it by (M - max) / I about x.
    const double I = mass / 3 * (BOX_HALF.y * BOX_HALF.y + BOX_HALF.z * BOX_HALF.z);
    for (uint32_t tick = 0; tick < 30; ++tick) {
        EXPECT_STATUS(iso_body3_apply_torque(world, box, wide3((vec3){5.0, 0, 0})), ISO_OK);
        world_steps(world, 1);
    }
    EXPECT_NEAR(body3_spin(world, box).x, 0.5 * 2.0 / I, 0.02 / I, "spin");
    EXPECT_NEAR(joint3_torque(world, joint).x, -3.0, 0.01, "torque");
    world_free(world);
}

static void test_motor_follows_its_frames(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_MOTOR, wall, box, NONE, X_AXIS, NONE);
    def.hertz = fix(3.0);
    const iso_joint_id joint = joint3_add(world, &def);
    def.frame_a.anchor = fix3((vec3){0.5, -0.25, 0.125});
    def.frame_a.rotation = quat_to(quat_of((vec3){0.3, 0.4, 0.5}));
    EXPECT_STATUS(iso_joint3_set(world, joint, &def), ISO_OK);
    world_steps(world, 240);
    EXPECT(vec3_length(vec3_sub(body3_centre(world, box), (vec3){0.5, -0.25, 0.125})) < 1e-3, "it did not arrive");
    const iso_wide angle = iso_quat_angle(body3_view(world, box).rotation, def.frame_a.rotation);
    EXPECT(from_wide(angle) < 1e-3, "it is %g rad off", from_wide(angle));
    world_free(world);
}

static void test_target_pulls_a_body(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_TARGET);
    def.body_b = box;
    def.frame_b.anchor = fix3((vec3){0.4, 0.2, 0.3});
    def.target = wide3((vec3){100, 50, -20});
    def.hertz = fix(5.0);
    iso_body3_params params = iso_body3_params_default();
    params.angular_damping = fix(3.0); // it comes to hang
    EXPECT_STATUS(iso_body3_set_params(world, box, &params), ISO_OK);
    const double mass = from_wide(body3_view(world, box).mass);
    def.force_max = wide(30 * mass);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 1);
    // It is far: the whole force, less the weight, accelerates.
    EXPECT_NEAR(vec3_length(joint3_force(world, joint)), 30 * mass, 0.01 * mass, "force");
    EXPECT_STATUS(iso_joint3_set_target(world, joint, wide3((vec3){0.5, 0.5, 0.5})), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_maximum(world, joint, 0, 0), ISO_OK);
    world_steps(world, 1200);
    EXPECT_NEAR(joint3_separation(world, joint), GRAVITY / (100 * PI * PI), 1e-4, "sag");
    EXPECT_NEAR(joint3_force(world, joint).y, mass * GRAVITY, 0.01 * mass * GRAVITY, "weight");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bodies_tumble_as_one),          cmocka_unit_test(test_wall_carries_a_beam),
        cmocka_unit_test(test_soft_joint_gives_by_its_stiffness), cmocka_unit_test(test_motor_yields_beyond_its_force),
        cmocka_unit_test(test_motor_follows_its_frames),          cmocka_unit_test(test_target_pulls_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
