/// Gears and racks in space: motions with closed forms, play, maxima, breaks, and that their count of turns is true.
#include "unit/space/joint/joint3_util.h"

static const vec3 NONE = {0, 0, 0};

/// Two balls of 0.2 and 0.1 kg m^2, apart from each other.
typedef struct gears {
    iso_world *world;
    iso_body_id a, b;
    iso_joint3_def def;
} gears;

#define INERTIA_A 0.2
#define INERTIA_B 0.1

static gears gears_make(vec3 axis_a, vec3 axis_b, double ratio) {
    gears is = {.world = space_make(0.0)};
    is.a = body3_sphere(is.world, NONE, 0.5, 2.0);
    is.b = body3_sphere(is.world, (vec3){3, 0, 0}, 0.5, 1.0);
    is.def = joint3_def(is.world, ISO_JOINT3_GEAR, is.a, is.b, (vec3){1, 0, 0}, axis_a, axis_b);
    is.def.ratio = fix(ratio);
    return is;
}

static void gears_drive(gears *is, vec3 torque, uint32_t ticks) {
    for (uint32_t tick = 0; tick < ticks; ++tick) {
        EXPECT_STATUS(iso_body3_apply_torque(is->world, is->a, wide3(torque)), ISO_OK);
        world_steps(is->world, 1);
    }
}

