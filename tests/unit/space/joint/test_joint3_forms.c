// Joints in space beside closed forms: a physical pendulum, a motor between two bodies.
#include "unit/space/joint/joint3_util.h"

/// K(k) by the arithmetic and geometric mean.
static double elliptic_k(double k) {
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 20; ++i) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

static double period_of(double amplitude, double unit) {
    return 4 * elliptic_k(sin(amplitude / 2)) * unit;
}

/// The top of a parabola through three equally distant values.
static double top_of(double before, double at, double after) {
    const double bend = before - 2 * at + after, slope = (after - before) / 2;
    return bend == 0 ? at : at - slope * slope / (2 * bend);
}

/// A brick let go 1.5 rad from where it hangs: its period is 4 K(sin(a / 2)) sqrt(I / (m g d)) at the amplitude a. A
/// rigid joint is a stiff and damped spring, which takes a little of each swing; so the phase after a minute is
/// compared with the sum of half periods at the amplitudes that it had, and how much the amplitude fell on its own.
/// What is left is the joint's stretch: half a millimetre of a metre. With twice the substeps the loss is a tenth.
static void swing(uint8_t kind, uint8_t substeps, double ideal_bound) {
    const double d = 1, begin = 1.5;
    const vec3 half = {0.125, 1, 0.25};
    iso_world_def of_world = space_def(-GRAVITY);
    of_world.substep_count = substeps;
    iso_world *world = world_make(&of_world);
    const iso_body_id wall = body3_fixed(world, (vec3){0, 3, 0});
    const iso_body_id brick = body3_box(world, ISO_BODY_DYNAMIC, (vec3){d * sin(begin), 3 - d * cos(begin), 0},
                                        quat_of((vec3){0, 0, begin}), half);
    const iso_joint_id joint = joint3_make(world, kind, wall, brick, (vec3){0, 3, 0}, Z_AXIS, (vec3){0, 0, 0});
    const double inertia = (half.x * half.x + half.y * half.y) / 3 + d * d; // of 1 kg, about the pivot
    const double unit = sqrt(inertia / (GRAVITY * d));
    double angles[3] = {begin, begin, begin}, amplitude = begin, expected = period_of(begin, unit) / 4, last = 0,
           phase = 0, apart = 0;
    int crossings = 0;
    for (int tick = 1; tick <= 3600; ++tick) {
        world_steps(world, 1);
        const vec3 at = body3_centre(world, brick);
        angles[0] = angles[1];
        angles[1] = angles[2];
        angles[2] = atan2(at.x, 3 - at.y);
        if (fabs(angles[1]) > fabs(angles[0]) && fabs(angles[1]) > fabs(angles[2]) && tick > 10) {
            amplitude = fabs(top_of(angles[0], angles[1], angles[2]));
            expected += period_of(amplitude, unit) / 2;
        }
        if ((angles[1] > 0) != (angles[2] > 0)) {
            ++crossings;
            last = (tick - angles[2] / (angles[2] - angles[1])) / 60;
            phase = 2 * PI * (last - expected) / period_of(amplitude, unit);
        }
        apart = fmax(apart, joint3_separation(world, joint));
    }
    const double ideal = 2 * PI * (last / period_of(begin, unit) - 0.25 - (crossings - 1) / 2.0);
    print_message(
        "%s, %d substeps: after %.1f s and %d crossings %.2g rad of phase off, %.2g of the pendulum without loss, "
        "swings to %.4f rad, %.2g m apart\n",
        kind == ISO_JOINT3_HINGE ? "hinge" : "ball", substeps, last, crossings, phase, ideal, amplitude, apart);
    EXPECT(crossings > 40, "%d crossings", crossings);
    EXPECT_NEAR(phase, 0, 0.03, "phase");
    EXPECT_NEAR(ideal, 0, ideal_bound, "phase without loss");
    EXPECT_NEAR(amplitude, begin, 0.01, "amplitude");
    EXPECT(apart < 1e-3, "%g m apart", apart);
    world_free(world);
}

static void test_a_pendulum_swings_by_the_elliptic_integral(void **state) {
    (void)state;
    swing(ISO_JOINT3_HINGE, 4, 0.1);
    swing(ISO_JOINT3_BALL, 4, 0.1);
    swing(ISO_JOINT3_HINGE, 8, 0.02);
    swing(ISO_JOINT3_BALL, 8, 0.02);
}

/// Two bodies at an axis that is along none of the world's: T (1/IA + 1/IB) until the speed is reached, and the
/// momentum about the axis stays zero.
static void test_a_motor_drives_two_bodies_apart(void **state) {
    (void)state;
    const double torque = 8, speed = 12;
    const quat turn = quat_of((vec3){0.4, -0.3, 0.7});
    const vec3 axis = quat_rotate(turn, X_AXIS), half_a = {0.5, 0.6, 0.4}, half_b = {0.3, 0.25, 0.35};
    iso_world *world = space_make(0.0);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 0, 0}, turn, half_a);
    const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, vec3_scale(axis, 1.25), turn, half_b);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, a, b, vec3_scale(axis, 0.75), axis, (vec3){0, 0, 0});
    def.axes[0].motor_enabled = true;
    def.axes[0].motor_speed = fix(speed);
    def.axes[0].motor_max = wide(torque);
    const iso_joint_id joint = joint3_add(world, &def);
    const double mass_a = from_wide(body3_view(world, a).mass), mass_b = from_wide(body3_view(world, b).mass);
    const double Ia = mass_a / 3 * (half_a.y * half_a.y + half_a.z * half_a.z);
    const double Ib = mass_b / 3 * (half_b.y * half_b.y + half_b.z * half_b.z), rate = torque * (1 / Ia + 1 / Ib);
    const uint32_t ticks = (uint32_t)(0.9 * speed / rate * 60);
    assert_true(ticks > 30);
    world_steps(world, ticks);
    const double reached = joint3_speed(world, joint, 0), of_a = vec3_dot(body3_spin(world, a), axis);
    const vec3 la = from_wide3(body3_view(world, a).angular_momentum),
               lb = from_wide3(body3_view(world, b).angular_momentum);
    const double total = vec3_dot(vec3_add(la, lb), axis), one = fabs(vec3_dot(la, axis));
    print_message("motor: %.2g of its speed off after %u ticks, momentum %.2g of one side's\n",
                  reached / (rate * ticks / 60) - 1, ticks, total / one);
    EXPECT_NEAR(reached, rate * ticks / 60, 5e-4 * reached, "speed while it accelerates");
    EXPECT_NEAR(of_a, -torque / Ia * ticks / 60, 5e-4 * fabs(of_a), "speed of the heavy body");
    EXPECT_NEAR(total, 0, 5e-4 * one, "momentum");
    world_steps(world, ticks);
    EXPECT_NEAR(joint3_speed(world, joint, 0), speed, 1e-5, "speed");
    EXPECT(joint3_separation(world, joint) < 1e-4 && joint3_angle_error(world, joint) < 1e-4, "off by %g m, %g rad",
           joint3_separation(world, joint), joint3_angle_error(world, joint));
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pendulum_swings_by_the_elliptic_integral),
        cmocka_unit_test(test_a_motor_drives_two_bodies_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
