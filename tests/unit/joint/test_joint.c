/// What joints make bodies do: pendulums, springs, dragging, chains, against closed forms and bounds.
/// The rows themselves: test_joint_rows.c.
#include "joint_util.h"

static iso_joint_def revolute_def(iso_body_id a, double ax, double ay, iso_body_id b, double bx, double by) {
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, a, b);
    def.anchor_a = (iso_vec2){fix(ax), fix(ay)};
    def.anchor_b = (iso_vec2){fix(bx), fix(by)};
    return def;
}

static iso_joint_def target_def(iso_body_id b, double x, double y, double hertz, double ratio) {
    iso_joint_def def = joint_def(ISO_JOINT_TARGET, (iso_body_id){0, 0}, b);
    def.target = (iso_vec2){fix(x), fix(y)};
    def.hertz = fix(hertz);
    def.damping_ratio = fix(ratio);
    return def;
}

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

// ---- springs -------------------------------------------------------------------------------------

/// A disc on a soft joint without gravity, let go 0.5 m from its place.
static void spring_measure(bool is_target, double hertz, double ratio, double *period, double *decrement) {
    iso_world *world = world_make_small(0);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0.5, 0, 0, &disc);
    iso_joint_def def = revolute_def(fixed, 0, 0, body, 0, 0);
    def.hertz = fix(hertz);
    def.damping_ratio = fix(ratio);
    def = is_target ? target_def(body, 0, 0, hertz, ratio) : def;
    joint_add(world, &def);
    double before = 0.5, times[2] = {0, 0}, peaks[2] = {0, 0}, peak = 0;
    int passages = 0;
    for (int t = 1; t < 3000 && passages < 5; ++t) {
        world_steps(world, 1);
        const double x = body_pose(world, body).x;
        if ((before > 0) != (x > 0)) {
            // Passages 0 and 4 are two periods apart; the swings after 0 and after 2 are of one side.
            times[1] = (t - 1 + before / (before - x)) * world_tick(world);
            times[0] = passages == 0 ? times[1] : times[0];
            peaks[0] = passages == 1 ? peak : peaks[0];
            peaks[1] = passages == 3 ? peak : peaks[1];
            peak = 0;
            ++passages;
        }
        peak = fmax(peak, fabs(x));
        before = x;
    }
    *period = passages == 5 ? (times[1] - times[0]) / 2 : 0;
    *decrement = log(peaks[0] / peaks[1]);
    world_free(world);
}

/// Period 1 / (f sqrt(1 - z^2)), decrement 2 pi z / sqrt(1 - z^2). Implicit steps of h damp like another z of
/// pi f h and lengthen the period by some of that.
static void test_soft_joints_swing_like_a_damped_oscillator(void **state) {
    (void)state;
    const struct { double hertz, ratio; } cases[] = {{1, 0.05}, {1, 0.2}, {0.5, 0.1}, {2, 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int is_target = 0; is_target < 2; ++is_target) {
            double period, decrement;
            spring_measure(is_target, cases[i].hertz, cases[i].ratio, &period, &decrement);
            const double z = cases[i].ratio, root = sqrt(1 - z * z), own = PI * cases[i].hertz / 240;
            print_message("%s, %.1f Hz, ratio %.2f: period %.4f (%.4f) s, decrement %.4f (%.4f)\n",
                          is_target ? "target" : "revolute", cases[i].hertz, z, period, 1 / (cases[i].hertz * root),
                          decrement, 2 * PI * z / root);
            EXPECT_NEAR(period, 1 / (cases[i].hertz * root), 0.01 * period, "period at %g Hz, ratio %g", cases[i].hertz,
                        z);
            EXPECT(decrement > 2 * PI * z / root * 0.97 && decrement < 2 * PI * (z + 2 * own) / root,
                   "decrement at %g Hz, ratio %g: %g, expected %g to %g", cases[i].hertz, z, decrement,
                   2 * PI * z / root, 2 * PI * (z + 2 * own) / root);
        }
    }
}

