/// Tapered capsules move: they lie on their flat side, stack, sleep, fall over, slide over seams and chains, and
/// neither pass a wall nor let pass.
#include "unit/plane/collide/taper_util.h"

#define GRAVITY 10.0

/// A long side below, along y = -`low`: its ends have these radii and are `apart`.
static iso_shape_def lying(double apart, double radius_a, double radius_b, double low) {
    return shape_tapered(-apart / 2, radius_a - low, apart / 2, radius_b - low, radius_a, radius_b);
}

static iso_world *world_sleepy(void) {
    iso_world_def def = world_def_small(-GRAVITY);
    def.sleep_speed = fix(0.05);
    return world_make(&def);
}

static void ground_add(iso_world *world) {
    const iso_shape_def ground = shape_box(20, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
}

static void test_rests_on_its_flat_side_and_sleeps(void **state) {
    (void)state;
    for (int n = 0; n < 6; ++n) {
        iso_world *world = world_sleepy();
        ground_add(world);
        const double tilt = n % 3 * 0.05 - 0.05; // falls onto one end first, or flat
        const iso_shape_def def = n < 3 ? lying(1, 0.3, 0.1, 0.2) : lying(1, 0.1, 0.3, 0.2);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.3, tilt, &def);
        world_steps(world, 240);
        const twin is = twin_of_shape(world, iso_body_next_shape(world, body, 0));
        assert_true(!iso_body_is_awake(world, body));
        EXPECT_NEAR(-twin_reach(&is, 0, -1), 0, 0.0011, "height of the side of %d", n);
        for (int end = 0; end < 2; ++end) {
            EXPECT_NEAR(is.y[end] - is.radius[end], 0, 0.0011, "height of end %d of %d", end, n);
        }
        world_free(world);
    }
}

/// Pairs of wedges, the large end of one over the small end of the other, so that each pair has a level top, and a
/// plank on it. With d sin(0.1) the difference of the radii, sides that face each other lean by 0.2.
static void test_wedges_stack_and_sleep(void **state) {
    (void)state;
    iso_world *world = world_sleepy();
    ground_add(world);
    enum { WEDGES = 8 };
    iso_body_id bodies[WEDGES];
    const iso_shape_def plank = shape_box(0.6, 0.05);
    const double half = 0.05 / tan(0.1), high = 0.3 + 0.3 / cos(0.2);
    double begins[WEDGES];
    for (int i = 0; i < WEDGES; ++i) {
        const double low = i / 2 * (high + 0.1);
        const iso_shape_def def = i % 2 ? shape_tapered(-half, high - 0.1, half, high - 0.2, 0.1, 0.2)
                                        : shape_tapered(-half, 0.2, half, 0.1, 0.2, 0.1);
        bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 0, low, 0, &def);
        begins[i] = body_pose(world, bodies[i]).y;
        if (i % 2) {
            body_add_shape(world, ISO_BODY_DYNAMIC, 0, low + high + 0.05, 0, &plank);
        }
    }
    world_steps(world, 600);
    for (int i = 0; i < WEDGES; ++i) {
        const pose at = body_pose(world, bodies[i]);
        EXPECT(!iso_body_is_awake(world, bodies[i]), "wedge %d is awake: %g m/s", i, hypot(at.vx, at.vy));
        // As with plain capsules, twelve bodies that begin at once press each other in by up to 14 mm, and sleep so.
        EXPECT_NEAR(at.y, begins[i], 0.08, "height of wedge %d", i);
        EXPECT_NEAR(at.x, i % 2 ? 0.1178 : -0.1178, 0.01, "place of wedge %d", i);
        EXPECT_NEAR(at.angle, 0, 0.02, "angle of wedge %d", i);
    }
    world_free(world);
}

