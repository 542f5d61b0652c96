/// The revolute joint: pendulums, loads, chains, motors and limits of its angle, against closed forms and bounds.
#include "unit/plane/joint/joint_util.h"

// ---- pendulum ------------------------------------------------------------------------------------

#define PENDULUM_LENGTH 1.0
#define PENDULUM_RADIUS 0.25

typedef struct pendulum {
    iso_world *world;
    iso_body_id body;
    iso_joint_id joint;
} pendulum;

/// A disc on an arm of 1 m, from rest at an angle to the vertical. Fine steps and a stiff joint take less of its
/// energy.
static pendulum pendulum_make(double angle, bool is_fine) {
    iso_world_def def = world_def_small(-GRAVITY);
    def.substep_count = is_fine ? 16 : 4;
    def.tick_rate_hz = is_fine ? 120 : 60;
    def.joint_hertz = fix(is_fine ? 400 : 60);
    pendulum is = {.world = world_make(&def)};
    const double start = from_fix(fix(angle));
    const iso_shape_def disc = shape_circle(PENDULUM_RADIUS);
    const iso_body_id fixed = body_add(is.world, ISO_BODY_STATIC, 0, 0, 0);
    is.body = body_add_shape(is.world, ISO_BODY_DYNAMIC, PENDULUM_LENGTH * sin(start), -PENDULUM_LENGTH * cos(start),
                             start, &disc);
    const iso_joint_def joint = revolute_def(fixed, 0, 0, is.body, 0, PENDULUM_LENGTH);
    is.joint = joint_add(is.world, &joint);
    return is;
}

/// T = 2 pi sqrt(I / (m g l)) / agm(1, cos(angle / 2)), I about the pivot.
static double pendulum_period(double angle) {
    double a = 1, g = cos(angle / 2);
    for (int i = 0; i < 20; ++i) {
        const double next = (a + g) / 2;
        g = sqrt(a * g);
        a = next;
    }
    const double inertia = PENDULUM_RADIUS * PENDULUM_RADIUS / 2 + PENDULUM_LENGTH * PENDULUM_LENGTH; // per mass
    return 2 * PI * sqrt(inertia / (GRAVITY * PENDULUM_LENGTH)) / a;
}

/// The first period, between the first and the third passage through the vertical. Later ones have lost some of the
/// amplitude.
static double pendulum_measure(const pendulum *is) {
    double first = 0, before = body_pose(is->world, is->body).angle;
    int passages = 0;
    for (int t = 1; t < 900; ++t) {
        world_steps(is->world, 1);
        const double angle = body_pose(is->world, is->body).angle;
        if ((before > 0) != (angle > 0)) {
            const double at = (t - 1 + before / (before - angle)) * world_tick(is->world);
            first = passages == 0 ? at : first;
            if (passages++ == 2) {
                return at - first;
            }
        }
        before = angle;
    }
    return 0;
}

