/// What contacts do to bodies: friction, restitution, conservation, rest, against the laws they stand for.
#include "unit/world/physics_util.h"

#define GRAVITY 10.0

// ---- friction ------------------------------------------------------------------------------------

typedef struct incline {
    iso_world *world;
    iso_body_id body;
    double angle, mass;
} incline;

/// A plank of 1 m x 0.5 m on a slope that rises to the right, touching it, at rest.
static incline incline_make(double tangent, double friction_slope, double friction_body) {
    incline is = {.world = world_make_small(-GRAVITY), .angle = atan(tangent)};
    iso_shape_def slope = shape_box(55, 1), body = shape_box(0.5, 0.25);
    slope.friction = fix(friction_slope);
    body.friction = fix(friction_body);
    body_add_shape(is.world, ISO_BODY_STATIC, 0, 0, is.angle, &slope);
    is.body = body_add_shape(is.world, ISO_BODY_DYNAMIC, -1.25 * sin(is.angle), 1.25 * cos(is.angle), is.angle, &body);
    is.mass = body_pose(is.world, is.body).mass;
    return is;
}

/// How far the body is down the slope.
static double incline_down(const incline *is) {
    const pose at = body_pose(is->world, is->body);
    return -(at.x * cos(is->angle) + at.y * sin(is->angle));
}

static double incline_speed(const incline *is) {
    const pose at = body_pose(is->world, is->body);
    return -(at.vx * cos(is->angle) + at.vy * sin(is->angle));
}

static void test_box_on_a_slope_below_the_critical_angle_stays(void **state) {
    (void)state;
    const double friction = 0.5, shares[] = {0, 0.1, 0.5, 0.9, 0.98};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; ++i) {
        incline is = incline_make(shares[i] * friction, friction, friction);
        world_steps(is.world, 60);
        const double settled = incline_down(&is);
        world_steps(is.world, 600);
        const double creep = incline_down(&is) - settled;
        print_message("slope at %.2f of the critical one: %.1e m in 10 s\n", shares[i], creep);
        EXPECT(fabs(settled) < 2e-3, "share %g: slid %g m while it settled", shares[i], settled);
        EXPECT(fabs(creep) < 1e-5, "share %g: crept %g m", shares[i], creep);
        world_free(is.world);
    }
}

