// Universal joints and wheels in space.
#include "unit/space/joint/joint3_util.h"

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

// Two shafts at an angle t: w2 / w1 = cos t / (1 - sin^2 t cos^2 p), between cos t and 1 / cos t, four times a turn.
static void test_universal_turns_as_a_cardan_joint(void **state) {
    (void)state;
    const double t = 0.6;
    iso_world *world = space_make(0.0);
    const vec3 out = {cos(t), sin(t), 0};
    const iso_body_id frame = body3_fixed(world, NONE);
    const iso_body_id driver = body3_box(world, ISO_BODY_DYNAMIC, (vec3){-0.5, 0, 0}, NO_TURN, (vec3){0.5, 0.2, 0.2});
    const iso_body_id driven =
        body3_box(world, ISO_BODY_DYNAMIC, vec3_scale(out, 0.5), quat_of((vec3){0, 0, t}), (vec3){0.5, 0.1, 0.1});
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, frame, driver, (vec3){-1, 0, 0}, X_AXIS, NONE);
    def.axes[0].motor_enabled = true;
    def.axes[0].motor_speed = fix(2.0);
    def.axes[0].motor_max = wide(1e6);
    joint3_add(world, &def);
    joint3_make(world, ISO_JOINT3_HINGE, frame, driven, vec3_scale(out, 1.0), out, NONE);
    // The cross: one arm along z, across the driver's shaft; the other across the driven one and z.
    const vec3 arm = {-sin(t), cos(t), 0};
    const iso_joint_id cross = joint3_make(world, ISO_JOINT3_UNIVERSAL, driver, driven, NONE, Z_AXIS, arm);
    world_steps(world, 60);
    double least = 1e9, most = 0.0;
    for (uint32_t tick = 0; tick < 200; ++tick) {
        world_steps(world, 1);
        const double ratio = vec3_dot(body3_spin(world, driven), out) / body3_spin(world, driver).x;
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        EXPECT(joint3_angle_error(world, cross) < 2e-3, "the cross is %g rad off", joint3_angle_error(world, cross));
    }
    EXPECT_NEAR(least, cos(t), 0.01, "least ratio");
    EXPECT_NEAR(most, 1 / cos(t), 0.01, "largest ratio");
    world_free(world);
}

static void test_universal_limits_stop_both_axes(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 2; ++n) {
        for (int side = -1; side <= 1; side += 2) {
            iso_world *world = space_make(0.0);
            const iso_body_id wall = body3_fixed(world, NONE);
            const iso_body_id arm = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){0.4, 0.3, 0.5});
            iso_joint3_def def = joint3_def(world, ISO_JOINT3_UNIVERSAL, wall, arm, NONE, X_AXIS, Y_AXIS);
            def.axes[n].limit_enabled = true;
            def.axes[n].lower = fix(-0.3);
            def.axes[n].upper = fix(0.6);
            const iso_joint_id joint = joint3_add(world, &def);
            body3_set(world, arm, NONE, vec3_scale(n == 0 ? X_AXIS : Y_AXIS, 2.0 * side));
            double least = 0.0, most = 0.0;
            for (uint32_t tick = 0; tick < 120; ++tick) {
                world_steps(world, 1);
                least = fmin(least, joint3_axis(world, joint, n));
                most = fmax(most, joint3_axis(world, joint, n));
            }
            if (side > 0) {
                EXPECT(most > 0.595 && most < 0.605 && least > -0.01, "axis %u turned to %g", n, most);
            } else {
                EXPECT(least < -0.295 && least > -0.305 && most < 0.01, "axis %u turned to %g", n, least);
            }
            world_free(world);
        }
    }
}

static void test_wheel_is_sprung_steered_and_driven(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id chassis = body3_fixed(world, (vec3){0, 1, 0});
    const iso_body_id wheel = body3_sphere(world, (vec3){0.5, 0.5, 1.0}, 0.3, 20.0);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE2, chassis, wheel, (vec3){0.5, 0.5, 1.0}, Y_AXIS, Z_AXIS);
    def.axes[0].spring_enabled = true;
    def.axes[0].spring_hertz = fix(2.0);
    def.axes[0].spring_damping_ratio = fix(0.7);
    def.axes[1].spring_enabled = true;
    def.axes[1].spring_hertz = fix(5.0);
    def.axes[1].rest = fix(0.3);
    def.axes[2].motor_enabled = true;
    def.axes[2].motor_speed = fix(10.0);
    def.axes[2].motor_max = wide(50.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 300);
    const double sag = GRAVITY / (16 * PI * PI);
    EXPECT_NEAR(joint3_axis(world, joint, 0), -sag, 1e-3 * sag, "suspension");
    EXPECT_NEAR(joint3_axis(world, joint, 1), 0.3, 1e-3, "steering");
    EXPECT_NEAR(joint3_speed(world, joint, 2), 10.0, 1e-3, "rolling");
    const vec3 axle = {sin(0.3), 0, cos(0.3)}; // z turned about y
    EXPECT(vec3_length(vec3_sub(body3_spin(world, wheel), vec3_scale(axle, 10.0))) < 0.02,
           "it does not roll about its axle");
    EXPECT(joint3_axis(world, joint, 2) > 40.0, "it rolled by %g rad", joint3_axis(world, joint, 2));
    EXPECT(joint3_separation(world, joint) < 1e-4 && joint3_angle_error(world, joint) < 1e-3, "off by %g m, %g rad",
           joint3_separation(world, joint), joint3_angle_error(world, joint));
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_universal_turns_as_a_cardan_joint),
        cmocka_unit_test(test_universal_limits_stop_both_axes),
        cmocka_unit_test(test_wheel_is_sprung_steered_and_driven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