/// Bounds in parts of the period. A wide swing is off by what a substep takes of it.
static void test_pendulum_swings_with_the_period_of_its_amplitude(void **state) {
    (void)state;
    const struct {
        double angle;
        bool is_fine;
        double bound;
    } cases[] = {{0.05, false, 2e-4}, {0.5, false, 2e-4}, {1.5, false, 5e-4}, {0.05, true, 5e-5},
                 {0.5, true, 5e-5},   {1.5, true, 5e-5},  {2.5, true, 5e-5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const pendulum is = pendulum_make(cases[i].angle, cases[i].is_fine);
        const double period = pendulum_measure(&is), expected = pendulum_period(from_fix(fix(cases[i].angle)));
        print_message("amplitude %.2f rad, %s steps: period %.6f s, closed form %.6f s\n", cases[i].angle,
                      cases[i].is_fine ? "fine" : "usual", period, expected);
        EXPECT_NEAR(period, expected, cases[i].bound * expected, "period at an amplitude of %g", cases[i].angle);
        EXPECT(joint_separation(is.world, is.joint) < 1e-3, "the anchors are %g m apart",
               joint_separation(is.world, is.joint));
        world_free(is.world);
    }
}

/// A minute of wide swings: energy goes up and down within a swing, as it does in every such step, and what the minute
/// takes of the swing is little.
static void test_pendulum_keeps_its_energy(void **state) {
    (void)state;
    const pendulum is = pendulum_make(1.5, false);
    const pose start = body_pose(is.world, is.body);
    const double potential = start.mass * GRAVITY * PENDULUM_LENGTH, bottom = -start.mass * GRAVITY * PENDULUM_LENGTH;
    const double inertia = start.mass * PENDULUM_RADIUS * PENDULUM_RADIUS / 2;
    const double first = start.mass * GRAVITY * start.y - bottom;
    double most = 0, last = 0, widest = 0;
    for (int t = 0; t < 3600; ++t) {
        world_steps(is.world, 1);
        const pose at = body_pose(is.world, is.body);
        last = start.mass * (at.vx * at.vx + at.vy * at.vy) / 2 + inertia * at.w * at.w / 2 +
               start.mass * GRAVITY * at.y - bottom;
        most = fmax(most, last - first);
        widest = t > 3000 ? fmax(widest, fabs(at.angle)) : 0;
        EXPECT(joint_separation(is.world, is.joint) < 1e-3, "tick %d: the anchors are %g m apart", t,
               joint_separation(is.world, is.joint));
    }
    print_message(
        "a minute from 1.5 rad: at most %.2e of m g l gained, %.2e lost at the end, last amplitude %.4f rad\n",
        most / potential, (first - last) / potential, widest);
    EXPECT(most < 0.006 * potential, "gained %g J of %g", most, potential);
    EXPECT(last <= first, "%g J became %g", first, last);
    EXPECT(widest > 1.46 && widest < 1.505, "the amplitude of 1.5 rad became %g", widest);
    world_free(is.world);
}

static void test_force_of_a_joint_carries_the_weight(void **state) {
    (void)state;
    const double radii[] = {0.02, 0.5, 20}, densities[] = {500, 2, 90};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def disc = shape_circle(radii[i]);
        disc.density = fix(densities[i]);
        const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2 * radii[i], 0, &disc);
        const iso_joint_def def = revolute_def(fixed, 0, 0, body, 0, 2 * radii[i]);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 240);
        const double weight = body_pose(world, body).mass * GRAVITY;
        double x, y;
        joint_force(world, joint, &x, &y);
        EXPECT_NEAR(y, weight, 1e-3 * weight, "force on a disc of %g m", radii[i]);
        EXPECT_NEAR(x, 0, 1e-3 * weight, "force to the side on a disc of %g m", radii[i]);
        world_free(world);
    }
}

/// The force on B: what pulls A up pulls B down.
static void test_force_of_a_joint_is_that_on_body_b(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id hanging = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -1, 0, &disc);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_joint_def def = revolute_def(hanging, 0, 1, fixed, 0, 0);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 240);
    const double weight = body_pose(world, hanging).mass * GRAVITY;
    double x, y;
    joint_force(world, joint, &x, &y);
    EXPECT_NEAR(y, -weight, 1e-3 * weight, "force on the static body");
    world_free(world);
}

// ---- motors --------------------------------------------------------------------------------------

// ---- motors --------------------------------------------------------------------------------------

/// rate = w2 - w1, whichever body is the static one.
static void test_motor_turns_at_its_speed(void **state) {
    (void)state;
    const double radii[] = {0.02, 0.5, 20}, speeds[] = {3, -7.5};
    for (int i = 0; i < 12; ++i) {
        wheel is = wheel_make(radii[i % 3], -GRAVITY);
        const bool is_reversed = i >= 6;
        iso_joint_def def =
            joint_def(ISO_JOINT_REVOLUTE, is_reversed ? is.disc : is.fixed, is_reversed ? is.fixed : is.disc);
        def.motor_enabled = true;
        def.motor_speed = fix(speeds[i / 3 % 2]);
        def.motor_max = wide(1e8);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 60);
        const double expected = speeds[i / 3 % 2] * (is_reversed ? -1 : 1);
        const double bound = 1e-4 + QUANTUM_VELOCITY / radii[i % 3];
        EXPECT_NEAR(body_pose(is.world, is.disc).w, expected, bound, "disc of %g m, case %d", radii[i % 3], i);
        EXPECT_NEAR(joint_speed(is.world, joint), speeds[i / 3 % 2], bound, "speed of the joint, case %d", i);
        world_free(is.world);
    }
}