static void test_box_on_a_slope_above_the_critical_angle_slides_as_coulomb_says(void **state) {
    (void)state;
    const struct { double tangent, friction; } cases[] = {{0.52, 0.5}, {0.7, 0.5}, {0.3, 0.1}, {0.2, 0}, {1, 0.6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        incline is = incline_make(cases[i].tangent, cases[i].friction, cases[i].friction);
        world_steps(is.world, 30);
        const double before = incline_speed(&is);
        world_steps(is.world, 60);
        const double acceleration = incline_speed(&is) - before;
        const double expected = GRAVITY * (sin(is.angle) - cases[i].friction * cos(is.angle));
        print_message("slope %.2f, friction %.2f: %.6f m/s^2, Coulomb %.6f\n", cases[i].tangent, cases[i].friction,
                      acceleration, expected);
        EXPECT_NEAR(acceleration, expected, 2e-3, "slope %g, friction %g", cases[i].tangent, cases[i].friction);
        world_free(is.world);
    }
}

/// The friction of a pair is the root of the product.
static void test_friction_of_a_pair_is_the_geometric_mean(void **state) {
    (void)state;
    const struct {
        double a, b;
    } cases[] = {{0.5, 0.5}, {0.2, 0.8}, {0.8, 0.2}, {0, 0.9}, {0.9, 0}, {0.05, 7.9}, {0.6, 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        incline is = incline_make(0, cases[i].a, cases[i].b);
        world_steps(is.world, 30);
        body_set_velocity(is.world, is.body, 10, 0, 0);
        world_steps(is.world, 1); // the first tick finds the box leaning
        const double before = incline_speed(&is);
        world_steps(is.world, 30);
        const double friction = (incline_speed(&is) - before) / (GRAVITY / 2);
        const double expected = sqrt(cases[i].a * cases[i].b);
        EXPECT_NEAR(friction, expected, 5e-3, "friction of %g on %g", cases[i].a, cases[i].b);
        world_free(is.world);
    }
}

// ---- restitution ---------------------------------------------------------------------------------

typedef struct bounce {
    double before, after; // the speeds at the begin and at the end of the tick that turned the ball around [m/s]
    double highest;       // afterwards, above where the ball rests [m]
    bool is_reached;      // the ball turned around
} bounce;

static bounce ball_drop(double height, double restitution_ball, double restitution_floor) {
    iso_world_def def = world_def_small(-GRAVITY);
    def.tick_rate_hz = 120;
    iso_world *world = world_make(&def);
    iso_shape_def floor_shape = shape_box(20, 1), ball = shape_circle(0.25);
    floor_shape.restitution = fix(restitution_floor);
    ball.restitution = fix(restitution_ball);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor_shape);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.25 + height, 0, &ball);
    bounce is = {0, 0, 0, false};
    for (int t = 0; t < 900; ++t) {
        const double before = body_pose(world, body).vy;
        world_steps(world, 1);
        const pose at = body_pose(world, body);
        if (is.is_reached && at.vy <= 0) {
            break;
        }
        if (before < 0 && at.vy > 0) {
            is = (bounce){-before, at.vy, 0, true};
        }
        is.highest = is.is_reached ? fmax(is.highest, at.y - 0.25) : 0;
    }
    world_free(world);
    return is;
}

/// The ball turns around when the tick begins, with e times the speed that it has half a substep later; then gravity
/// acts for the tick. The height follows as e^2, but for where the ball turns: up to 2 cm above the floor, or a tick's
/// way below.
static void test_ball_rebounds_with_its_restitution(void **state) {
    (void)state;
    const double heights[] = {1, 5, 20}, restitutions[] = {0.3, 0.5, 0.8, 1};
    for (size_t h = 0; h < 3; ++h) {
        for (size_t r = 0; r < 4; ++r) {
            const double e = from_fix(fix(restitutions[r])), v = sqrt(2 * GRAVITY * heights[h]);
            const bounce is = ball_drop(heights[h], restitutions[r], 0);
            EXPECT(is.is_reached, "height %g, restitution %g: no rebound", heights[h], e);
            EXPECT_NEAR(is.before, v, GRAVITY / 120 * 2, "height %g: impact", heights[h]);
            const double turned = e * is.before + (1 + e) * GRAVITY / 960;
            EXPECT_NEAR(is.after, turned - GRAVITY / 120, 6 * QUANTUM_VELOCITY, "height %g, restitution %g: speed",
                        heights[h], e);
            EXPECT_NEAR(is.highest, e * e * heights[h], (1 - e * e) * v / 120 + 1e-3,
                        "height %g, restitution %g: rebound", heights[h], e);
        }
    }
    const bounce larger = ball_drop(5, 0.8, 0), other = ball_drop(5, 0, 0.8), both = ball_drop(5, 0.5, 0.8);
    assert_true(larger.highest == other.highest && larger.highest == both.highest);
    assert_false(ball_drop(5, 0, 0).highest > 1e-3);
}

/// The threshold is 1 m/s: a drop from 4 cm arrives with 0.89 m/s, one from 8 cm with 1.26 m/s.
static void test_impacts_slower_than_the_threshold_do_not_bounce(void **state) {
    (void)state;
    const bounce slow = ball_drop(0.04, 1, 0), fast = ball_drop(0.08, 1, 0);
    EXPECT(slow.highest < 1e-3 && slow.after < 0.05, "a slow impact bounced by %g m", slow.highest);
    EXPECT(fast.highest > 0.06, "a faster impact bounced by %g m only", fast.highest);
}

