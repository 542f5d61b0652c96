/// What limits, motors, springs and lengths make bodies do, against closed forms and bounds.
/// The rows themselves: test_axis_rows.c.
#include "joint_util.h"

#include "world/world.h"

// ---- motors --------------------------------------------------------------------------------------

/// rate = w2 - w1, whichever body is the static one.
static void test_motor_turns_at_its_speed(void **state) {
    (void)state;
    const double radii[] = {0.02, 0.5, 20}, speeds[] = {3, -7.5};
    for (int i = 0; i < 12; ++i) {
        wheel is = wheel_make(radii[i % 3], -GRAVITY);
        const bool is_reversed = i >= 6;
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is_reversed ? is.disc : is.fixed, is_reversed ? is.fixed : is.disc);
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
        EXPECT_NEAR(body_pose(is.world, is.disc).w, 2, 2e-3 + 60 * 4 * QUANTUM_VELOCITY / radii[i], "disc of %g m", radii[i]);
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

// ---- angle limits --------------------------------------------------------------------------------

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

// ---- springs -------------------------------------------------------------------------------------

/// Measures a swing about `rest` from one side: the period and the logarithmic decrement. @return false: no swing
static bool swing_measure(iso_world *world, iso_joint_id joint, bool is_length, double rest, double *period,
                          double *decrement) {
    double before = (is_length ? joint_length(world, joint) : joint_angle(world, joint)) - rest;
    double first = 0, last = 0, peaks[2] = {0, 0}, peak = 0;
    int passages = 0;
    for (int t = 1; t < 6000 && passages < 5; ++t) {
        world_steps(world, 1);
        const double x = (is_length ? joint_length(world, joint) : joint_angle(world, joint)) - rest;
        if ((before > 0) != (x > 0)) {
            last = (t - 1 + before / (before - x)) * world_tick(world);
            first = passages == 0 ? last : first;
            peaks[0] = passages == 1 ? peak : peaks[0];
            peaks[1] = passages == 3 ? peak : peaks[1];
            peak = 0;
            ++passages;
        }
        peak = fmax(peak, fabs(x));
        before = x;
    }
    *period = (last - first) / 2;
    *decrement = log(peaks[0] / peaks[1]);
    return passages == 5;
}

/// Period 1 / (f sqrt(1 - z^2)), decrement 2 pi z / sqrt(1 - z^2), with the reduced mass or inertia of the pair.
/// Implicit steps of h damp like another z of pi f h.
static void test_springs_swing_like_damped_oscillators(void **state) {
    (void)state;
    const struct { double hertz, ratio; } cases[] = {{1, 0.05}, {1, 0.2}, {0.5, 0.1}, {2, 0.1}};
    for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; ++i) {
        const bool is_length = i % 2, is_free = i / 2 % 2;
        const double f = cases[i / 4].hertz, z = cases[i / 4].ratio, root = sqrt(1 - z * z), own = PI * f / 240;
        wheel is = wheel_make(0.5, 0);
        iso_shape_def other = shape_box(0.3, 0.6);
        other.filter.mask = 0;
        const iso_body_id a = is_free ? body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &other) : is.fixed;
        const iso_body_id b = is_length ? body_add_shape(is.world, ISO_BODY_DYNAMIC, 2.5, 0, 0, &other) : is.disc;
        iso_joint_def def = joint_def(is_length ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE, a, b);
        def.spring_enabled = true;
        def.spring_hertz = fix(f);
        def.spring_damping_ratio = fix(z);
        def.rest = is_length ? fix(2) : fix(0.5);
        const iso_joint_id joint = joint_add(is.world, &def);
        double period, decrement;
        assert_true(swing_measure(is.world, joint, is_length, from_fix(def.rest), &period, &decrement));
        print_message("%s, %.1f Hz, ratio %.2f: period %.4f (%.4f) s, decrement %.4f (%.4f)\n",
                      is_length ? "length" : "angle", f, z, period, 1 / (f * root), decrement, 2 * PI * z / root);
        EXPECT_NEAR(period, 1 / (f * root), 0.01 * period, "period at %g Hz, ratio %g", f, z);
        EXPECT(decrement > 2 * PI * z / root * 0.97 && decrement < 2 * PI * (z + 2 * own) / root,
               "decrement at %g Hz, ratio %g: %g, expected %g", f, z, decrement, 2 * PI * z / root);
        world_free(is.world);
    }
}