/// x = r phi_B - phi_A = 0, so the torque T on A turns both by T / (I_A + I_B/r^2).
static void test_geared_wheels_turn_as_one_inertia(void **state) {
    (void)state;
    const struct {
        vec3 a, b;
        double ratio;
    } cases[] = {{Z_AXIS, Z_AXIS, -2.0},  {Z_AXIS, X_AXIS, 0.5},      {Y_AXIS, {0.6, 0.8, 0}, 4.0},
                 {X_AXIS, Z_AXIS, -0.25}, {Z_AXIS, Y_AXIS, 1.0 / 64}, {X_AXIS, X_AXIS, 64.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        gears is = gears_make(cases[i].a, cases[i].b, cases[i].ratio);
        const iso_joint_id joint = joint3_add(is.world, &is.def);
        const double ratio = from_fix(is.def.ratio), torque = ratio < 0.1 ? 10.0 : 0.3;
        gears_drive(&is, vec3_scale(cases[i].a, torque), 120);
        const double speed = torque * 2 / (INERTIA_A + INERTIA_B / (ratio * ratio));
        const vec3 of_a = body3_spin(is.world, is.a), of_b = body3_spin(is.world, is.b);
        EXPECT_NEAR(vec3_dot(of_a, cases[i].a), speed, 2e-3 * speed, "case %zu: A", i);
        EXPECT_NEAR(vec3_dot(of_b, cases[i].b), speed / ratio, 2e-3 * fabs(speed / ratio) + 1e-4, "case %zu: B", i);
        EXPECT_NEAR(joint3_axis(is.world, joint, 0), 0.0, 1e-3, "case %zu: x", i);
        EXPECT_NEAR(joint3_speed(is.world, joint, 0), 0.0, 1e-3, "case %zu: its rate", i);
        EXPECT_NEAR(joint3_angle_error(is.world, joint), fabs(joint3_axis(is.world, joint, 0)), 1e-6, "case %zu", i);
        // B's torque is what speeds it up.
        const double of_b_torque = INERTIA_B * speed / ratio / 2;
        EXPECT_NEAR(vec3_dot(joint3_torque(is.world, joint), cases[i].b), of_b_torque, 0.02 * fabs(of_b_torque) + 1e-4,
                    "case %zu: torque", i);
        world_free(is.world);
    }
}

/// The frames themselves, after tens of turns: r times the turn of B is that of A.
static void test_turns_are_counted_truly(void **state) {
    (void)state;
    gears is = gears_make(Z_AXIS, X_AXIS, -2.0);
    const iso_joint_id joint = joint3_add(is.world, &is.def);
    body3_set(is.world, is.a, NONE, (vec3){0, 0, 20});
    double turned = 0.0;
    for (uint32_t tick = 0; tick < 1200; ++tick) {
        world_steps(is.world, 1);
        turned += body3_spin(is.world, is.a).z / 60;
        const quat a = quat_from(body3_view(is.world, is.a).rotation),
                   b = quat_from(body3_view(is.world, is.b).rotation);
        const double angle_a = 2 * atan2(a.z, a.w), angle_b = 2 * atan2(b.x, b.w);
        const double x = joint3_axis(is.world, joint, 0);
        EXPECT_NEAR(remainder(-2 * angle_b - angle_a - x, 2 * PI), 0.0, 2e-6, "tick %u", tick);
    }
    EXPECT(turned > 20 * PI, "it turned by %g", turned);
    EXPECT_NEAR(joint3_axis(is.world, joint, 0), 0.0, 1e-4, "x");
    world_free(is.world);
}

/// Wheels that mesh and a pinion that rolls have nothing to hold, however many turns a step has: of more than four
/// substeps that may be several.
static void test_whole_turns_of_a_step_are_counted(void **state) {
    (void)state;
    const struct {
        uint16_t rate;
        uint8_t substeps;
        double speed;
    } cases[] = {{60, 4, 180}, {60, 8, 195}, {60, 8, 370}, {20, 12, 66}, {10, 6, 46}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double r = 1.0 / 16, speed = cases[i].speed;
        iso_world_def world_def = space_def(0.0);
        world_def.tick_rate_hz = cases[i].rate;
        world_def.substep_count = cases[i].substeps;
        gears is = {.world = world_make(&world_def)};
        is.a = body3_sphere(is.world, NONE, 0.5, 2.0);
        is.b = body3_sphere(is.world, (vec3){3, 0, 0}, 0.5, 1.0);
        is.def = joint3_def(is.world, ISO_JOINT3_GEAR, is.a, is.b, (vec3){1, 0, 0}, Z_AXIS, X_AXIS);
        is.def.ratio = fix(-2);
        const iso_body_id sledge = body3_sphere(is.world, (vec3){0, 3, 0}, 0.5, 2.0);
        const iso_body_id pinion = body3_sphere(is.world, (vec3){0, 4, 0}, 0.5, 1.0);
        iso_joint3_def rack =
            joint3_def(is.world, ISO_JOINT3_RACK, sledge, pinion, (vec3){0, 4, 0}, (vec3){1, 0, 0}, Z_AXIS);
        rack.ratio = fix(r);
        body3_set(is.world, is.a, NONE, (vec3){0, 0, speed});
        body3_set(is.world, is.b, NONE, (vec3){-speed / 2, 0, 0});
        body3_set(is.world, pinion, (vec3){r * speed, 0, 0}, (vec3){0, 0, speed});
        const iso_joint_id gear = joint3_add(is.world, &is.def), held = joint3_add(is.world, &rack);
        world_steps(is.world, cases[i].rate);
        EXPECT_NEAR(body3_spin(is.world, is.a).z, speed, 1e-3 * speed, "case %zu: A", i);
        EXPECT_NEAR(body3_spin(is.world, is.b).x, -speed / 2, 1e-3 * speed, "case %zu: B", i);
        EXPECT_NEAR(joint3_axis(is.world, gear, 0), 0.0, 1e-2, "case %zu: x of the gear", i);
        EXPECT_NEAR(body3_spin(is.world, pinion).z, speed, 1e-3 * speed, "case %zu: pinion", i);
        EXPECT_NEAR(joint3_axis(is.world, held, 0), 0.0, 1e-2, "case %zu: x of the rack", i);
        world_free(is.world);
    }
}

/// A spring, a play, a phase: A is driven at the end of the play, B follows.
static void test_limits_are_the_play_of_the_teeth(void **state) {
    (void)state;
    gears is = gears_make(Z_AXIS, Z_AXIS, -1.0);
    is.def.axes[0].limit_enabled = true;
    is.def.axes[0].lower = fix(-0.1);
    is.def.axes[0].upper = fix(0.1);
    const iso_joint_id joint = joint3_add(is.world, &is.def);
    gears_drive(&is, (vec3){0, 0, 0.3}, 5);
    EXPECT_NEAR(vec3_length(body3_spin(is.world, is.b)), 0.0, 1e-9, "within the play");
    gears_drive(&is, (vec3){0, 0, 0.3}, 115);
    EXPECT_NEAR(joint3_axis(is.world, joint, 0), -0.1, 1e-3, "at its end");
    EXPECT_NEAR(body3_spin(is.world, is.b).z, -body3_spin(is.world, is.a).z, 1e-3, "B follows");
    // A rest of 1 rad: B is turned until x is 1.
    EXPECT_STATUS(iso_joint3_set_limits(is.world, joint, 0, false, 0, 0), ISO_OK);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(is.world, joint, &def), ISO_OK);
    def.axes[0].rest = fix(1);
    EXPECT_STATUS(iso_joint3_set(is.world, joint, &def), ISO_OK);
    world_steps(is.world, 240);
    EXPECT_NEAR(joint3_axis(is.world, joint, 0), 1.0, 1e-3, "the phase");
    world_free(is.world);
}

