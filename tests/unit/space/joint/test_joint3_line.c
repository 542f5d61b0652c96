// Joints along lines in space: sliders, distances, cylindrical joints; and bodies that stay upright.
#include "unit/space/joint/joint3_util.h"

#define BOX_HALF ((vec3){0.3, 0.2, 0.25})

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

static void test_slider_slides_down_a_slope(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const vec3 slope = {cos(0.5), -sin(0.5), 0};
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, quat_of((vec3){0.2, 0.3, 0.1}), BOX_HALF);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_SLIDER, wall, box, NONE, slope, NONE);
    world_steps(world, 120);
    const double a = GRAVITY * sin(0.5);
    EXPECT_NEAR(joint3_axis(world, joint, 0), a * 2.0 * (1.0 + 0.5 / 240), 1e-3 * a * 2.0, "way");
    EXPECT_NEAR(joint3_speed(world, joint, 0), a * 2.0, 1e-3 * a * 2.0, "speed");
    EXPECT(joint3_separation(world, joint) < 1e-4 && joint3_angle_error(world, joint) < 1e-4, "off by %g m, %g rad",
           joint3_separation(world, joint), joint3_angle_error(world, joint));
    world_free(world);
}

static void test_slider_stops_at_both_limits(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        iso_world *world = space_make(0.0);
        const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){1, 1, 1});
        const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1.5, 0, 0}, NO_TURN, BOX_HALF);
        iso_joint3_def def = joint3_def(world, ISO_JOINT3_SLIDER, a, b, (vec3){1.5, 0, 0}, Z_AXIS, NONE);
        def.axes[0].limit_enabled = true;
        def.axes[0].lower = fix(-0.5);
        def.axes[0].upper = fix(0.75);
        const iso_joint_id joint = joint3_add(world, &def);
        body3_set(world, b, (vec3){0, 0, 2.0 * side}, NONE);
        double least = 0.0, most = 0.0;
        for (uint32_t tick = 0; tick < 120; ++tick) {
            world_steps(world, 1);
            least = fmin(least, joint3_axis(world, joint, 0));
            most = fmax(most, joint3_axis(world, joint, 0));
        }
        if (side > 0) {
            EXPECT(most > 0.745 && most < 0.755, "it slid to %g", most);
        } else {
            EXPECT(least < -0.495 && least > -0.505, "it slid to %g", least);
        }
        world_free(world);
    }
}

static void test_slider_motor_lifts_with_its_force(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    const double mass = from_wide(body3_view(world, box).mass);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_SLIDER, wall, box, NONE, Y_AXIS, NONE);
    const iso_joint_id joint = joint3_add(world, &def);
    EXPECT_STATUS(iso_joint3_set_motor(world, joint, 0, true, fix(2.0), wide(1.5 * mass * GRAVITY)), ISO_OK);
    world_steps(world, 12);
    EXPECT_NEAR(joint3_speed(world, joint, 0), 0.5 * GRAVITY * 0.2, 2e-3, "speed while it accelerates");
    world_steps(world, 48);
    EXPECT_NEAR(joint3_speed(world, joint, 0), 2.0, 1e-3, "speed");
    EXPECT_NEAR(joint3_force(world, joint).y, mass * GRAVITY, 0.01 * mass * GRAVITY, "force");
    world_free(world);
}