// ---- conservation --------------------------------------------------------------------------------

typedef struct momentum {
    double px, py, l, energy;
} momentum;

static void momentum_add(momentum *sum, const pose *is, double inertia, double gravity) {
    sum->px += is->mass * is->vx;
    sum->py += is->mass * is->vy;
    sum->l += is->mass * (is->x * is->vy - is->y * is->vx) + inertia * is->w;
    sum->energy +=
        is->mass * (is->vx * is->vx + is->vy * is->vy) / 2 + inertia * is->w * is->w / 2 + is->mass * gravity * is->y;
}

static iso_shape_def shape_random(rng *random, double size) {
    iso_shape_def shape = rng_below(random, 3) == 0
                              ? shape_circle(size)
                              : shape_polygon_random(random, 3 + rng_below(random, 6), size, size * 0.7,
                                                     rng_below(random, 2) ? 0.1 * size : 0);
    shape.density = fix(rng_range(random, 0.5, 10));
    shape.friction = fix(rng_range(random, 0, 1));
    shape.restitution = fix(rng_below(random, 2) ? rng_range(random, 0, 1) : 0);
    return shape;
}

typedef struct collision {
    iso_world *world;
    iso_body_id bodies[2];
    double energy_share; // the largest that may be left
} collision;

static momentum collision_measure(const collision *is) {
    momentum sum = {0, 0, 0, 0};
    for (int i = 0; i < 2; ++i) {
        const pose at = body_pose(is->world, is->bodies[i]);
        momentum_add(&sum, &at, at.inertia, 0);
    }
    return sum;
}

/// Bounds. Linear: each pass over a contact (warm start, solve, relax in four substeps, one restitution) rounds two
/// velocities by half a quantum. Angular: the same with arms and radii below 4 m; and the points where the two
/// impulses act move apart within the tick, by |u| dt, against an impulse of at most 2 m |u|. Energy: no contact gives
/// any, with restitution or without.
static void collision_check(int number, collision *is, const momentum *before, double speed, double *worst_linear,
                            double *worst_angular) {
    uint32_t contact_ticks = 0;
    double mass = 0, reduced = 0;
    for (int i = 0; i < 2; ++i) {
        mass += body_pose(is->world, is->bodies[i]).mass;
        reduced += 1 / body_pose(is->world, is->bodies[i]).mass;
    }
    for (int t = 0; t < 120; ++t) {
        world_steps(is->world, 1);
        contact_ticks += world_counts(is->world).contacts;
    }
    EXPECT(contact_ticks > 0, "pair %d did not meet", number);
    const momentum after = collision_measure(is);
    const double linear = 13 * contact_ticks * mass * QUANTUM_VELOCITY;
    const double angular = 4 * linear + 2 / reduced * speed * speed / 60;
    *worst_linear = fmax(*worst_linear, hypot(after.px - before->px, after.py - before->py) / linear);
    *worst_angular = fmax(*worst_angular, fabs(after.l - before->l) / angular);
    EXPECT_NEAR(after.px, before->px, linear, "pair %d: momentum x", number);
    EXPECT_NEAR(after.py, before->py, linear, "pair %d: momentum y", number);
    EXPECT_NEAR(after.l, before->l, angular, "pair %d: angular momentum", number);
    EXPECT(after.energy <= before->energy * is->energy_share, "pair %d: energy from %g to %g", number, before->energy,
           after.energy);
}

