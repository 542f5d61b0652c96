// Ball joints in space: a pendulum, a heavy top, a chain with a heavy end, cones and twists.
#include "unit/space/joint/joint3_util.h"

// A bob of radius r at a length l: T = 2 pi sqrt((l^2 + 2/5 r^2) / (g l)) (1 + a^2/16 + 11 a^4/3072) for the amplitude
// a.
static void test_pendulum_keeps_its_period(void **state) {
    (void)state;
    const double l = 1.0, r = 0.125, amplitude = 0.5;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id ceiling = body3_fixed(world, (vec3){0, 3, 0});
    const vec3 bob_at = {l * sin(amplitude) * 0.6, 3 - l * cos(amplitude), l * sin(amplitude) * 0.8};
    const iso_body_id bob = body3_sphere(world, bob_at, r, 2.0);
    const iso_joint_id joint =
        joint3_make(world, ISO_JOINT3_BALL, ceiling, bob, (vec3){0, 3, 0}, X_AXIS, (vec3){0, 0, 0});
    double crossings[24], apart = 0.0, before = bob_at.x;
    uint32_t count = 0;
    for (uint32_t tick = 1; tick < 1200 && count < 20; ++tick) {
        world_steps(world, 1);
        const double now = body3_centre(world, bob).x;
        if ((before > 0) != (now > 0)) {
            crossings[count++] = (tick - now / (now - before)) * world_tick(world);
        }
        before = now;
        apart = fmax(apart, joint3_separation(world, joint));
    }
    assert_int_equal(count, 20);
    const double a2 = amplitude * amplitude;
    const double period = 2 * PI * sqrt((l * l + 0.4 * r * r) / (GRAVITY * l)) * (1 + a2 / 16 + 11 * a2 * a2 / 3072);
    EXPECT_NEAR((crossings[18] - crossings[0]) / 9, period, 0.005 * period, "period");
    EXPECT(apart < 1e-3, "the bob was %g m off", apart);
    EXPECT(apart > 0, "no separation was measured");
    world_free(world);
}

// The relax pass takes away the speed that the correction of an error needs: the bodies come together and stand still.
static void test_errors_are_corrected_without_speed(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_sphere(world, (vec3){0, 0, 0}, 0.5, 2.0);
    const iso_body_id b = body3_sphere(world, (vec3){1.06, 0, 0}, 0.5, 1.0);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.anchor = fix3((vec3){0.5, 0, 0});
    def.frame_b.anchor = fix3((vec3){-0.5, 0, 0});
    const iso_joint_id joint = joint3_add(world, &def);
    EXPECT(joint3_separation(world, joint) > 0.05, "it begins with no error");
    for (uint32_t tick = 0; tick < 30; ++tick) {
        world_steps(world, 1);
        const double speed = vec3_length(body3_velocity(world, a)) + vec3_length(body3_spin(world, b));
        EXPECT(speed < 2e-3, "the speed was %g in tick %u", speed, tick);
    }
    EXPECT(joint3_separation(world, joint) < 1e-5, "%g m off", joint3_separation(world, joint));
    world_free(world);
}

/// The slow root of I1 W^2 cos(t) - I3 w3 W + m g d = 0.
static double top_precession(double I1, double I3, double w3, double mgd, double tilt) {
    const double a = I1 * cos(tilt), b = I3 * w3;
    return (b - sqrt(b * b - 4 * a * mgd)) / (2 * a);
}

static void test_heavy_top_precesses_steadily(void **state) {
    (void)state;
    const double d = 0.25, tilt = 0.6, mass = 1.0, I3 = 0.04, I = 0.03, w3 = 150.0;
    const double W = top_precession(I + mass * d * d, I3, w3, mass * GRAVITY * d, tilt);
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id floor = body3_fixed(world, (vec3){0, 0, 0});
    const vec3 axis = {sin(tilt), cos(tilt), 0};
    const iso_body_id top = body3_add(world, ISO_BODY_DYNAMIC, vec3_scale(axis, d), quat_of((vec3){0, 0, -tilt}));
    body3_shape(world, top, iso_shape3_def_box(fix(0.125), fix(0.0625), fix(0.125)), 500.0);
    const iso_wide moments[3] = {wide(I), wide(I), wide(I3)};
    EXPECT_STATUS(iso_body3_set_mass(world, top, wide(mass), moments), ISO_OK);
    const vec3 spin = vec3_add(vec3_scale(axis, w3 - W * cos(tilt)), vec3_scale(Y_AXIS, W));
    body3_set(world, top, vec3_cross(vec3_scale(Y_AXIS, W), vec3_scale(axis, d)), spin);
    const iso_joint_id joint =
        joint3_make(world, ISO_JOINT3_BALL, floor, top, (vec3){0, 0, 0}, X_AXIS, (vec3){0, 0, 0});
    double turned = 0.0, before = 0.0, apart = 0.0;
    for (uint32_t tick = 0; tick < 600; ++tick) {
        world_steps(world, 1);
        const vec3 at = body3_centre(world, top);
        const double angle = atan2(-at.z, at.x); // about y
        turned += remainder(angle - before, 2 * PI);
        before = angle;
        apart = fmax(apart, joint3_separation(world, joint));
    }
    EXPECT_NEAR(turned, W * 10.0, 0.01 * W * 10.0, "precession in 10 s");
    const vec3 end = body3_centre(world, top);
    EXPECT_NEAR(acos(end.y / vec3_length(end)), tilt, 0.01, "tilt");
    EXPECT(apart < 1e-3, "the tip was %g m off", apart);
    world_free(world);
}