/// rest = phi2 - phi1.
static void test_angular_spring_settles_at_its_rest(void **state) {
    (void)state;
    for (int is_reversed = 0; is_reversed < 2; ++is_reversed) {
        wheel is = wheel_make(0.5, -GRAVITY);
        iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is_reversed ? is.disc : is.fixed, is_reversed ? is.fixed : is.disc);
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

/// A spring of 0 Hz is none: what it is the only part of holds nothing.
static void test_springs_of_no_frequency_pull_nothing(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_ANGLE, ISO_JOINT_DISTANCE, ISO_JOINT_LINE};
    for (int i = 0; i < 4; ++i) {
        const bool turns = i < 2;
        wheel is = wheel_make(0.5, turns ? 0 : -GRAVITY);
        iso_joint_def def = joint_def(kinds[i], is.fixed, is.disc);
        def.axis = (iso_vec2){0, ONE};
        def.spring_enabled = true;
        def.spring_hertz = 0;
        def.rest = ONE / 4;
        const iso_joint_id joint = joint_add(is.world, &def);
        body_set_velocity(is.world, is.disc, 0, 0, turns ? 3 : 0);
        world_steps(is.world, 30);
        const pose at = body_pose(is.world, is.disc);
        EXPECT_NEAR(turns ? at.w : at.vy, turns ? 3 : -GRAVITY / 2, 1e-6, "kind %d", kinds[i]);
        double fx, fy;
        joint_force(is.world, joint, &fx, &fy);
        assert_true(fx == 0 && fy == 0 && joint_torque(is.world, joint) == 0);
        world_free(is.world);
    }
}

/// A mass on a spring hangs g / w^2 below its rest.
static void test_length_spring_gives_way_by_the_weight(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const iso_shape_def disc = shape_circle(0.3);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, -2, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.spring_enabled = true;
    def.spring_hertz = fix(2);
    def.rest = fix(2);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 900);
    const double sag = GRAVITY / pow(2 * PI * 2, 2), weight = body_pose(is.world, body).mass * GRAVITY;
    EXPECT_NEAR(joint_length(is.world, joint), 2 + sag, 0.01 * sag, "length");
    EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "a spring has no error");
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(is.world, joint, &force), ISO_OK);
    EXPECT_NEAR(from_wide(force.y), weight, 1e-3 * weight, "force");
    EXPECT_NEAR(from_wide(force.x), 0, 1e-3 * weight, "force to the side");
    world_free(is.world);
}

/// A spring that may pull with half the weight lets the body fall with half the acceleration.
static void test_maximum_force_and_torque_limit_springs(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const double weight = body_pose(is.world, is.disc).mass * GRAVITY, inertia = body_pose(is.world, is.disc).inertia;
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, is.disc);
    def.force_max = wide(weight / 2);
    joint_add(is.world, &def);
    world_steps(is.world, 60);
    const double early = body_pose(is.world, is.disc).vy;
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).vy - early, -GRAVITY / 2, 0.01 * GRAVITY, "acceleration on a weak rod");
    world_free(is.world);

    is = wheel_make(0.5, 0);
    def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.spring_enabled = true;
    def.spring_hertz = fix(10);
    def.rest = fix(1000);
    def.torque_max = wide(inertia);
    joint_add(is.world, &def);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).w, 1, 2e-3, "speed after a second of weak torque");
    world_free(is.world);
}

// ---- lengths -------------------------------------------------------------------------------------