/// Between two free bodies the motor's torque is equal and opposite: momentum stays, the difference is the speed.
static void test_motor_between_free_bodies_keeps_their_momentum(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const iso_shape_def large = shape_box(1, 0.5);
    const iso_body_id other = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &large);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, other, is.disc);
    def.motor_enabled = true;
    def.motor_speed = fix(4);
    def.motor_max = wide(1000);
    joint_add(is.world, &def);
    world_steps(is.world, 120);
    const pose a = body_pose(is.world, other), b = body_pose(is.world, is.disc);
    EXPECT_NEAR(b.w - a.w, 4, 1e-4, "difference");
    EXPECT_NEAR(a.inertia * a.w + b.inertia * b.w, 0, 1e-4, "momentum");
    world_free(is.world);
}

/// With a torque M that does not suffice for the speed at once the disc gains M / I per second.
static void test_motor_accelerates_by_its_torque(void **state) {
    (void)state;
    const double radii[] = {0.05, 0.5, 10};
    for (int i = 0; i < 3; ++i) {
        wheel is = wheel_make(radii[i], 0);
        const double inertia = body_pose(is.world, is.disc).inertia, torque = 2 * inertia;
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
        def.motor_enabled = true;
        def.motor_speed = fix(100);
        def.motor_max = wide(torque);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 60);
        EXPECT_NEAR(body_pose(is.world, is.disc).w, 2, 2e-3 + 60 * 4 * QUANTUM_VELOCITY / radii[i], "disc of %g m",
                    radii[i]);
        EXPECT_NEAR(joint_torque(is.world, joint), torque, 1e-3 * torque + 1e-9, "torque on a disc of %g m", radii[i]);
        // A motor of no torque brakes nothing.
        EXPECT_STATUS(iso_joint_set_motor(is.world, joint, true, 0, 0), ISO_OK);
        const double before = body_pose(is.world, is.disc).w;
        world_steps(is.world, 60);
        EXPECT_NEAR(body_pose(is.world, is.disc).w, before, 1e-3, "without torque");
        // Switched off it does nothing either.
        EXPECT_STATUS(iso_joint_set_motor(is.world, joint, false, 0, wide(1000)), ISO_OK);
        world_steps(is.world, 60);
        EXPECT_NEAR(body_pose(is.world, is.disc).w, before, 1e-3, "switched off");
        assert_true(joint_torque(is.world, joint) == 0);
        world_free(is.world);
    }
}

// ---- limits and springs --------------------------------------------------------------------------

/// An arm falls to either side onto its limit, and stays; the torque there carries the weight. Its inertia about the
/// pivot is 39 times that of the angle's row, which is what makes it give way.
static void test_arm_rests_on_its_limits_from_both_sides(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double side = i % 2 ? 1 : -1;
        const bool is_reversed = i >= 2;
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def box = shape_box(0.2, 0.2);
        const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        const iso_body_id arm = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1, 0, &box);
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is_reversed ? arm : fixed, is_reversed ? fixed : arm);
        *(is_reversed ? &def.anchor_a : &def.anchor_b) = (iso_vec2){0, -ONE};
        def.limit_enabled = true;
        def.lower = fix(-0.5);
        def.upper = fix(0.7);
        const iso_joint_id joint = joint_add(world, &def);
        body_set_velocity(world, arm, -0.5 * side, 0, 0.5 * side);
        const double low = is_reversed ? -0.7 : -0.5, high = is_reversed ? 0.5 : 0.7;
        double least = 0, most = 0;
        for (int t = 0; t < 600; ++t) {
            world_steps(world, 1);
            least = fmin(least, body_pose(world, arm).angle);
            most = fmax(most, body_pose(world, arm).angle);
        }
        const pose at = body_pose(world, arm);
        print_message("side %g: between %.5f and %.5f rad, at the end %.6f\n", side, least, most, at.angle);
        EXPECT(least > low - 0.03 && most < high + 0.03, "the arm left its limits: %g to %g", least, most);
        EXPECT_NEAR(at.angle, side > 0 ? high : low, 3e-3, "place of rest");
        EXPECT_NEAR(at.w, 0, 1e-4, "speed at rest");
        // On B: the static body when reversed, so the sign of the torque on the arm turns round.
        const double weight = at.mass * GRAVITY * sin(at.angle);
        EXPECT_NEAR(joint_torque(world, joint), is_reversed ? weight : -weight, 0.01 * fabs(weight), "torque at rest");
        EXPECT_NEAR(joint_angle(world, joint), is_reversed ? -at.angle : at.angle, 1e-6, "angle of the joint");
        world_free(world);
    }
}