static void test_chain_holds_a_heavy_ball(void **state) {
    (void)state;
    enum { LINKS = 30 };
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, (vec3){0, 0, 0});
    iso_body_id last = wall;
    iso_joint_id joints[LINKS + 1];
    for (uint32_t i = 0; i < LINKS; ++i) {
        const iso_body_id link = body3_add(world, ISO_BODY_DYNAMIC, (vec3){0.2 * i + 0.1, 0, 0}, (quat){0, 0, 0, 1});
        body3_shape(world, link, iso_shape3_def_capsule(fix3((vec3){-0.1, 0, 0}), fix3((vec3){0.1, 0, 0}), fix(0.03)),
                    1000.0);
        joints[i] = joint3_make(world, ISO_JOINT3_BALL, last, link, (vec3){0.2 * i, 0, 0}, X_AXIS, (vec3){0, 0, 0});
        last = link;
    }
    const double mass = 100 * from_wide(body3_view(world, last).mass);
    const iso_body_id ball = body3_sphere(world, (vec3){0.2 * LINKS + 0.25, 0, 0}, 0.25, mass);
    joints[LINKS] = joint3_make(world, ISO_JOINT3_BALL, last, ball, (vec3){0.2 * LINKS, 0, 0}, X_AXIS, (vec3){0, 0, 0});
    double apart = 0.0, fast = 0.0;
    for (uint32_t tick = 0; tick < 600; ++tick) {
        world_steps(world, 1);
        for (uint32_t i = 0; i <= LINKS; ++i) {
            apart = fmax(apart, joint3_separation(world, joints[i]));
        }
        fast = fmax(fast, vec3_length(body3_velocity(world, ball)));
    }
    EXPECT(apart < 0.1, "the chain was %g m off", apart);
    EXPECT(fast > 6.0 && fast < 13.0, "the ball swung at %g m/s", fast); // sqrt(2 g 6.25) = 11.2
    print_message("chain: %g m apart, %g m/s\n", apart, fast);
    world_free(world);
}

// An arm along x in the socket of a wall, thrown upwards: the cone holds it at its angle.
static void test_cone_stops_the_swing(void **state) {
    (void)state;
    iso_world *world = space_make(0.0);
    const iso_body_id wall = body3_fixed(world, (vec3){0, 0, 0});
    const iso_body_id arm =
        body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.1, 0.1});
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_BALL, wall, arm, (vec3){0, 0, 0}, X_AXIS, (vec3){0, 0, 0});
    def.axes[0].limit_enabled = true;
    def.axes[0].upper = fix(0.7);
    const iso_joint_id joint = joint3_add(world, &def);
    body3_set(world, arm, (vec3){0, 1.2, 0.9}, (vec3){0, -1.8, 2.4});
    double most = 0.0;
    for (uint32_t tick = 0; tick < 240; ++tick) {
        world_steps(world, 1);
        most = fmax(most, joint3_axis(world, joint, 0));
        EXPECT(joint3_separation(world, joint) < 4e-3, "%g m off", joint3_separation(world, joint));
    }
    EXPECT(most > 0.695 && most < 0.71, "it swung to %g rad", most);
    world_free(world);
}

static void test_twist_stops_at_both_limits(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        iso_world *world = space_make(0.0);
        const iso_body_id wall = body3_fixed(world, (vec3){0, 0, 0});
        const iso_body_id arm =
            body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, 0, 0}, (quat){0, 0, 0, 1}, (vec3){0.5, 0.2, 0.1});
        iso_joint3_def def = joint3_def(world, ISO_JOINT3_BALL, wall, arm, (vec3){0, 0, 0}, X_AXIS, (vec3){0, 0, 0});
        def.axes[1].limit_enabled = true;
        def.axes[1].lower = fix(-0.4);
        def.axes[1].upper = fix(0.9);
        const iso_joint_id joint = joint3_add(world, &def);
        body3_set(world, arm, (vec3){0, 0, 0}, (vec3){3.0 * side, 0, 0});
        double least = 0.0, most = 0.0;
        for (uint32_t tick = 0; tick < 240; ++tick) {
            world_steps(world, 1);
            const double twist = joint3_axis(world, joint, 1);
            least = fmin(least, twist);
            most = fmax(most, twist);
        }
        if (side > 0) {
            EXPECT(most > 0.895 && most < 0.905, "it twisted to %g rad", most);
        } else {
            EXPECT(least < -0.395 && least > -0.405, "it twisted to %g rad", least);
        }
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_keeps_its_period),  cmocka_unit_test(test_heavy_top_precesses_steadily),
        cmocka_unit_test(test_chain_holds_a_heavy_ball),   cmocka_unit_test(test_cone_stops_the_swing),
        cmocka_unit_test(test_twist_stops_at_both_limits), cmocka_unit_test(test_errors_are_corrected_without_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
