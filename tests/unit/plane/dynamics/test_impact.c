/// Impacts with restitution: no energy comes from nowhere, a row passes a blow on, bounces keep their height.
///
/// test_impact [--seeds N]    N sets of random bodies for each scene of energy, 3 by default
#include "unit/world/physics_util.h"

#define GRAVITY 10.0

static int seed_count = 3;

// ---- energy --------------------------------------------------------------------------------------

static double energy_of(const iso_world *world, double gravity) {
    double sum = 0;
    for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
        if (body_view(world, b).type == ISO_BODY_DYNAMIC) {
            const pose p = body_pose(world, b);
            sum += p.mass * ((p.vx * p.vx + p.vy * p.vy) / 2 + gravity * (p.y + 5)) + p.inertia * p.w * p.w / 2;
        }
    }
    return sum;
}

/// Four walls around 10 m x 10 m, which give back all of an impact.
static void add_walls(iso_world *world) {
    for (int i = 0; i < 4; ++i) {
        iso_shape_def wall = i < 2 ? shape_box(7, 1) : shape_box(1, 7);
        wall.restitution = ONE;
        wall.friction = 0;
        body_add_shape(world, ISO_BODY_STATIC, i < 2 ? 0 : 12 * i - 30, i < 2 ? 12 * i - 6 : 0, 0, &wall);
    }
}

typedef enum crowd_kind { LONG_BOXES, CAPSULES, CIRCLES, POLYGONS } crowd_kind;

typedef struct crowd {
    const char *name;
    crowd_kind kind;
    double speed, gravity, friction, odd_restitution;
    double least; // share of the energy that is kept in 30 s
} crowd;

static iso_shape_def crowd_shape(rng *random, crowd_kind kind) {
    switch (kind) {
    case LONG_BOXES:
        return shape_box(0.7, 0.1);
    case CAPSULES:
        return shape_capsule(-0.6, 0, 0.6, 0, 0.1);
    case CIRCLES:
        return shape_circle(0.3);
    case POLYGONS:
        break;
    }
    return shape_polygon_random(random, 3 + rng_below(random, 6), 0.6, 0.4, 0);
}

/// Twenty bodies at random angles and velocities. @return the share of the energy after 30 s
static double crowd_run(const crowd *of, uint64_t seed, double *most) {
    rng random = {seed};
    iso_world *world = world_make_small(-of->gravity);
    add_walls(world);
    for (int i = 0; i < 20; ++i) {
        iso_shape_def shape = crowd_shape(&random, of->kind);
        shape.friction = fix(of->friction);
        shape.restitution = fix(i % 2 ? of->odd_restitution : 1);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -3.8 + 2.5 * (i % 4), -4 + 2 * (i / 4),
                                                rng_range(&random, -3, 3), &shape);
        body_set_velocity(world, body, rng_range(&random, -of->speed, of->speed),
                          rng_range(&random, -of->speed, of->speed), rng_range(&random, -3, 3));
    }
    const double start = energy_of(world, of->gravity);
    for (int t = 0; t < 1800; ++t) {
        world_steps(world, 1);
        *most = fmax(*most, energy_of(world, of->gravity) / start);
    }
    const double end = energy_of(world, of->gravity) / start;
    world_free(world);
    return end;
}

/// Between gravity's kicks the symplectic rule is off by half a substep's fall, m g v h / 2: 1.0017 at most here.
static void test_elastic_bodies_gain_no_energy(void **state) {
    (void)state;
    const crowd crowds[] = {
        {"long boxes", LONG_BOXES, 4, 0, 0, 1, 0.8},
        {"fast long boxes", LONG_BOXES, 12, 0, 0, 1, 0.8},
        {"falling long boxes", LONG_BOXES, 3, GRAVITY, 0, 1, 0.8},
        {"capsules", CAPSULES, 4, 0, 0, 1, 0.8},
        {"circles", CIRCLES, 4, 0, 0, 1, 0.7},
        {"polygons", POLYGONS, 4, 0, 0, 1, 0.7},
        {"rough polygons", POLYGONS, 4, GRAVITY, 0.6, 1, 0},
        {"half of them at 0.9", LONG_BOXES, 4, 0, 0, 0.9, 0},
    };
    for (size_t i = 0; i < sizeof crowds / sizeof crowds[0]; ++i) {
        double lowest = 1, highest = 0, most = 0;
        for (int seed = 1; seed <= seed_count; ++seed) {
            const double end = crowd_run(&crowds[i], (uint64_t)seed, &most);
            lowest = fmin(lowest, end);
            highest = fmax(highest, end);
        }
        print_message("%s: %.3f to %.3f of the energy after 30 s, %.4f at most\n", crowds[i].name, lowest, highest,
                      most);
        EXPECT(most < 1.01, "%s: energy rose to %g", crowds[i].name, most);
        EXPECT(lowest > crowds[i].least, "%s: only %g of the energy is left", crowds[i].name, lowest);
    }
}

