/// Springs by stiffness k and damping c against the solution of x'' + c W x' + k W x = 0, with W = 1/m of the bodies'
/// masses and levers: how fast they swing, how they decay, where they rest.
#include "joint_util.h"

#define RATE 60.0

/// A stretched spring between two bodies, without gravity: x is measured by `length` of the joint, or its angle.
typedef struct stretched {
    iso_world *world;
    iso_body_id a, b;
    iso_joint_id joint;
    bool turns;
    double ratio, x0, rest;
} stretched;

static double stretched_x(const stretched *s) {
    if (!s->turns) {
        return joint_length(s->world, s->joint) - s->rest;
    }
    return s->ratio * body_pose(s->world, s->b).angle - body_pose(s->world, s->a).angle - s->rest;
}

/// x(t) from x0 at rest.
static double closed_form(double t, double x0, double k, double c, double inverse_mass) {
    const double half = c * inverse_mass / 2, square = k * inverse_mass - half * half, w = sqrt(fabs(square));
    return square > 0 ? x0 * exp(-half * t) * (cos(w * t) + half / w * sin(w * t))
                      : x0 * ((w + half) / (2 * w) * exp((w - half) * t) + (w - half) / (2 * w) * exp((-w - half) * t));
}

/// The largest difference from the closed form within two seconds.
static double stretched_error(const stretched *s, double k, double c, double inverse_mass) {
    double worst = 0;
    for (int t = 1; t <= 120; ++t) {
        world_steps(s->world, 1);
        worst = fmax(worst, fabs(stretched_x(s) - closed_form(t / RATE, s->x0, k, c, inverse_mass)));
    }
    return worst;
}

static iso_body_id disc_add(iso_world *world, iso_body_type type, double x, double y, double radius, double density) {
    iso_shape_def disc = shape_circle(radius);
    disc.density = fix(density);
    disc.filter.mask = 0;
    return body_add_shape(world, type, x, y, 0, &disc);
}

/// Two discs 3 m apart on a damped spring that is stretched by x0.
/// @param masses  how many of them move
/// @param lever   [m] of the anchors across the spring
static stretched stretched_make(int masses, double lever, double density, double k, double c, double x0) {
    stretched s = {.world = world_make_small(0), .ratio = 1, .x0 = x0, .rest = 3 - x0};
    s.a = disc_add(s.world, masses > 1 ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, 0, 0, 0.5, 2);
    s.b = disc_add(s.world, ISO_BODY_DYNAMIC, 3, 0, 0.5, density);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, s.a, s.b);
    def.anchor_a.y = def.anchor_b.y = fix(lever);
    def.rest = fix(s.rest);
    def.spring_enabled = true;
    def.spring_stiffness = wide(k);
    def.spring_damping = wide(c);
    s.joint = joint_add(s.world, &def);
    return s;
}

static double inverse_mass(const stretched *s, double lever) {
    const pose a = body_pose(s->world, s->a), b = body_pose(s->world, s->b);
    const double of_a = a.mass > 0 ? 1 / a.mass + lever * lever / a.inertia : 0;
    return of_a + 1 / b.mass + lever * lever / b.inertia;
}

/// One mass and two, light and heavy, undamped to overdamped: within a substep of the fastest motion.
static void test_a_mass_on_a_spring_follows_the_closed_form(void **state) {
    (void)state;
    const double stiffness[] = {2, 20, 200}, ratios[] = {0, 0.05, 0.3, 0.7, 1.2, 4}, densities[] = {0.3, 2, 9};
    double worst = 0;
    for (int i = 0; i < 2 * 3 * 6 * 3; ++i) {
        const double k = stiffness[i / 2 % 3], density = densities[i / 36];
        stretched s = stretched_make(1 + i % 2, 0, density, k, 0, 0.2);
        const double of_mass = inverse_mass(&s, 0), w = sqrt(k * of_mass), c = 2 * ratios[i / 6 % 6] * w / of_mass;
        EXPECT_STATUS(iso_joint_set_stiffness(s.world, s.joint, true, wide(k), wide(c), fix(s.rest)), ISO_OK);
        const double error = stretched_error(&s, k, c, of_mass), bound = 0.2 * w / 240;
        worst = fmax(worst, error / bound);
        EXPECT(error < bound, "%d masses, k %g, c %g: off by %g m, bound %g m", 1 + i % 2, k, c, error, bound);
        world_free(s.world);
    }
    print_message("at most %.2f of a substep of the fastest motion\n", worst);
}