// A bead flies out along a bar that turns: the momentum about the common centre stays, and so does the energy.
static void test_bead_on_a_turning_bar_keeps_momentum_and_energy(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id bar = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, (vec3){2, 0.2, 0.2});
    const iso_body_id bead = body3_sphere(world, (vec3){0.5, 0, 0}, 0.2, 4.0);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_SLIDER, bar, bead, (vec3){0.5, 0, 0}, X_AXIS, NONE);
    const vec3 spin = {0, 3, 0};
    body3_set(world, bar, NONE, spin);
    body3_set(world, bead, vec3_cross(spin, (vec3){0.5, 0, 0}), spin);
    double energy[2] = {0, 0};
    vec3 momentum[2] = {NONE, NONE};
    for (int end = 0; end < 2; ++end) {
        const iso_body_id bodies[] = {bar, bead};
        for (int i = 0; i < 2; ++i) {
            iso_wide kinetic;
            const iso_body3_view view = body3_view(world, bodies[i]);
            EXPECT_STATUS(iso_body3_get_kinetic_energy(world, bodies[i], &kinetic), ISO_OK);
            energy[end] += from_wide(kinetic);
            const vec3 p = vec3_scale(from_wide3(view.velocity), from_wide(view.mass));
            momentum[end] = vec3_add(
                momentum[end], vec3_add(from_wide3(view.angular_momentum), vec3_cross(from_wide3(view.centre), p)));
        }
        world_steps(world, end == 0 ? 60 : 0);
    }
    EXPECT(joint3_axis(world, joint, 0) > 1.0, "the bead came to %g m", joint3_axis(world, joint, 0));
    EXPECT(joint3_separation(world, joint) < 2e-3, "%g m off", joint3_separation(world, joint));
    EXPECT_NEAR(momentum[1].y, momentum[0].y, 1e-3 * momentum[0].y, "momentum");
    EXPECT_NEAR(energy[1], energy[0], 0.02 * energy[0], "energy");
    world_free(world);
}

// ---- distances -----------------------------------------------------------------------------------

// A conical pendulum turns with w^2 = g / (l cos t).
static void test_rod_is_a_conical_pendulum(void **state) {
    (void)state;
    const double l = 1.5, tilt = 0.6, w = sqrt(GRAVITY / (l * cos(tilt)));
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id ceiling = body3_fixed(world, NONE);
    const vec3 at = {l * sin(tilt), -l * cos(tilt), 0};
    const iso_body_id bob = body3_sphere(world, at, 0.1, 3.0);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_DISTANCE, ceiling, bob, NONE, X_AXIS, NONE);
    def.frame_b.anchor = (iso_vec3){0, 0, 0};
    def.axes[0].rest = fix(l);
    const iso_joint_id joint = joint3_add(world, &def);
    body3_set(world, bob, (vec3){0, 0, -w * l * sin(tilt)}, NONE);
    double turned = 0.0, before = 0.0, apart = 0.0;
    for (uint32_t tick = 0; tick < 600; ++tick) {
        world_steps(world, 1);
        const vec3 c = body3_centre(world, bob);
        const double angle = atan2(-c.z, c.x);
        turned += remainder(angle - before, 2 * PI);
        before = angle;
        apart = fmax(apart, joint3_separation(world, joint));
    }
    EXPECT_NEAR(turned, w * 10, 0.005 * w * 10, "angle in 10 s");
    EXPECT(apart < 1e-3 && apart > 0, "the rod was %g m off", apart);
    EXPECT_NEAR(vec3_length(joint3_force(world, joint)), 3 * GRAVITY / cos(tilt), 0.3, "tension");
    world_free(world);
}

static void test_rope_is_slack_until_it_is_taut(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id ceiling = body3_fixed(world, NONE);
    const iso_body_id bob = body3_sphere(world, (vec3){0, -0.5, 0}, 0.1, 1.0);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_DISTANCE, ceiling, bob, NONE, X_AXIS, NONE);
    def.frame_b.anchor = (iso_vec3){0, 0, 0};
    def.axes[0].limit_enabled = true;
    def.axes[0].upper = fix(2.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 24);
    EXPECT_NEAR(body3_velocity(world, bob).y, -0.4 * GRAVITY, 1e-4, "free fall");
    assert_true(vec3_length(joint3_force(world, joint)) == 0.0);
    world_steps(world, 120);
    EXPECT_NEAR(body3_centre(world, bob).y, -2.0, 2e-3, "height at the rope's end");
    EXPECT_NEAR(joint3_force(world, joint).y, GRAVITY, 0.01, "tension");
    world_free(world);
}

static void test_rods_and_limits_are_corrected_without_speed(void **state) {
    (void)state;
    for (int is_rope = 0; is_rope < 2; ++is_rope) {
        iso_world *world = space_make(0.0);
        const iso_body_id a = body3_sphere(world, NONE, 0.1, 2.0);
        const iso_body_id b = body3_sphere(world, (vec3){1.06, 0, 0}, 0.1, 1.0);
        iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
        def.body_a = a;
        def.body_b = b;
        def.axes[0].rest = def.axes[0].upper = fix(1.0);
        def.axes[0].limit_enabled = is_rope != 0;
        const iso_joint_id joint = joint3_add(world, &def);
        EXPECT_NEAR(joint3_separation(world, joint), 0.06, 1e-4, "the error at first");
        for (uint32_t tick = 0; tick < 60; ++tick) {
            world_steps(world, 1);
            EXPECT(vec3_length(body3_velocity(world, b)) < 1e-4, "the speed was %g",
                   vec3_length(body3_velocity(world, b)));
        }
        EXPECT(joint3_separation(world, joint) < 1e-5, "%g m off", joint3_separation(world, joint));
        world_free(world);
    }
}