static void test_collisions_conserve_linear_and_angular_momentum(void **state) {
    (void)state;
    rng random = {3};
    double worst_linear = 0, worst_angular = 0;
    for (int i = 0; i < 200; ++i) {
        collision is = {.world = world_make_small(0), .energy_share = 1 + 1e-5};
        const double speed = rng_range(&random, 0.5, 20);
        for (int b = 0; b < 2; ++b) {
            const iso_shape_def shape = shape_random(&random, rng_range(&random, 0.3, 1));
            is.bodies[b] = body_add_shape(is.world, ISO_BODY_DYNAMIC, b ? 1.1 : -1.1, rng_range(&random, -0.1, 0.1),
                                          rng_range(&random, -3, 3), &shape);
            body_set_velocity(is.world, is.bodies[b], b ? -speed : speed, 0, rng_range(&random, -1, 1));
        }
        const momentum before = collision_measure(&is);
        collision_check(i, &is, &before, 2 * speed + 2, &worst_linear, &worst_angular);
        world_free(is.world);
    }
    print_message("largest share of the bounds: linear %.2f, angular %.2f\n", worst_linear, worst_angular);
}

static void pile_add_walls(iso_world *world, double restitution) {
    iso_shape_def floor_shape = shape_box(10, 1), wall = shape_box(1, 20);
    floor_shape.restitution = wall.restitution = fix(restitution);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor_shape);
    body_add_shape(world, ISO_BODY_STATIC, -6, 18, 0, &wall);
    body_add_shape(world, ISO_BODY_STATIC, 6, 18, 0, &wall);
}

static double world_energy(const iso_world *world) {
    momentum sum = {0, 0, 0, 0};
    for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
        if (body_view(world, b).type == ISO_BODY_DYNAMIC) {
            const pose at = body_pose(world, b);
            momentum_add(&sum, &at, at.inertia, GRAVITY);
        }
    }
    return sum.energy;
}

/// Overlap that the soft contacts push apart can give a little energy back; a tick of gravity is m g v dt.
static void pile_check_energy(double restitution, double rise_bound) {
    rng random = {5};
    iso_world *world = world_make_small(-GRAVITY);
    pile_add_walls(world, restitution);
    for (int i = 0; i < 60; ++i) {
        iso_shape_def shape = shape_random(&random, rng_range(&random, 0.2, 0.5));
        shape.restitution = fix(restitution);
        body_add_shape(world, ISO_BODY_DYNAMIC, -4 + 1.6 * (i % 6), 1 + 1.5 * (i / 6), rng_range(&random, -3, 3),
                       &shape);
    }
    const double start = world_energy(world);
    double lowest = start, rise = 0;
    for (int t = 0; t < 900; ++t) {
        world_steps(world, 1);
        const double energy = world_energy(world);
        EXPECT(energy <= start * (1 + 1e-9), "restitution %g: tick %d has %g J, more than the %g J of the start",
               restitution, t, energy, start);
        rise = fmax(rise, energy - lowest);
        lowest = fmin(lowest, energy);
    }
    print_message(
        "restitution %.1f: %.0f J at the start, %.0f J at the end, largest rise above a minimum %.2e of the start\n",
        restitution, start, world_energy(world), rise / start);
    EXPECT(rise < rise_bound * start, "restitution %g: rose by %g of %g J", restitution, rise, start);
    world_free(world);
}

static void test_piles_never_gain_energy(void **state) {
    (void)state;
    pile_check_energy(0, 1e-3);
    pile_check_energy(0.5, 1e-3);
    pile_check_energy(1, 5e-3);
}

// ---- rest ----------------------------------------------------------------------------------------

/// The normal and tangential impulses of all contacts of two bodies [N s], per second of the last substep: [N].
static void contact_force(const iso_world *world, uint32_t body_a, uint32_t body_b, double *normal, double *tangent) {
    iso_contact_view view;
    *normal = *tangent = 0;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &view); ++i) {
        if (view.body_a.index != body_a || view.body_b.index != body_b) {
            continue;
        }
        for (uint32_t p = 0; p < view.point_count; ++p) {
            *normal += from_wide(view.normal_impulse[p]) / world_substep(world);
            *tangent += from_wide(view.tangent_impulse[p]) / world_substep(world);
        }
    }
}