/// More than the teeth bear: 0.1 N m are what turns B, times the ratio; the rest speeds A up.
static void test_a_gear_slips_at_its_maximum(void **state) {
    (void)state;
    gears is = gears_make(Z_AXIS, Y_AXIS, 2.0);
    is.def.torque_max = wide(0.1);
    const iso_joint_id joint = joint3_add(is.world, &is.def);
    gears_drive(&is, (vec3){0, 0, 1.1}, 60);
    EXPECT_NEAR(body3_spin(is.world, is.a).z, (1.1 - 0.1) / INERTIA_A, 0.02, "A");
    EXPECT_NEAR(body3_spin(is.world, is.b).y, 2 * 0.1 / INERTIA_B, 0.02, "B");
    EXPECT_NEAR(joint3_torque(is.world, joint).y, 0.2, 1e-3, "on B");
    world_free(is.world);
}

/// A motor on x at its maximum speeds up both, and stops at its speed.
static void test_a_motor_of_a_gear(void **state) {
    (void)state;
    gears is = gears_make(Z_AXIS, Z_AXIS, 2.0);
    is.def.axes[0].spring_enabled = true; // of 0 Hz: nothing is held
    is.def.axes[0].motor_enabled = true;
    is.def.axes[0].motor_speed = fix(3);
    is.def.axes[0].motor_max = wide(0.05);
    const iso_joint_id joint = joint3_add(is.world, &is.def);
    // sigma M = 0.05 (1/0.2 + 4/0.1) = 2.25 rad/s^2
    world_steps(is.world, 60);
    EXPECT_NEAR(joint3_speed(is.world, joint, 0), 2.25, 0.01, "after a second");
    EXPECT_NEAR(body3_spin(is.world, is.a).z, -0.05 / INERTIA_A, 2e-3, "A");
    EXPECT_NEAR(body3_spin(is.world, is.b).z, 2 * 0.05 / INERTIA_B, 5e-3, "B");
    world_steps(is.world, 60);
    EXPECT_NEAR(joint3_speed(is.world, joint, 0), 3.0, 1e-4, "then it runs");
    world_free(is.world);
}

/// The impulse keeps its torque when B gets another inertia.
static void test_a_gear_keeps_its_torque_when_a_mass_changes(void **state) {
    (void)state;
    for (int of_b = 0; of_b < 2; ++of_b) {
        gears is = gears_make(Z_AXIS, Y_AXIS, 2.0);
        const iso_joint_id joint = joint3_add(is.world, &is.def);
        gears_drive(&is, (vec3){0, 0, 1}, 30);
        const double before = joint3_torque(is.world, joint).y;
        const double mass = of_b ? 5.0 : 9.0;
        const iso_wide none[3] = {0, 0, 0};
        EXPECT_STATUS(iso_body3_set_mass(is.world, of_b ? is.b : is.a, wide(mass), none), ISO_OK);
        EXPECT_NEAR(joint3_torque(is.world, joint).y, before, 1e-5 * before, "of B %d", of_b);
        world_free(is.world);
    }
}