static void test_spring_has_its_frequency(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_sphere(world, (vec3){-0.5, 0, 0}, 0.1, 2.0);
    const iso_body_id b = body3_sphere(world, (vec3){0.7, 0, 0}, 0.1, 1.0);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    def.body_a = a;
    def.body_b = b;
    def.axes[0].spring_enabled = true;
    def.axes[0].spring_hertz = fix(1.0);
    def.axes[0].spring_damping_ratio = 0;
    def.axes[0].rest = fix(1.0);
    const iso_joint_id joint = joint3_add(world, &def);
    double first = 0, last = 0, before = 0.2;
    uint32_t count = 0;
    for (uint32_t tick = 1; tick <= 620; ++tick) {
        world_steps(world, 1);
        const double now = joint3_axis(world, joint, 0) - 1.0;
        if (before < 0 && now >= 0) {
            last = (tick - now / (now - before)) / 60.0;
            first = count == 0 ? last : first;
            ++count;
        }
        before = now;
    }
    assert_int_equal(count, 10);
    EXPECT_NEAR((last - first) / 9, 1.0, 0.002, "period");
    world_free(world);
}

// ---- cylindrical and parallel --------------------------------------------------------------------

static void test_cylindrical_slides_and_turns_freely(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const vec3 axis = vec3_unit((vec3){1, 2, 2});
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, vec3_scale(axis, 0.5), NO_TURN, BOX_HALF);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_CYLINDRICAL, wall, box, NONE, axis, NONE);
    body3_set(world, box, vec3_scale(axis, 0.7), vec3_scale(axis, 2.0));
    world_steps(world, 120);
    EXPECT_NEAR(joint3_axis(world, joint, 0), 1.4, 1e-3, "way");
    EXPECT_NEAR(joint3_axis(world, joint, 1), 4.0, 0.02, "angle"); // not a principal axis: the joint turns the momentum
    EXPECT(joint3_separation(world, joint) < 1e-4 && joint3_angle_error(world, joint) < 1e-3, "off by %g m, %g rad",
           joint3_separation(world, joint), joint3_angle_error(world, joint));
    world_free(world);
}

static void test_parallel_keeps_a_body_upright(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id ground = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    const iso_joint_id joint = joint3_make(world, ISO_JOINT3_PARALLEL, ground, box, NONE, Y_AXIS, NONE);
    body3_set(world, box, (vec3){1, 0, 0}, (vec3){1.0, 3.0, -2.0});
    world_steps(world, 60);
    EXPECT_NEAR(joint3_axis(world, joint, 0), 3.0, 5e-3, "angle about the vertical");
    EXPECT(joint3_angle_error(world, joint) < 1e-3, "it leans by %g", joint3_angle_error(world, joint));
    EXPECT_NEAR(body3_velocity(world, box).y, -GRAVITY, 1e-3, "free fall");
    EXPECT_NEAR(body3_velocity(world, box).x, 1.0, 1e-4, "it goes on");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slider_slides_down_a_slope),
        cmocka_unit_test(test_slider_stops_at_both_limits),
        cmocka_unit_test(test_slider_motor_lifts_with_its_force),
        cmocka_unit_test(test_bead_on_a_turning_bar_keeps_momentum_and_energy),
        cmocka_unit_test(test_rod_is_a_conical_pendulum),
        cmocka_unit_test(test_rope_is_slack_until_it_is_taut),
        cmocka_unit_test(test_rods_and_limits_are_corrected_without_speed),
        cmocka_unit_test(test_spring_has_its_frequency),
        cmocka_unit_test(test_cylindrical_slides_and_turns_freely),
        cmocka_unit_test(test_parallel_keeps_a_body_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