/// On its end it cannot stay: it tips and comes to lie on a side.
static void test_falls_over_onto_a_side(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        iso_world *world = world_sleepy();
        ground_add(world);
        const double a = n < 2 ? 0.3 : 0.1, b = n < 2 ? 0.1 : 0.3;
        const iso_shape_def def = shape_tapered(0, -0.4, 0, 0.4, a, b);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.4 + a, n % 2 ? 0.1 : -0.1, &def);
        world_steps(world, 600);
        const twin is = twin_of_shape(world, iso_body_next_shape(world, body, 0));
        assert_true(!iso_body_is_awake(world, body));
        for (int end = 0; end < 2; ++end) {
            EXPECT_NEAR(is.y[end] - is.radius[end], 0, 0.0011, "height of end %d of %d", end, n);
        }
        world_free(world);
    }
}

/// Down a slope of 0.2 rad without friction: g sin(0.2) t^2 / 2. With much it stays.
static void test_slides_down_a_slope_as_any_body(void **state) {
    (void)state;
    for (int n = 0; n < 2; ++n) {
        iso_world_def of = world_def_small(0);
        of.gravity = (iso_vec2){fix(GRAVITY * sin(0.2)), fix(-GRAVITY * cos(0.2))};
        iso_world *world = world_make(&of);
        ground_add(world);
        iso_shape_def def = lying(1, 0.3, 0.1, 0.2);
        def.friction = n ? ONE : 0;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -8, 0.2, 0, &def);
        world_steps(world, 20); // settles
        const pose begin = body_pose(world, body);
        world_steps(world, 60);
        const pose end = body_pose(world, body);
        const double way = begin.vx + GRAVITY * sin(0.2) / 2;
        EXPECT_NEAR(end.x - begin.x, n ? 0 : way, 0.01, "way with friction %d", n);
        EXPECT_NEAR(end.angle, 0, 0.005, "it stays flat");
        world_free(world);
    }
}

/// Pieces of a floor, or the edges of a chain, hold it nowhere.
static void test_no_seam_catches_it(void **state) {
    (void)state;
    const double speeds[] = {0.3, 1, 5, 20};
    for (int n = 0; n < 16; ++n) {
        const double speed = speeds[n / 4], width = fmin(fmax(speed, 0.3), 1);
        const int pieces = 64;
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def piece = shape_box(width / 2, 0.5);
        iso_vec2_wide points[65];
        const iso_body_id chain = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        piece.friction = 0;
        for (int i = 0; i <= pieces; ++i) {
            points[i] = (iso_vec2_wide){wide((pieces - 4.3 - i) * width), 0};
        }
        for (int i = 0; i < pieces; ++i) {
            iso_shape_def edge = iso_shape_def_chain(points, (uint32_t)pieces + 1, false, (uint32_t)i);
            edge.friction = 0;
            if (n % 4 < 2) {
                body_add_shape(world, ISO_BODY_STATIC, (i - 3.7) * width, -0.5, 0, &piece);
            } else {
                shape_add(world, chain, &edge);
            }
        }
        iso_shape_def def = n % 2 ? lying(0.8, 0.1, 0.25, 0.2) : lying(0.8, 0.25, 0.1, 0.2);
        def.friction = 0;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.2, 0, &def);
        body_set_velocity(world, body, speed, 0, 0);
        const double begin = body_pose(world, body).x;
        const uint32_t ticks = (uint32_t)(60 * 50 * width / speed);
        world_steps(world, ticks);
        const pose end = body_pose(world, body);
        EXPECT_NEAR(end.x - begin, speed * ticks / 60, 0.01 * speed * ticks / 60, "case %d: way", n);
        EXPECT_NEAR(end.vx, speed, 0.02 * speed, "case %d: speed", n);
        EXPECT_NEAR(end.angle, 0, 0.01, "case %d: angle", n);
        world_free(world);
    }
}