/// In rest a spring of stiffness m w^2 gives way by g / w^2.
static void test_soft_joint_gives_way_by_the_weight(void **state) {
    (void)state;
    const double hertz[] = {1, 2, 5};
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.3);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &disc);
        const iso_joint_def def = target_def(body, 3, 0, hertz[i], 1);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 900);
        const double sag = GRAVITY / pow(2 * PI * hertz[i], 2);
        EXPECT_NEAR(body_pose(world, body).y, -sag, 0.01 * sag, "sag at %g Hz", hertz[i]);
        EXPECT_NEAR(joint_separation(world, joint), sag, 0.01 * sag, "separation at %g Hz", hertz[i]);
        world_free(world);
    }
}

// ---- dragging ------------------------------------------------------------------------------------

static void test_target_drags_an_anchor_to_its_point_and_follows_it(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(1, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const iso_joint_def def = target_def(body, 4, 3, 4, 1);
    const iso_joint_id joint = joint_add(world, &def);
    EXPECT_NEAR(joint_separation(world, joint), hypot(4, 3), 1e-6, "separation at the start");
    world_steps(world, 300);
    EXPECT(joint_separation(world, joint) < 1e-3, "still %g m away", joint_separation(world, joint));
    EXPECT_STATUS(iso_joint_set_target(world, joint, (iso_vec2){fix(-10), fix(2)}), ISO_OK);
    iso_joint_def read;
    EXPECT_STATUS(iso_joint_get(world, joint, &read), ISO_OK);
    assert_true(read.target.x == fix(-10) && read.target.y == fix(2));
    EXPECT(joint_separation(world, joint) > 13, "the new target is not far");
    world_steps(world, 300);
    EXPECT(joint_separation(world, joint) < 1e-3, "%g m from the new target", joint_separation(world, joint));
    world_free(world);
}

/// With a maximum force F a body is drawn no faster than F / m lets it, and one that weighs more falls with g - F / m.
static void test_maximum_force_limits_what_a_joint_does(void **state) {
    (void)state;
    const double shares[] = {0.25, 0.5, 0.9};
    for (int kind = 0; kind < 2; ++kind) {
        for (int i = 0; i < 3; ++i) {
            iso_world *world = world_make_small(-GRAVITY);
            const iso_shape_def disc = shape_circle(0.5);
            const iso_body_id fixed = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
            const double mass = body_pose(world, body).mass;
            iso_joint_def def = kind ? target_def(body, 0, 0, 5, 1) : revolute_def(fixed, 0, 0, body, 0, 0);
            def.force_max = wide(shares[i] * mass * GRAVITY);
            const iso_joint_id joint = joint_add(world, &def);
            world_steps(world, 60);
            const double early = body_pose(world, body).vy;
            world_steps(world, 60);
            const double acceleration = body_pose(world, body).vy - early;
            EXPECT_NEAR(acceleration, -(1 - shares[i]) * GRAVITY, 1e-3 * GRAVITY, "kind %d, share %g: acceleration",
                        kind, shares[i]);
            double x, y;
            joint_force(world, joint, &x, &y);
            EXPECT_NEAR(hypot(x, y), from_wide(def.force_max), 1e-4 * from_wide(def.force_max), "force");
            world_free(world);
        }
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

static void test_joints_between_bodies_that_do_not_move_do_nothing(void **state) {
    (void)state;
    static const iso_body_type types[2] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC};
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, types[i % 2], 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, types[i / 2], 10, 0, 0, &disc);
        const iso_joint_def def = revolute_def(a, 0, 0, b, 0, 0);
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 60);
        const pose at = body_pose(world, a), other = body_pose(world, b);
        assert_true(at.x == 0 && at.y == 0 && at.vx == 0 && other.x == 10 && other.y == 0 && other.vx == 0);
        double x, y;
        joint_force(world, joint, &x, &y);
        assert_true(x == 0 && y == 0);
        assert_true(joint_separation(world, joint) == 10);
        world_free(world);
    }
}

// ---- handles and filters -------------------------------------------------------------------------