/// Angles count on beyond a turn: limits of one and a half turns are reached after as many.
static void test_limits_lie_beyond_a_turn(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.limit_enabled = true;
    def.lower = fix(-1);
    def.upper = fix(3 * PI);
    const iso_joint_id joint = joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 0, 0, 5);
    world_steps(is.world, 240);
    EXPECT_NEAR(joint_angle(is.world, joint), from_fix(def.upper), 1e-3, "angle");
    EXPECT_NEAR(joint_speed(is.world, joint), 0, 1e-4, "speed");
    world_free(is.world);
}

/// Limits that meet hold the angle there.
static void test_equal_limits_lock_the_angle(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.limit_enabled = true;
    def.lower = def.upper = fix(0.25);
    const iso_joint_id joint = joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 0, 0, -5);
    world_steps(is.world, 240);
    EXPECT_NEAR(joint_angle(is.world, joint), 0.25, 1e-3, "angle");
    world_free(is.world);
}

/// rest = phi2 - phi1.
static void test_angular_spring_settles_at_its_rest(void **state) {
    (void)state;
    for (int is_reversed = 0; is_reversed < 2; ++is_reversed) {
        wheel is = wheel_make(0.5, -GRAVITY);
        iso_joint_def def =
            joint_def(ISO_JOINT_REVOLUTE, is_reversed ? is.disc : is.fixed, is_reversed ? is.fixed : is.disc);
        def.spring_enabled = true;
        def.spring_hertz = fix(3);
        def.spring_damping_ratio = ONE;
        def.rest = fix(0.5);
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 300);
        EXPECT_NEAR(joint_angle(is.world, joint), 0.5, 1e-4, "angle of the joint");
        EXPECT_NEAR(body_pose(is.world, is.disc).angle, is_reversed ? -0.5 : 0.5, 1e-4, "angle of the disc");
        // A new rest is taken at once.
        EXPECT_STATUS(iso_joint_set_spring(is.world, joint, true, fix(3), ONE, fix(-8)), ISO_OK);
        world_steps(is.world, 400);
        EXPECT_NEAR(joint_angle(is.world, joint), -8, 1e-3, "angle at the new rest");
        world_free(is.world);
    }
}

// ---- hard cases ----------------------------------------------------------------------------------

/// Two bodies hang under each other, the lower one swinging. @return how far anchors came apart in 20 s
static double hang_pair(double density_upper, double density_lower) {
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def link = shape_box(0.1, 0.5), ball = shape_circle(1);
    link.density = fix(density_upper);
    ball.density = fix(density_lower);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id upper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -0.5, 0, &link);
    const iso_body_id lower = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2, 0, &ball);
    const iso_joint_def above = revolute_def(fixed, 0, 0, upper, 0, 0.5),
                        below = revolute_def(upper, 0, -0.5, lower, 0, 1);
    const iso_joint_id joints[2] = {joint_add(world, &above), joint_add(world, &below)};
    body_set_velocity(world, lower, 2, 0, 0);
    double worst = 0;
    for (int t = 0; t < 1200; ++t) {
        world_steps(world, 1);
        worst = fmax(worst, fmax(joint_separation(world, joints[0]), joint_separation(world, joints[1])));
    }
    world_free(world);
    return worst;
}