static void test_gears_and_racks_break(void **state) {
    (void)state;
    gears is = gears_make(Z_AXIS, Z_AXIS, 1.0);
    const iso_joint_id joint = joint3_add(is.world, &is.def);
    // B bears I_B / (I_A + I_B) of the torque: a third.
    EXPECT_STATUS(iso_joint_set_break(is.world, joint, 0, wide(0.11), 0, 0, true), ISO_OK);
    gears_drive(&is, (vec3){0, 0, 0.3}, 10);
    assert_true(iso_joint_is_valid(is.world, joint));
    gears_drive(&is, (vec3){0, 0, 0.36}, 2);
    assert_false(iso_joint_is_valid(is.world, joint));
    world_free(is.world);
    // A soft one, by its angle.
    is = gears_make(Z_AXIS, Z_AXIS, 1.0);
    is.def.torque_max = wide(0.001);
    const iso_joint_id weak = joint3_add(is.world, &is.def);
    EXPECT_STATUS(iso_joint_set_break(is.world, weak, 0, 0, 0, wide(0.2), false), ISO_OK);
    gears_drive(&is, (vec3){0, 0, 0.3}, 60);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(is.world, weak, &def), ISO_OK);
    assert_false(def.enabled);
    world_free(is.world);
}

// ---- racks ---------------------------------------------------------------------------------------

/// A ball of 2 kg, 0.2 kg m^2 that rolls down a vertical rack with a radius r: a = g / (1 + I/(m r^2)).
static void test_a_pinion_rolls_down_its_rack(void **state) {
    (void)state;
    const double radii[] = {0.5, -0.5, 0.1, -2.0, 1.0 / 1024};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; ++i) {
        iso_world *world = space_make(-GRAVITY);
        const iso_body_id body = body3_sphere(world, NONE, 0.5, 2.0);
        iso_joint3_def def =
            joint3_def(world, ISO_JOINT3_RACK, body3_fixed(world, NONE), body, NONE, (vec3){0, -1, 0}, Z_AXIS);
        def.ratio = fix(radii[i]);
        const iso_joint_id joint = joint3_add(world, &def);
        world_steps(world, 60);
        const double r = from_fix(def.ratio), speed = GRAVITY / (1 + 0.2 / (2.0 * r * r));
        EXPECT_NEAR(-body3_velocity(world, body).y, speed, 1e-3 * speed + 1e-5, "radius %g", r);
        EXPECT_NEAR(body3_spin(world, body).z * r, speed, 1e-3 * speed + 1e-4, "radius %g: it rolls", r);
        EXPECT_NEAR(joint3_axis(world, joint, 0), 0.0, 1e-4, "radius %g: x", r);
        EXPECT_NEAR(joint3_separation(world, joint), fabs(joint3_axis(world, joint, 0)), 1e-6, "radius %g", r);
        // The force that slows it down, and the torque that turns it.
        const double force = 2.0 * (GRAVITY - speed);
        EXPECT_NEAR(joint3_force(world, joint).y, force, 1e-2 * force, "radius %g: force", r);
        EXPECT_NEAR(joint3_torque(world, joint).z, 0.2 * speed / r, 1e-2 * fabs(0.2 * speed / r) + 1e-4,
                    "radius %g: torque", r);
        world_free(world);
    }
}

/// Rack and pinion alone in space: what each does to the other makes no momentum.
static void test_a_rack_makes_no_momentum(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_sphere(world, NONE, 0.5, 2.0), b = body3_sphere(world, (vec3){1, 0.5, 0}, 0.5, 1.0);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_RACK, a, b, (vec3){1, 0.5, 0}, X_AXIS, Z_AXIS);
    def.ratio = fix(0.5);
    const iso_joint_id joint = joint3_add(world, &def);
    body3_set(world, b, (vec3){2, 0, 0.5}, (vec3){0, 0.3, -1});
    body3_set(world, a, NONE, (vec3){0.2, 0.1, 0.4});
    vec3 before[2] = {{0, 0, 0}};
    for (int tick = 0; tick <= 240; ++tick) {
        const vec3 p[2] = {vec3_scale(body3_velocity(world, a), 2.0), body3_velocity(world, b)};
        const vec3 sum = vec3_add(p[0], p[1]);
        vec3 turning = vec3_add(vec3_cross(body3_centre(world, a), p[0]), vec3_cross(body3_centre(world, b), p[1]));
        turning = vec3_add(turning, vec3_scale(body3_spin(world, a), 0.2));
        turning = vec3_add(turning, vec3_scale(body3_spin(world, b), 0.1));
        before[0] = tick == 0 ? sum : before[0];
        before[1] = tick == 0 ? turning : before[1];
        EXPECT_NEAR(vec3_length(vec3_sub(sum, before[0])), 0.0, 1e-3, "momentum at tick %d", tick);
        EXPECT_NEAR(vec3_length(vec3_sub(turning, before[1])), 0.0, 0.02, "angular momentum at tick %d", tick);
        EXPECT_NEAR(joint3_axis(world, joint, 0), 0.0, 5e-3, "x at tick %d", tick);
        world_steps(world, 1);
    }
    world_free(world);
}