/// A floor of tapered pieces whose upper sides are level and meet: what slides over it goes on.
static void test_level_sides_in_a_row_are_a_floor(void **state) {
    (void)state;
    const double speeds[] = {0.5, 2, 10};
    for (int n = 0; n < 9; ++n) {
        const double speed = speeds[n / 3];
        iso_world *world = world_make_small(-GRAVITY);
        for (int i = 0; i < 40; ++i) {
            // Each second one the other way round.
            const double a = i % 2 ? 0.1 : 0.3, b = i % 2 ? 0.3 : 0.1;
            iso_shape_def piece = shape_tapered(-0.5, -a, 0.5, -b, a, b);
            piece.friction = 0;
            body_add_shape(world, ISO_BODY_STATIC, i - 2.3, 0, 0, &piece);
        }
        iso_shape_def def = n % 3 == 0   ? shape_box(0.4, 0.2)
                            : n % 3 == 1 ? lying(0.8, 0.25, 0.1, 0.2)
                                         : shape_circle(0.2);
        def.friction = 0;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.2, 0, &def);
        body_set_velocity(world, body, speed, 0, 0);
        const double begin = body_pose(world, body).x;
        const uint32_t ticks = (uint32_t)(60 * 30 / speed);
        world_steps(world, ticks);
        const pose end = body_pose(world, body);
        EXPECT_NEAR(end.x - begin, speed * ticks / 60, 0.01 * speed * ticks / 60, "case %d: way", n);
        EXPECT_NEAR(end.vx, speed, 0.02 * speed, "case %d: speed", n);
        EXPECT_NEAR(n % 3 == 2 ? 0 : end.angle, 0, 0.02, "case %d: angle", n);
        world_free(world);
    }
}

/// Tapered walls of 6 to 20 mm, shot at from above with what is small and fast, also tapered; the walls move slowly.
static void test_nothing_passes_a_tapered_wall(void **state) {
    (void)state;
    rng random = {41};
    for (int n = 0; n < 10; ++n) {
        iso_world *world = world_make_small(0);
        const iso_shape_def wall = shape_tapered(-50, 0, 50, 0, 0.003, 0.01);
        iso_body_id shots[60];
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &wall);
        for (int i = 0; i < 60; ++i) {
            const double size = rng_range(&random, 0.02, 0.3);
            iso_shape_def def = i % 3 == 0   ? shape_circle(size)
                                : i % 3 == 1 ? shape_tapered_random(&random, size)
                                             : shape_box(size, size / 2);
            def.filter.group = -1;
            def.restitution = fix(i % 2 ? 0.5 : 0);
            def.density = 10 * ONE;
            shots[i] = body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -20, 20), rng_range(&random, 1.2, 9),
                                      rng_range(&random, -3, 3), &def);
            body_set_velocity(world, shots[i], rng_range(&random, -100, 100), rng_range(&random, -490, -5),
                              rng_range(&random, -100, 100));
        }
        for (int t = 0; t < 40; ++t) {
            world_steps(world, 1);
            for (int i = 0; i < 60; ++i) {
                // The mean of the corners, as continuous collision means it.
                const twin is = twin_of_shape(world, iso_body_next_shape(world, shots[i], 0));
                double x = 0, y = 0;
                for (uint32_t k = 0; k < is.count; ++k) {
                    x += is.x[k] / is.count;
                    y += is.y[k] / is.count;
                }
                EXPECT(y > 0 || fabs(x) > 49, "volley %d, shot %d, tick %d: %g m behind the wall", n, i, t, -y);
            }
        }
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests_on_its_flat_side_and_sleeps),
        cmocka_unit_test(test_wedges_stack_and_sleep),
        cmocka_unit_test(test_falls_over_onto_a_side),
        cmocka_unit_test(test_slides_down_a_slope_as_any_body),
        cmocka_unit_test(test_no_seam_catches_it),
        cmocka_unit_test(test_level_sides_in_a_row_are_a_floor),
        cmocka_unit_test(test_nothing_passes_a_tapered_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