/// A disc on a rod does not turn, so it swings like a point: T = 2 pi sqrt(l / g) / agm(1, cos(a / 2)).
static void test_rod_is_a_mathematical_pendulum(void **state) {
    (void)state;
    const double angles[] = {0.05, 0.5, 1};
    for (int i = 0; i < 3; ++i) {
        wheel is = wheel_make(0.5, -GRAVITY);
        const iso_shape_def disc = shape_circle(0.2);
        const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 2 * sin(angles[i]), -2 * cos(angles[i]), 0, &disc);
        iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
        def.rest = fix(2);
        const iso_joint_id joint = joint_add(is.world, &def);
        double before = body_pose(is.world, body).x, first = 0, period = 0;
        int passages = 0;
        for (int t = 1; t < 900 && passages < 3; ++t) {
            world_steps(is.world, 1);
            const double x = body_pose(is.world, body).x;
            if ((before > 0) != (x > 0)) {
                const double at = (t - 1 + before / (before - x)) * world_tick(is.world);
                first = passages == 0 ? at : first;
                period = at - first;
                ++passages;
            }
            before = x;
            EXPECT(joint_separation(is.world, joint) < 1e-3, "the rod is off by %g m", joint_separation(is.world, joint));
        }
        double a = 1, g = cos(angles[i] / 2);
        for (int n = 0; n < 20; ++n) {
            const double next = (a + g) / 2;
            g = sqrt(a * g);
            a = next;
        }
        const double expected = 2 * PI * sqrt(2 / GRAVITY) / a;
        print_message("rod from %.2f rad: period %.5f s, closed form %.5f s\n", angles[i], period, expected);
        EXPECT_NEAR(period, expected, 5e-3 * expected, "period from %g rad", angles[i]);
        EXPECT(fabs(body_pose(is.world, body).w) < 1e-4, "the disc turns");
        world_free(is.world);
    }
}

/// A rope is slack within its length and taut at it; a strut keeps its least length.
static void test_length_limits_hold_at_both_ends_alone(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, -1, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.limit_enabled = true;
    def.lower = fix(0.5);
    def.upper = fix(3);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 30); // falls freely
    EXPECT_NEAR(body_pose(is.world, body).vy, -GRAVITY / 2, 1e-3, "free fall");
    EXPECT_NEAR(joint_separation(is.world, joint), 0, 0, "within the limits there is no error");
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 3, 5e-3, "taut");
    EXPECT_NEAR(body_pose(is.world, body).vy, 0, 1e-3, "at rest");
    // Upwards it may go, until it is too near.
    EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(GRAVITY)}), ISO_OK);
    world_steps(is.world, 30);
    EXPECT_NEAR(body_pose(is.world, body).vy, GRAVITY / 2, 1e-2, "free rise");
    double least = 3;
    for (int t = 0; t < 120; ++t) {
        world_steps(is.world, 1);
        least = fmin(least, joint_length(is.world, joint));
    }
    EXPECT(least > 0.45 && least < 0.51, "least length %g", least);
    world_free(is.world);
}

/// A spring between limits moves within them.
static void test_spring_works_within_limits(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 1, 0, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, body);
    def.limit_enabled = def.spring_enabled = true;
    def.spring_hertz = fix(2);
    def.spring_damping_ratio = fix(0.5);
    def.rest = fix(4);
    def.lower = fix(0.5);
    def.upper = fix(2);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 2, 5e-3, "the spring presses against the limit");
    EXPECT_STATUS(iso_joint_set_limits(is.world, joint, false, 0, 0), ISO_OK);
    world_steps(is.world, 300);
    EXPECT_NEAR(joint_length(is.world, joint), 4, 5e-3, "without limits it rests");
    world_free(is.world);
}