/// The anchors beside the centres: the levers count.
static void test_levers_count(void **state) {
    (void)state;
    for (int masses = 1; masses <= 2; ++masses) {
        for (int i = 0; i < 3; ++i) {
            const double lever = 0.4 * i, k = 30, c = 0.5, x0 = 0.02;
            stretched s = stretched_make(masses, lever, 1.5, k, c, x0);
            const double of_mass = inverse_mass(&s, lever);
            const double error = stretched_error(&s, k, c, of_mass), bound = x0 * (sqrt(k * of_mass) / 240 + 0.02);
            EXPECT(error < bound, "%d masses, lever %g: off by %g m, bound %g m", masses, lever, error, bound);
            world_free(s.world);
        }
    }
}

/// [s], of an undamped one, over 20 swings or more.
static double period_of(stretched *s) {
    double before = stretched_x(s), first = 0, last = 0;
    int crossings = 0;
    for (int t = 1; t <= 1800; ++t) {
        world_steps(s->world, 1);
        const double x = stretched_x(s);
        if (before > 0 && x <= 0) {
            last = t - 1 + before / (before - x);
            first = crossings++ == 0 ? last : first;
        }
        before = x;
    }
    return (last - first) / RATE / (crossings - 1);
}

/// Twice the stiffness halves the square of the period, twice the mass doubles it: also of a live joint.
static void test_stiffness_and_mass_set_the_period(void **state) {
    (void)state;
    stretched s = stretched_make(1, 0, 1, 20, 0, 0.2);
    const double mass = body_pose(s.world, s.b).mass, soft = period_of(&s);
    EXPECT_NEAR(soft, 2 * PI * sqrt(mass / 20), 1e-3 * soft, "period");
    EXPECT_STATUS(iso_joint_set_stiffness(s.world, s.joint, true, wide(40), 0, fix(s.rest)), ISO_OK);
    EXPECT_NEAR(pow(soft / period_of(&s), 2), 2, 4e-3, "twice the stiffness");
    EXPECT_STATUS(iso_body_set_mass(s.world, s.b, wide(4 * mass), 0), ISO_OK);
    EXPECT_NEAR(pow(period_of(&s) / soft, 2), 2, 4e-3, "and four times the mass");
    // By frequency again: the stiffness is gone.
    EXPECT_STATUS(iso_joint_set_spring(s.world, s.joint, true, fix(1), 0, fix(s.rest)), ISO_OK);
    EXPECT_NEAR(period_of(&s), 1, 1e-3, "by frequency");
    iso_joint_def def;
    EXPECT_STATUS(iso_joint_get(s.world, s.joint, &def), ISO_OK);
    assert_true(def.spring_stiffness == 0 && def.spring_damping == 0);
    EXPECT_STATUS(iso_joint_set_stiffness(s.world, s.joint, true, -1, 0, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set_stiffness(s.world, s.joint, true, 0, -1, 0), ISO_ERR_RANGE);
    world_free(s.world);
}

/// Angles, with a ratio, too: k [N m/rad] acts on A as it is, on B times the ratio.
static void test_angles_follow_the_closed_form(void **state) {
    (void)state;
    const double ratios[] = {1, 2, -0.5};
    const uint8_t kinds[] = {ISO_JOINT_ANGLE, ISO_JOINT_ANGLE, ISO_JOINT_ANGLE, ISO_JOINT_REVOLUTE, ISO_JOINT_WELD};
    for (int i = 0; i < 5; ++i) {
        stretched s = {
            .world = world_make_small(0), .ratio = i < 3 ? ratios[i] : 1, .turns = true, .x0 = -0.2, .rest = 0.2};
        s.a = disc_add(s.world, ISO_BODY_DYNAMIC, 0, 0, 0.5, 2);
        s.b = disc_add(s.world, ISO_BODY_DYNAMIC, 0, 0, 0.4, 5);
        iso_joint_def def = joint_def(kinds[i], s.a, s.b);
        def.ratio = fix(s.ratio);
        def.rest = fix(s.rest);
        def.spring_enabled = true;
        def.spring_stiffness = wide(3);
        def.spring_damping = wide(0.05);
        s.joint = joint_add(s.world, &def);
        const pose a = body_pose(s.world, s.a), b = body_pose(s.world, s.b);
        const double of_mass = 1 / a.inertia + s.ratio * s.ratio / b.inertia;
        const double error = stretched_error(&s, 3, 0.05, of_mass), bound = 0.2 * sqrt(3 * of_mass) / 240;
        EXPECT(error < bound, "kind %u, ratio %g: off by %g rad, bound %g rad", kinds[i], s.ratio, error, bound);
        world_free(s.world);
    }
}

/// A weak damper takes e^(-c t / m) of the speed, a strong one 1 / (1 + c h / m) in a substep; and any lets a weight
/// sink with m g / c. An overdamped spring creeps back with k / c.
static void test_dampers_have_the_speed_that_they_should(void **state) {
    (void)state;
    const double dampings[] = {0.01, 1, 10, 100, 400};
    for (int i = 0; i < 5; ++i) {
        stretched s = stretched_make(1, 0, 1, 0, dampings[i], 0);
        const double rate = dampings[i] / body_pose(s.world, s.b).mass, factor = pow(1 + rate / 240, -4);
        body_set_velocity(s.world, s.b, 10, 0, 0);
        for (int t = 1; t <= 30; ++t) {
            world_steps(s.world, 1);
            const double v = body_pose(s.world, s.b).vx;
            EXPECT_NEAR(v, 10 * pow(factor, t), 2e-4, "c %g, tick %d", dampings[i], t);
            EXPECT(i > 1 || fabs(v - 10 * exp(-rate * t / RATE)) < 0.01, "c %g, tick %d: %g", dampings[i], t, v);
        }
        world_free(s.world);
        wheel is = wheel_make(0.5, -GRAVITY);
        const double fall = body_pose(is.world, is.disc).mass * GRAVITY / (10 * dampings[i] + 1);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.axis = (iso_vec2){0, ONE};
        def.spring_enabled = true;
        def.spring_damping = wide(10 * dampings[i] + 1);
        joint_add(is.world, &def);
        world_steps(is.world, 600);
        EXPECT_NEAR(body_pose(is.world, is.disc).vy, -fall, 2e-3 * fall + 1e-5, "c %g: how fast it sinks", dampings[i]);
        world_free(is.world);
    }
    stretched s = stretched_make(1, 0, 1, 50, 500, 0.2);
    world_steps(s.world, 120);
    const double before = stretched_x(&s);
    world_steps(s.world, 600);
    EXPECT_NEAR(stretched_x(&s) / before, exp(-50.0 / 500 * 10), 5e-3, "creep in ten seconds");
    world_free(s.world);
}

/// The amplitude after a minute of a weakly damped one, and that of an undamped one.
static void test_the_envelope_is_exponential(void **state) {
    (void)state;
    const double dampings[] = {0, 0.02, 0.1};
    for (int i = 0; i < 6; ++i) {
        const double c = dampings[i / 2];
        stretched s = stretched_make(1 + i % 2, 0, 1, 40, c, 0.2);
        const double half = c * inverse_mass(&s, 0) / 2;
        double most = 0;
        for (int t = 1; t <= 3600; ++t) {
            world_steps(s.world, 1);
            most = t > 3480 ? fmax(most, fabs(stretched_x(&s)) * exp(half * t / RATE)) : most;
        }
        EXPECT_NEAR(most, 0.2, 0.02 * 0.2, "%d masses, c %g: 0.2 m and its decay", 1 + i % 2, c);
        world_free(s.world);
    }
}

/// Under a weight it rests m g / k below; the force that the joint tells is the weight.
static void test_a_weight_rests_where_the_stiffness_says(void **state) {
    (void)state;
    const double stiffness[] = {5, 100, 1e4, 1e6};
    for (int i = 0; i < 4; ++i) {
        wheel is = wheel_make(0.5, -GRAVITY);
        const double mass = body_pose(is.world, is.disc).mass;
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.axis = (iso_vec2){0, ONE};
        def.spring_enabled = true;
        def.spring_stiffness = wide(stiffness[i]);
        def.spring_damping = wide(1.4 * sqrt(stiffness[i] * mass));
        const iso_joint_id joint = joint_add(is.world, &def);
        world_steps(is.world, 900);
        double x, y;
        joint_force(is.world, joint, &x, &y);
        EXPECT_NEAR(body_pose(is.world, is.disc).y, -mass * GRAVITY / stiffness[i], 1e-4, "k %g: rest", stiffness[i]);
        EXPECT_NEAR(y, mass * GRAVITY, 0.01 * mass * GRAVITY, "k %g: force", stiffness[i]);
        world_free(is.world);
    }
}

/// The stiffest springs, undamped and damped, on the lightest bodies do not fly apart; nor do 64 side by side.
static void test_stiff_springs_do_not_fly_apart(void **state) {
    (void)state;
    const double stiffness[] = {300, 1e3, 1e5, 2147483647}, dampings[] = {0, 1, 1e5, 2147483647};
    for (int i = 0; i < 32; ++i) {
        stretched s = stretched_make(1 + i / 16, 0.3, 0.05, stiffness[i % 4], dampings[i / 4 % 4], 0.2);
        double most = 0;
        for (int t = 0; t < 120; ++t) {
            world_steps(s.world, 1);
            most = fmax(most, fabs(stretched_x(&s)));
        }
        EXPECT(most < 0.22, "k %g, c %g: %g m", stiffness[i % 4], dampings[i / 4 % 4], most);
        world_free(s.world);
    }
    for (double k = 200; k < 20000; k *= 3) {
        wheel is = wheel_make(0.5, 0);
        iso_joint_def def = joint_def(ISO_JOINT_PRISMATIC, is.fixed, is.disc);
        def.spring_enabled = true;
        def.spring_stiffness = wide(k);
        def.rest = fix(0.2);
        iso_joint_id joint;
        int count = 0;
        while (count < 64 && iso_joint_create(is.world, &def, &joint) == ISO_OK) {
            ++count;
        }
        double most = 0;
        for (int t = 0; t < 300; ++t) {
            world_steps(is.world, 1);
            most = fmax(most, fabs(0.2 - body_pose(is.world, is.disc).x));
        }
        EXPECT(count == 64 && most < 0.29, "%d springs of %g N/m: %g m", count, k, most);
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mass_on_a_spring_follows_the_closed_form),
        cmocka_unit_test(test_levers_count),
        cmocka_unit_test(test_stiffness_and_mass_set_the_period),
        cmocka_unit_test(test_angles_follow_the_closed_form),
        cmocka_unit_test(test_dampers_have_the_speed_that_they_should),
        cmocka_unit_test(test_the_envelope_is_exponential),
        cmocka_unit_test(test_a_weight_rests_where_the_stiffness_says),
        cmocka_unit_test(test_stiff_springs_do_not_fly_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