/// A light body on a heavy one holds at any ratio. A heavy one on a light one gives way in proportion to the ratio:
/// one solve hands on the light one's share only. So does the same algorithm in double precision; at 1:10000 both
/// come apart.
static void test_unequal_bodies_hang_under_each_other(void **state) {
    (void)state;
    const struct {
        double upper, lower, bound;
    } cases[] = {{32000, 0.2, 0.05}, {1000, 0.01, 0.05}, {1, 0.636, 0.003},
                 {1, 6.36, 0.03},    {1, 63.6, 0.3},     {1, 191, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double worst = hang_pair(cases[i].upper, cases[i].lower),
                     ratio = cases[i].lower * PI / (cases[i].upper * 0.2);
        print_message("a body of %.2g times the mass of its link: anchors at most %.1e m apart\n", ratio, worst);
        EXPECT(worst < cases[i].bound, "ratio %g: the anchors came %g m apart", ratio, worst);
    }
}

static void test_chain_with_a_ball_of_a_hundred_links_holds(void **state) {
    (void)state;
    enum { LINKS = 30 };
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def link = shape_box(0.5, 0.125);
    iso_shape_def ball = shape_circle(2);
    iso_joint_id joints[LINKS + 1];
    iso_body_id last = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &link);
    for (int i = 0; i < LINKS; ++i) {
        const iso_body_id next = body_add_shape(world, ISO_BODY_DYNAMIC, i + 1, 0, 0, &link);
        const iso_joint_def def = revolute_def(last, 0.5, 0, next, -0.5, 0);
        joints[i] = joint_add(world, &def);
        last = next;
    }
    ball.density = fix(25 / (4 * PI));
    const iso_body_id end = body_add_shape(world, ISO_BODY_DYNAMIC, LINKS + 2.5, 0, 0, &ball);
    const iso_joint_def def = revolute_def(last, 0.5, 0, end, -2, 0);
    joints[LINKS] = joint_add(world, &def);
    double worst = 0, late = 0;
    for (int t = 0; t < 1800; ++t) {
        world_steps(world, 1);
        for (int j = 0; j <= LINKS; ++j) {
            worst = fmax(worst, joint_separation(world, joints[j]));
            late = t >= 1500 ? fmax(late, joint_separation(world, joints[j])) : 0;
        }
    }
    const pose at = body_pose(world, end);
    print_message("chain: anchors at most %.3f m apart, %.3f m after 25 s\n", worst, late);
    EXPECT(worst < 0.5 && late < 0.1, "anchors came %g m apart, late %g m", worst, late);
    EXPECT(hypot(at.x, at.y) < LINKS + 2.5 + 1, "the ball is %g m out", hypot(at.x, at.y));
    assert_int_equal(world_counts(world).clamped_velocities, 0);
    world_free(world);
}

/// A small body swings on an arm of 50 m, eight hundred of its radii.
static void test_anchors_far_outside_of_the_bodies_hold(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def pebble = shape_circle(0.05);
    pebble.density = fix(100);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 50, 0, 0, &pebble);
    const iso_joint_def def = revolute_def(fixed, 0, 0, body, -50, 0);
    const iso_joint_id joint = joint_add(world, &def);
    double worst = 0, lowest = 0;
    for (int t = 0; t < 1800; ++t) {
        world_steps(world, 1);
        worst = fmax(worst, joint_separation(world, joint));
        lowest = fmin(lowest, body_pose(world, body).y);
    }
    print_message("arm of 50 m: anchors at most %.2e m apart\n", worst);
    EXPECT(worst < 0.05, "the anchors came %g m apart", worst);
    EXPECT(lowest < -49.9 && lowest > -50.1, "it swung down to %g", lowest);
    world_free(world);
}

static void test_coincident_bodies_stay_together(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; ++collide) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
        iso_joint_def def = revolute_def(a, 0, 0, b, 0, 0);
        def.collide_connected = collide;
        const iso_joint_id joint = joint_add(world, &def);
        body_set_velocity(world, a, 1, 0, 2);
        world_steps(world, 300);
        const pose at = body_pose(world, a);
        // Falling together whatever they do to each other; a contact that pushes against the joint opens it a little.
        EXPECT(joint_separation(world, joint) < (collide ? 0.6 : 1e-4), "apart by %g m",
               joint_separation(world, joint));
        EXPECT_NEAR((at.vy + body_pose(world, b).vy) / 2, -50, 0.01, "fall");
        EXPECT_NEAR((at.vx + body_pose(world, b).vx) / 2, 0.5, 0.01, "drift");
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_swings_with_the_period_of_its_amplitude),
        cmocka_unit_test(test_pendulum_keeps_its_energy),
        cmocka_unit_test(test_force_of_a_joint_carries_the_weight),
        cmocka_unit_test(test_force_of_a_joint_is_that_on_body_b),
        cmocka_unit_test(test_motor_turns_at_its_speed),
        cmocka_unit_test(test_motor_between_free_bodies_keeps_their_momentum),
        cmocka_unit_test(test_motor_accelerates_by_its_torque),
        cmocka_unit_test(test_arm_rests_on_its_limits_from_both_sides),
        cmocka_unit_test(test_limits_lie_beyond_a_turn),
        cmocka_unit_test(test_equal_limits_lock_the_angle),
        cmocka_unit_test(test_angular_spring_settles_at_its_rest),
        cmocka_unit_test(test_unequal_bodies_hang_under_each_other),
        cmocka_unit_test(test_chain_with_a_ball_of_a_hundred_links_holds),
        cmocka_unit_test(test_anchors_far_outside_of_the_bodies_hold),
        cmocka_unit_test(test_coincident_bodies_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