/// Anchors that coincide have no direction: the last one stands, first that of the x axis.
static void test_length_of_zero_keeps_its_direction(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, is.fixed, is.disc);
    def.rest = fix(1);
    joint_add(is.world, &def);
    world_steps(is.world, 120);
    const pose at = body_pose(is.world, is.disc);
    EXPECT_NEAR(at.x, 1, 1e-3, "pushed along the x axis");
    EXPECT_NEAR(at.y, 0, 1e-6, "not to the side");
    world_free(is.world);

    is = wheel_make(0.5, 0);
    const iso_shape_def disc = shape_circle(0.2);
    const iso_body_id body = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 1, 0, &disc);
    def.body_b = body;
    const iso_joint_id other = joint_add(is.world, &def);
    world_steps(is.world, 1);
    // Put onto the anchor; also by way of a snapshot, in which the direction must be.
    is.world->bodies[body.index].position[1] = 0;
    const size_t size = iso_snapshot_size(is.world);
    uint8_t *bytes = malloc(size);
    iso_snapshot_encode(is.world, bytes, size);
    EXPECT_STATUS(iso_snapshot_decode(is.world, bytes, size), ISO_OK);
    free(bytes);
    assert_true(joint_length(is.world, other) == 0);
    world_steps(is.world, 120);
    EXPECT_NEAR(body_pose(is.world, body).y, 1, 1e-3, "pushed back to where it came from");
    EXPECT_NEAR(body_pose(is.world, body).x, 0, 1e-6, "not to the side");
    world_free(is.world);
}

// ---- hard cases ----------------------------------------------------------------------------------

/// A light body on a rod to a heavy one, and 50 m out on a long lever.
static void test_rods_hold_at_mass_ratios_and_far_anchors(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def heavy = shape_circle(1), light = shape_circle(0.1);
    heavy.density = fix(1000 / PI);
    light.density = fix(10 / PI);
    heavy.filter.mask = light.filter.mask = 0;
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id top = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2, 0, &heavy);
    const iso_body_id bottom = body_add_shape(world, ISO_BODY_DYNAMIC, 1, -3, 0, &light); // 1:10000
    iso_shape_def wide_disc = shape_circle(3);
    wide_disc.filter.mask = 0;
    const iso_body_id far = body_add_shape(world, ISO_BODY_DYNAMIC, 52, 0, 0, &wide_disc);
    iso_joint_def upper = joint_def(ISO_JOINT_DISTANCE, fixed, top), lower = joint_def(ISO_JOINT_DISTANCE, top, bottom),
                  lever = joint_def(ISO_JOINT_DISTANCE, fixed, far);
    upper.rest = fix(2);
    lower.rest = fix(sqrt(2));
    lever.anchor_b.x = fix(-50);
    lever.rest = fix(2);
    const iso_joint_id joints[3] = {joint_add(world, &upper), joint_add(world, &lower), joint_add(world, &lever)};
    double worst[3] = {0, 0, 0};
    for (int t = 0; t < 1200; ++t) {
        world_steps(world, 1);
        for (int j = 0; j < 3; ++j) {
            worst[j] = fmax(worst[j], joint_separation(world, joints[j]));
        }
    }
    print_message("rods off by at most %.1e, %.1e, %.1e m\n", worst[0], worst[1], worst[2]);
    EXPECT(worst[0] < 0.01 && worst[1] < 0.05 && worst[2] < 0.05, "rods are off by %g, %g, %g m", worst[0], worst[1], worst[2]);
    world_free(world);
}

static void test_parts_between_bodies_that_do_not_move_do_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_KINEMATIC, 3, 0, 0, &disc);
        iso_joint_def def = joint_def(kind ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE, a, b);
        def.motor_enabled = kind == 0;
        def.motor_speed = ONE;
        def.motor_max = wide(1000);
        def.limit_enabled = true;
        def.lower = def.upper = ONE;
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        assert_true(body_pose(world, b).x == 3 && body_pose(world, b).w == 0);
        assert_true(joint_torque(world, joint) == 0);
        world_free(world);
    }
}

/// A disabled joint is not there: its body falls, its bodies collide, and its impulses are forgotten.
static void test_disabled_joint_lets_go(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id a = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -0.9, 0, &disc);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, a, b);
    def.anchor_b.y = fix(0.9);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 60);
    assert_int_equal(world_counts(world).contacts, 0);
    EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
    assert_true(force.x == 0 && force.y == 0);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).contacts, 1);
    world_steps(world, 59);
    EXPECT(body_pose(world, b).y < -3, "it hangs still, at %g", body_pose(world, b).y);
    EXPECT_STATUS(iso_joint_enable(world, joint, true), ISO_OK);
    world_steps(world, 240);
    EXPECT(joint_separation(world, joint) < 0.02, "it was not caught: %g m", joint_separation(world, joint));
    world_free(world);
}