// ---- a row ---------------------------------------------------------------------------------------

/// Balls of 1 m in a row, of which one comes from the left or from the right. @return the share of its speed that the
/// last one has, and the largest of the others
static double row_pass(int count, bool from_left, double gap, bool is_reversed, double *others) {
    iso_world *world = world_make_small(0);
    iso_shape_def ball = shape_circle(0.5);
    iso_body_id balls[20];
    ball.restitution = ONE;
    for (int i = 0; i < count; ++i) {
        const int place = is_reversed ? count - 1 - i : i;
        const double x = place * (1 + gap) - (place == 0 ? 0.2 : 0);
        balls[place] = body_add_shape(world, ISO_BODY_DYNAMIC, from_left ? x : -x, 0, 0, &ball);
    }
    body_set_velocity(world, balls[0], from_left ? 4 : -4, 0, 0);
    world_steps(world, 60);
    *others = 0;
    for (int i = 0; i < count - 1; ++i) {
        *others = fmax(*others, fabs(body_pose(world, balls[i]).vx) / 4);
    }
    const double last = fabs(body_pose(world, balls[count - 1]).vx) / 4;
    world_free(world);
    return last;
}

static void test_row_of_balls_passes_a_blow_on(void **state) {
    (void)state;
    for (int n = 0; n < 16; ++n) {
        double others;
        const int count = n & 1 ? 20 : 5;
        const double gap = n & 8 ? 0.01 : 0, last = row_pass(count, n & 2, gap, n & 4, &others);
        EXPECT(last > 0.99 && others < 0.01, "%d balls, gap %g, case %d: the last one has %g, another %g", count, gap,
               n, last, others);
    }
}

// ---- bounces -------------------------------------------------------------------------------------

/// The heights of the first bounces of a ball dropped from `height`, as shares of the one before.
static void test_bounces_keep_their_height(void **state) {
    (void)state;
    const double heights[] = {2.5, 5, 20}, restitutions[] = {0.5, 0.8, 0.9, 1};
    double worst = 0;
    for (int n = 0; n < 12; ++n) {
        const double height = heights[n / 4], e = restitutions[n % 4];
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def ground = shape_box(20, 1), ball = shape_circle(0.25);
        ball.restitution = fix(e);
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.25 + height, 0, &ball);
        double highest = 0, expected = height;
        int bounces = 0;
        for (int t = 0; t < 900 && bounces <= 4 && e * e * expected > 0.5; ++t) {
            const double before = body_pose(world, body).vy;
            world_steps(world, 1);
            const pose at = body_pose(world, body);
            if (before < 0 && at.vy > 0) {
                expected *= e * e;
                highest = 0;
                ++bounces;
            }
            highest = fmax(highest, at.y - 0.25);
            if (bounces > 0 && before > 0 && at.vy <= 0) {
                // The apex is seen to a tick; the ball turns up to 2 cm above the ground, or where a tick has taken it.
                const double v = sqrt(2 * GRAVITY * expected) / e, bound = 0.002 + (1 - e * e) * v / 60 * bounces;
                worst = fmax(worst, fabs(highest - expected) / bound);
                EXPECT_NEAR(highest, expected, bound, "from %g m with %g, bounce %d", height, e, bounces);
            }
        }
        EXPECT(bounces > 0, "from %g m with %g: no bounce", height, e);
        world_free(world);
    }
    print_message("largest share of the bound: %.2f\n", worst);
}

/// Coulomb: along the ground a bounce takes mu (1 + e) v, and no more than what stops the point: of a disc a third of
/// its speed. The spin follows the arm, which is shorter while the shapes overlap.
static void test_friction_acts_in_a_bounce(void **state) {
    (void)state;
    const struct { double friction, speed, expected; } cases[] = {{0.2, 6, 6 - 0.2 * 1.5 * 4}, {0.9, 3, 2}, {0, 6, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_world *world = world_make_small(0);
        iso_shape_def ground = shape_box(20, 1), ball = shape_circle(0.5);
        ball.restitution = ONE / 2;
        ball.friction = ground.friction = fix(cases[i].friction);
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1, 0, &ball);
        body_set_velocity(world, body, cases[i].speed, -4, 0);
        world_steps(world, 30);
        const pose at = body_pose(world, body);
        EXPECT_NEAR(at.vy, 2, 1e-4, "friction %g: rebound", cases[i].friction);
        EXPECT_NEAR(at.vx, cases[i].expected, 0.06, "friction %g: speed along the ground", cases[i].friction);
        EXPECT_NEAR(at.w, -2 * (cases[i].speed - cases[i].expected) / 0.5, 0.3, "friction %g: spin", cases[i].friction);
        world_free(world);
    }
}