static void test_stale_and_bad_joints_are_refused_and_change_nothing(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id fixed = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &disc);
    const iso_body_id kept = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0, 0, &disc);
    const iso_body_id gone = body_add_shape(world, ISO_BODY_DYNAMIC, 4, 0, 0, &disc);
    const iso_joint_def between = revolute_def(kept, 0, 0, gone, 0, 0), holding = revolute_def(fixed, 0, 0, kept, 0, 0);
    const iso_joint_id stale = joint_add(world, &between), alive = joint_add(world, &holding);
    EXPECT_STATUS(iso_body_destroy(world, gone), ISO_OK);
    assert_false(iso_joint_is_valid(world, stale));
    assert_true(iso_joint_is_valid(world, alive));
    assert_int_equal(world_counts(world).joints, 1);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const iso_joint_id ids[] = {stale, {0, 0}, {999, 1}, {alive.index, alive.generation + 2}};
    for (int i = 0; i < 4; ++i) {
        iso_joint_def def;
        iso_vec2_wide force;
        iso_wide separation;
        EXPECT_STATUS(iso_joint_get(world, ids[i], &def), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_get_force(world, ids[i], &force), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_get_separation(world, ids[i], &separation), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_set_target(world, ids[i], (iso_vec2){0, 0}), ISO_ERR_STALE);
        EXPECT_STATUS(iso_joint_destroy(world, ids[i]), ISO_ERR_STALE);
    }
    EXPECT_STATUS(iso_joint_set_target(world, alive, (iso_vec2){0, 0}), ISO_ERR_WRONG_TYPE);
    iso_joint_def bad[8];
    for (int i = 0; i < 8; ++i) {
        bad[i] = holding;
    }
    bad[0].body_b = gone;
    bad[1].body_a = (iso_body_id){0, 0};
    bad[2].body_b = fixed;
    bad[3].kind = 99;
    bad[4].anchor_a.x = 61 * ONE;
    bad[5].hertz = -1;
    bad[6].force_max = -1;
    bad[7] = target_def(fixed, 0, 0, 1, 1);
    const iso_status expected[8] = {ISO_ERR_STALE, ISO_ERR_STALE, ISO_ERR_WRONG_TYPE, ISO_ERR_BAD_ENUM,
                                    ISO_ERR_RANGE, ISO_ERR_RANGE, ISO_ERR_RANGE,      ISO_ERR_WRONG_TYPE};
    for (int i = 0; i < 8; ++i) {
        iso_joint_id joint;
        const iso_status status = iso_joint_create(world, &bad[i], &joint);
        EXPECT(status == expected[i], "bad joint %d: %s", i, iso_status_name(status));
    }
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

static void test_connected_bodies_collide_only_when_asked(void **state) {
    (void)state;
    for (int collide = 0; collide < 2; ++collide) {
        iso_world *world = world_make_small(0);
        const iso_shape_def disc = shape_circle(0.5);
        const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
        const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.9, 0, 0, &disc);
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.45, 0.8, 0, &disc);
        // B's index is the lower one in the joint.
        iso_joint_def def = revolute_def(b, -0.45, 0, a, 0.45, 0);
        def.collide_connected = collide;
        const iso_joint_id joint = joint_add(world, &def);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 2 + collide);
        // Without the joint they collide again.
        EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 3);
        joint_add(world, &def);
        world_steps(world, 1);
        assert_int_equal(world_counts(world).contacts, 2 + collide);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_swings_with_the_period_of_its_amplitude),
        cmocka_unit_test(test_pendulum_keeps_its_energy),
        cmocka_unit_test(test_force_of_a_joint_carries_the_weight),
        cmocka_unit_test(test_force_of_a_joint_is_that_on_body_b),
        cmocka_unit_test(test_soft_joints_swing_like_a_damped_oscillator),
        cmocka_unit_test(test_soft_joint_gives_way_by_the_weight),
        cmocka_unit_test(test_target_drags_an_anchor_to_its_point_and_follows_it),
        cmocka_unit_test(test_maximum_force_limits_what_a_joint_does),
        cmocka_unit_test(test_unequal_bodies_hang_under_each_other),
        cmocka_unit_test(test_chain_with_a_ball_of_a_hundred_links_holds),
        cmocka_unit_test(test_anchors_far_outside_of_the_bodies_hold),
        cmocka_unit_test(test_coincident_bodies_stay_together),
        cmocka_unit_test(test_joints_between_bodies_that_do_not_move_do_nothing),
        cmocka_unit_test(test_stale_and_bad_joints_are_refused_and_change_nothing),
        cmocka_unit_test(test_connected_bodies_collide_only_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