// ---- handles and bounds --------------------------------------------------------------------------

static void test_changes_are_checked_and_change_nothing_on_error(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    const iso_joint_id revolute = joint_add(is.world, &def);
    def.kind = ISO_JOINT_DISTANCE;
    const iso_joint_id distance = joint_add(is.world, &def);
    def.kind = ISO_JOINT_TARGET;
    const iso_joint_id target = joint_add(is.world, &def), stale = {target.index, target.generation + 2};
    iso_world *world = is.world;
    world_steps(world, 3);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const fix16_t most = 32767 * ONE;
    EXPECT_STATUS(iso_joint_set_motor(world, stale, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_limits(world, stale, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_spring(world, stale, true, 0, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_break(world, stale, 0, 0, 0, true), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_enable(world, stale, true), ISO_ERR_STALE);
    iso_wide value;
    EXPECT_STATUS(iso_joint_get_torque(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_angle(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_length(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_get_speed(world, stale, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_motor(world, distance, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_motor(world, target, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_limits(world, target, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_spring(world, target, true, 0, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, most + 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, 0, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, -most - 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_limits(world, distance, true, -1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, distance, true, ONE, ONE, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, 1000 * ONE + 1, ONE, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, ONE, -1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_break(world, revolute, -1, 0, 0, true), ISO_ERR_RANGE);
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    // The bounds themselves are taken, read back, and stepped.
    EXPECT_STATUS(iso_joint_set_motor(world, revolute, true, -most, INT64_MAX), ISO_OK);
    EXPECT_STATUS(iso_joint_set_limits(world, revolute, true, -most, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_spring(world, revolute, true, 1000 * ONE, 1000 * ONE, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_limits(world, distance, true, 0, most), ISO_OK);
    EXPECT_STATUS(iso_joint_set_spring(world, distance, true, 1, 0, most), ISO_OK);
    EXPECT_STATUS(iso_joint_get(world, revolute, &def), ISO_OK);
    assert_true(def.motor_enabled && def.motor_speed == -most && def.motor_max == INT64_MAX && def.lower == -most &&
                def.upper == most && def.rest == most && def.spring_hertz == 1000 * ONE);
    world_steps(world, 60);
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(world, bytes, size), ISO_OK); // what the extremes lead to is a state
    free(bytes);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor_turns_at_its_speed),
        cmocka_unit_test(test_motor_between_free_bodies_keeps_their_momentum),
        cmocka_unit_test(test_motor_accelerates_by_its_torque),
        cmocka_unit_test(test_arm_rests_on_its_limits_from_both_sides),
        cmocka_unit_test(test_limits_lie_beyond_a_turn),
        cmocka_unit_test(test_equal_limits_lock_the_angle),
        cmocka_unit_test(test_springs_swing_like_damped_oscillators),
        cmocka_unit_test(test_angular_spring_settles_at_its_rest),
        cmocka_unit_test(test_springs_of_no_frequency_pull_nothing),
        cmocka_unit_test(test_length_spring_gives_way_by_the_weight),
        cmocka_unit_test(test_maximum_force_and_torque_limit_springs),
        cmocka_unit_test(test_rod_is_a_mathematical_pendulum),
        cmocka_unit_test(test_length_limits_hold_at_both_ends_alone),
        cmocka_unit_test(test_spring_works_within_limits),
        cmocka_unit_test(test_length_of_zero_keeps_its_direction),
        cmocka_unit_test(test_rods_hold_at_mass_ratios_and_far_anchors),
        cmocka_unit_test(test_parts_between_bodies_that_do_not_move_do_nothing),
        cmocka_unit_test(test_disabled_joint_lets_go),
        cmocka_unit_test(test_changes_are_checked_and_change_nothing_on_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