static void test_stack_rests_and_every_contact_carries_what_is_above(void **state) {
    (void)state;
    enum { COUNT = 10 };
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def floor_shape = shape_box(20, 1);
    iso_shape_def box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor_shape);
    iso_body_id boxes[COUNT];
    double above = 0;
    for (int i = 0; i < COUNT; ++i) {
        box.density = fix(1 + i % 3);
        boxes[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5 + i, 0, &box);
        above += body_pose(world, boxes[i]).mass;
    }
    world_steps(world, 900);
    for (int i = 0; i < COUNT; ++i) {
        const pose at = body_pose(world, boxes[i]);
        EXPECT(hypot(at.vx, at.vy) < 1e-3 && fabs(at.w) < 1e-3, "box %d moves with %g m/s, %g rad/s", i,
               hypot(at.vx, at.vy), at.w);
        EXPECT_NEAR(at.x, 0, 1e-3, "box %d: x", i);
        EXPECT_NEAR(at.y, 0.5 + i, 6e-3 * (i + 1), "box %d: height", i);
        EXPECT_NEAR(at.angle, 0, 1e-3, "box %d: angle", i);
        double normal, tangent;
        contact_force(world, i ? boxes[i - 1].index : 0, boxes[i].index, &normal, &tangent);
        EXPECT_NEAR(normal, above * GRAVITY, 2e-3 * above * GRAVITY, "box %d: force of its support", i);
        EXPECT_NEAR(tangent, 0, 2e-3 * above * GRAVITY, "box %d: friction", i);
        above -= at.mass;
    }
    world_free(world);
}

/// On a slope the support is m g cos, the friction m g sin; along t = (-n.y, n.x), which points down the slope.
static void test_forces_on_a_slope_balance_the_weight(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        incline is = incline_make(sign * 0.3, 0.6, 0.6);
        world_steps(is.world, 300);
        double normal, tangent;
        contact_force(is.world, 0, is.body.index, &normal, &tangent);
        const double weight = is.mass * GRAVITY;
        EXPECT_NEAR(normal, weight * cos(is.angle), 2e-3 * weight, "support");
        EXPECT_NEAR(tangent, -weight * sin(is.angle), 2e-3 * weight, "friction");
        world_free(is.world);
    }
}

/// Weights over eight orders of magnitude: impulses are kept in velocity units, so each is as exact as the other.
static void test_weight_is_reported_for_pebbles_and_platforms(void **state) {
    (void)state;
    const double halves[] = {0.01, 0.1, 1, 20}, densities[] = {1, 100, 30000, 80};
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def floor_shape = shape_box(50, 1);
        iso_shape_def box = shape_box(halves[i], halves[i]);
        box.density = fix(densities[i]);
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor_shape);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, from_fix(fix(halves[i])), 0, &box);
        world_steps(world, 240);
        double normal, tangent;
        contact_force(world, 0, body.index, &normal, &tangent);
        const double weight = body_pose(world, body).mass * GRAVITY;
        EXPECT_NEAR(normal, weight, 1e-3 * weight, "support of a box of %g m", halves[i]);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_on_a_slope_below_the_critical_angle_stays),
        cmocka_unit_test(test_box_on_a_slope_above_the_critical_angle_slides_as_coulomb_says),
        cmocka_unit_test(test_friction_of_a_pair_is_the_geometric_mean),
        cmocka_unit_test(test_ball_rebounds_with_its_restitution),
        cmocka_unit_test(test_impacts_slower_than_the_threshold_do_not_bounce),
        cmocka_unit_test(test_collisions_conserve_linear_and_angular_momentum),
        cmocka_unit_test(test_piles_never_gain_energy),
        cmocka_unit_test(test_stack_rests_and_every_contact_carries_what_is_above),
        cmocka_unit_test(test_forces_on_a_slope_balance_the_weight),
        cmocka_unit_test(test_weight_is_reported_for_pebbles_and_platforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