/// A needle about its long axis, 64 m/rad: K would leave its range, so the joint sees a body that turns less easily.
static void test_a_wide_pinion_on_a_needle_stays_in_range(void **state) {
    (void)state;
    for (int is_small = 0; is_small < 2; ++is_small) {
        iso_world *world = space_make(-GRAVITY);
        const double thin = is_small ? 0.01 : 0.0025, half = is_small ? 0.015 : 0.3;
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, NONE, (quat){0, 0, 0, 1});
        body3_shape(world, body, iso_shape3_def_box(fix(thin), fix(thin), fix(half)), 30000.0);
        iso_joint3_def def =
            joint3_def(world, ISO_JOINT3_RACK, body3_fixed(world, NONE), body, NONE, (vec3){0, -1, 0}, Z_AXIS);
        def.ratio = fix(64);
        const iso_joint_id joint = joint3_add(world, &def);
        world_steps(world, 60);
        EXPECT_NEAR(-body3_velocity(world, body).y, GRAVITY, 0.05, "it falls as if it had no inertia");
        EXPECT_NEAR(body3_spin(world, body).z * 64, GRAVITY, 0.05, "and rolls");
        EXPECT_NEAR(joint3_axis(world, joint, 0), 0.0, 5e-3, "x");
        world_free(world);
    }
}

/// More than the rack bears: 5 N hold the fall, and turn the ball by 5 N r.
static void test_a_rack_slips_at_its_maximum_and_breaks(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id body = body3_sphere(world, NONE, 0.5, 2.0);
    iso_joint3_def def =
        joint3_def(world, ISO_JOINT3_RACK, body3_fixed(world, NONE), body, NONE, (vec3){0, -1, 0}, Z_AXIS);
    def.ratio = fix(0.1);
    def.force_max = wide(5);
    def.break_error = wide(4);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 30);
    EXPECT_NEAR(-body3_velocity(world, body).y, (20.0 - 5.0) / 2.0 / 2.0, 5e-3, "the fall");
    EXPECT_NEAR(body3_spin(world, body).z, 5.0 * 0.1 / 0.2 / 2.0, 5e-3, "the turning");
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_true(def.enabled);
    world_steps(world, 60); // it fell by 8 m
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_false(def.enabled);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geared_wheels_turn_as_one_inertia),
        cmocka_unit_test(test_turns_are_counted_truly),
        cmocka_unit_test(test_whole_turns_of_a_step_are_counted),
        cmocka_unit_test(test_limits_are_the_play_of_the_teeth),
        cmocka_unit_test(test_a_gear_slips_at_its_maximum),
        cmocka_unit_test(test_a_motor_of_a_gear),
        cmocka_unit_test(test_a_gear_keeps_its_torque_when_a_mass_changes),
        cmocka_unit_test(test_gears_and_racks_break),
        cmocka_unit_test(test_a_pinion_rolls_down_its_rack),
        cmocka_unit_test(test_a_rack_makes_no_momentum),
        cmocka_unit_test(test_a_wide_pinion_on_a_needle_stays_in_range),
        cmocka_unit_test(test_a_rack_slips_at_its_maximum_and_breaks),
    };
    return cmocka_run_group_tests_name("joint3_gear", tests, NULL, NULL);
}