/// A box that falls flat rises flat: its two corners bounce at once.
static void test_flat_box_bounces_flat(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def ground = shape_box(20, 1), box = shape_box(0.7, 0.1);
    box.restitution = fix(0.75);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0.3, 1, 0, &box);
    body_set_velocity(world, body, 0, -4, 0);
    world_steps(world, 30);
    const pose at = body_pose(world, body);
    EXPECT_NEAR(at.vy, 3, 1e-4, "rebound");
    EXPECT_NEAR(at.w, 0, 1e-4, "spin");
    world_free(world);
}

// ---- bodies that something holds -----------------------------------------------------------------

/// On a crate that lies on the ground, without restitution between these two, a ball bounces as before: the crate
/// cannot fly on. Their relative velocity is then e v, of which a light ball has M / (m + M). A heavy one has more: it
/// is still stopped when the substeps end, and the crate with it. @return the share of the speed that a fixed crate
/// would give
static double crate_rebound(double density, double restitution) {
    iso_world *world = world_make_small(-GRAVITY);
    iso_shape_def ground = shape_box(20, 1), crate = shape_box(0.5, 0.5), ball = shape_circle(0.25);
    ball.restitution = fix(restitution);
    ball.density = fix(density);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &crate);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 3.25, 0, &ball);
    double before = 0, after = 0;
    for (int t = 0; t < 90 && after <= 0; ++t) {
        before = body_pose(world, body).vy;
        world_steps(world, 1);
        after = body_pose(world, body).vy;
    }
    world_free(world);
    return -after / (restitution * before);
}

static void test_ball_bounces_off_a_crate_on_the_ground(void **state) {
    (void)state;
    const double ratios[] = {PI / 16, 0.1, 0.5, 1, 2, 4};
    const double shares[] = {1 / (1 + PI / 16), 0.91, 0.69, 0.575, 0.49, 0.43}; // core/ARCHITECTURE.md
    for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(crate_rebound(ratios[i] * 16 / PI, 1), shares[i], 0.03, "a ball of %g times the crate's mass",
                    ratios[i]);
    }
    EXPECT_NEAR(crate_rebound(1, 0.8), shares[0], 0.02, "restitution 0.8");
}

/// The corner cases of the numbers: the fastest bodies, head on, with extreme masses and long arms.
static void test_fastest_impacts_stay_in_range(void **state) {
    (void)state;
    rng random = {11};
    for (int n = 0; n < 300; ++n) {
        iso_world *world = world_make_small(0);
        for (int b = 0; b < 2; ++b) {
            iso_shape_def shape = n % 3 ? shape_box(rng_range(&random, 0.05, 2), rng_range(&random, 0.05, 2))
                                        : shape_circle(rng_range(&random, 0.05, 2));
            shape.density = n % 2 == b ? ONE / 64 : 5000 * ONE;
            shape.restitution = ONE;
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, b ? 1.2 : -1.2,
                                                    rng_range(&random, -0.5, 0.5), rng_range(&random, -3, 3), &shape);
            body_set_velocity(world, body, b ? -512 : 512, rng_range(&random, -512, 512),
                              rng_range(&random, -100, 100));
        }
        const double before = energy_of(world, 0);
        world_steps(world, 10);
        const double after = energy_of(world, 0);
        EXPECT(after <= before * (1 + 1e-6), "case %d: energy from %g to %g", n, before, after);
        world_free(world);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_bodies_gain_no_energy),
        cmocka_unit_test(test_row_of_balls_passes_a_blow_on),
        cmocka_unit_test(test_bounces_keep_their_height),
        cmocka_unit_test(test_friction_acts_in_a_bounce),
        cmocka_unit_test(test_flat_box_bounces_flat),
        cmocka_unit_test(test_ball_bounces_off_a_crate_on_the_ground),
        cmocka_unit_test(test_fastest_impacts_stay_in_range),
    };
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
        seed_count = atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
