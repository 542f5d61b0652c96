/// Piles of all kinds of shapes: they come to rest without overlap, whatever falls on what, a snapshot on the way
/// leaves no trace; and capsules at the ends of their range.
#include "unit/plane/collide/convex_util.h"

#include "world/world.h"

#define BODIES_MAX 64
#define SLOP       0.005 // that the solver leaves [m], as iso_world_def_default
// Beyond the slop, as a share of the smaller body's breadth; measured were 0.0127 and 0.0634. The latter is a splinter
// of 6 cm at the bottom: what the load presses in does not shrink with the bodies.
#define SHARE_LARGE 0.015 // bodies of about 1 m
#define SHARE_SMALL 0.07  // of about 0.3 m
#define PILE_STATIC 3u    // the first bodies, which may overlap each other

typedef struct pile {
    iso_world *world;
    iso_body_id bodies[BODIES_MAX];
    iso_shape_id shapes[BODIES_MAX];
    uint32_t count;
} pile;

static void pile_add(pile *is, iso_body_type type, double x, double y, double angle, const iso_shape_def *def) {
    assert_true(is->count < BODIES_MAX);
    is->bodies[is->count] = body_add(is->world, type, x, y, angle);
    is->shapes[is->count] = shape_add(is->world, is->bodies[is->count], def);
    ++is->count;
}

/// The smallest breadth of a body, over all directions of its faces [m].
static double convex_breadth(const convex *is) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < is->count && is->count > 2; ++i) {
        const vec a = is->points[i], b = is->points[(i + 1) % is->count];
        const double length = hypot(b.x - a.x, b.y - a.y);
        double most = 0;
        for (uint32_t k = 0; k < is->count; ++k) {
            const vec c = is->points[k];
            most = fmax(most, fabs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / length);
        }
        least = fmin(least, most);
    }
    return (is->count > 2 ? least : 0) + 2 * is->radius;
}

typedef struct pile_overlap {
    double depth; // of the deepest one [m]
    double share; // the largest one beyond the solver's slop, as a share of the smaller body's breadth
} pile_overlap;

/// The overlaps of any two.
static pile_overlap pile_overlaps(const pile *is) {
    convex convexes[BODIES_MAX];
    pile_overlap found = {0, 0};
    for (uint32_t i = 0; i < is->count; ++i) {
        convexes[i] = convex_of(is->world, is->shapes[i], (iso_vec2_wide){0, 0});
        for (uint32_t j = 0; j < i && i >= PILE_STATIC; ++j) {
            // Capsules in line have no face between them: their distance decides.
            const double faces = convex_face_gap(&convexes[i], &convexes[j]);
            const double core =
                faces > -1e-9 || faces == -HUGE_VAL ? convex_core_distance(&convexes[i], &convexes[j]) : faces;
            const double depth = convexes[i].radius + convexes[j].radius - core;
            const double breadth = fmin(convex_breadth(&convexes[i]), convex_breadth(&convexes[j]));
            found.depth = fmax(found.depth, depth);
            found.share = fmax(found.share, (depth - SLOP) / breadth);
        }
    }
    return found;
}

static double pile_fastest(const pile *is) {
    double fastest = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        const pose p = body_pose(is->world, is->bodies[i]);
        fastest = fmax(fastest, fmax(hypot(p.vx, p.vy), fabs(p.w)));
    }
    return fastest;
}

/// A trough that nothing leaves.
static void pile_make(pile *is, double size) {
    iso_world_def def = world_def_small(-10);
    *is = (pile){.world = world_make(&def)};
    const iso_shape_def floor = shape_box(12 * size, size), wall = shape_capsule(0, 0, 0, 40 * size, size / 2);
    pile_add(is, ISO_BODY_STATIC, 0, -size, 0, &floor);
    pile_add(is, ISO_BODY_STATIC, -6 * size, 0, 0, &wall);
    pile_add(is, ISO_BODY_STATIC, 6 * size, 0, 0, &wall);
}

/// Numbers are drawn one after the other: compilers differ in the order of arguments, and so would the piles.
static iso_shape_def shape_any(rng *random, double size) {
    double least;
    uint32_t count;
    switch (rng_below(random, 4)) {
    case 0:
        return shape_circle(size * rng_range(random, 0.2, 0.5));
    case 1:
        least = rng_range(random, 0.1, 0.3);
        return shape_capsule_random(random, 0.6 * size, size * least);
    case 2:
        least = rng_range(random, 0.25, 0.5);
        count = 3 + rng_below(random, 6);
        return shape_polygon_random(random, count, 0.5 * size, size * least, 0);
    default:
        least = rng_range(random, 0.2, 0.4);
        count = 3 + rng_below(random, 6);
        return shape_polygon_random(random, count, 0.4 * size, size * least, 0.1 * size);
    }
}

/// Steps in two worlds, one of which goes through a snapshot and without caches now and then.
static void pile_run(pile *is, uint32_t ticks) {
    iso_world *twin = world_make_small(-10);
    for (uint32_t t = 0; t < ticks; ++t) {
        if (t % 50 == 0) {
            const size_t size = iso_snapshot_size(is->world);
            uint8_t *bytes = malloc(size), *again = malloc(size);
            assert_int_equal(iso_snapshot_encode(is->world, bytes, size), size);
            EXPECT_STATUS(iso_snapshot_decode(twin, bytes, size), ISO_OK);
            assert_int_equal(iso_snapshot_size(twin), size);
            assert_int_equal(iso_snapshot_encode(twin, again, size), size);
            assert_memory_equal(bytes, again, size);
            free(bytes);
            free(again);
        }
        if (t % 7 == 0) {
            iso_world_drop_caches(twin);
        }
        world_steps(is->world, 1);
        world_steps(twin, 1);
        EXPECT(iso_world_root(is->world) == iso_world_root(twin), "the twin differs at tick %u", t + 1);
    }
    world_free(twin);
}

static void test_piles_of_all_kinds_come_to_rest_without_overlap(void **state) {
    (void)state;
    double deepest = 0, share = 0, fastest = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        rng random = {seed};
        const double size = seed % 2 ? 1 : 0.3;
        pile is;
        pile_make(&is, size);
        for (int i = 0; i < 40; ++i) {
            const iso_shape_def def = shape_any(&random, size);
            const double angle = rng_range(&random, -3, 3);
            const double x = i % 5 * 2 - 4 + rng_range(&random, -0.3, 0.3);
            pile_add(&is, ISO_BODY_DYNAMIC, size * x, size * (2 + i / 5 * 1.6), angle, &def);
        }
        pile_run(&is, 600);
        const pile_overlap overlap = pile_overlaps(&is);
        const double speed = pile_fastest(&is);
        EXPECT(overlap.share < (seed % 2 ? SHARE_LARGE : SHARE_SMALL), "pile %d: %g m deep, %g of a body", (int)seed,
               overlap.depth, overlap.share);
        // A ball may roll on for good: nothing resists its rolling.
        EXPECT(speed < 0.1, "pile %d: %g m/s or rad/s", (int)seed, speed);
        for (uint32_t i = PILE_STATIC; i < is.count; ++i) {
            const pose p = body_pose(is.world, is.bodies[i]);
            EXPECT(fabs(p.x) < 6 * size && p.y > 0, "pile %d: body %u left the trough for (%g, %g)", (int)seed, i, p.x,
                   p.y);
        }
        const iso_world_counts counts = world_counts(is.world);
        assert_int_equal(counts.dropped_contacts + counts.clamped_velocities + counts.clamped_impulses, 0);
        deepest = fmax(deepest, overlap.depth);
        share = fmax(share, overlap.share);
        fastest = fmax(fastest, speed);
        world_free(is.world);
    }
    print_message("deepest overlap %.2e m, beyond the slop %.4f of a body, fastest %.2e\n", deepest, share, fastest);
}

static void test_stacked_capsules_lie_still(void **state) {
    (void)state;
    pile is;
    pile_make(&is, 1);
    const iso_shape_def capsule = shape_capsule(-0.5, 0, 0.5, 0, 0.25);
    for (int i = 0; i < 8; ++i) {
        pile_add(&is, ISO_BODY_DYNAMIC, i % 2 * 0.1, 0.25 + 0.5 * i, 0, &capsule);
    }
    world_steps(is.world, 600);
    for (uint32_t i = PILE_STATIC; i < is.count; ++i) {
        const pose p = body_pose(is.world, is.bodies[i]);
        EXPECT_NEAR(p.x, (i - PILE_STATIC) % 2 * 0.1, 0.002, "capsule %u slid", i - PILE_STATIC);
        EXPECT_NEAR(p.y, 0.25 + 0.5 * (i - PILE_STATIC), 0.03, "capsule %u sank", i - PILE_STATIC);
        EXPECT_NEAR(p.angle, 0, 0.002, "capsule %u tilted", i - PILE_STATIC);
    }
    EXPECT(pile_fastest(&is) < 1e-3, "the stack moves at %g", pile_fastest(&is));
    world_free(is.world);
}

/// The seams of a floor do not hold what slides over them (more in test_seam.c). What falls at 23 m/s on a floor of one
/// piece sinks in for a tick, since nothing looks ahead, and comes back up.
static void test_capsules_slide_over_seams_and_do_not_fall_through(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    iso_shape_def tile = shape_box(0.5, 0.5), capsule = shape_capsule(-0.5, 0, 0.5, 0, 0.25);
    tile.friction = capsule.friction = 0;
    for (int i = 0; i < 60; ++i) {
        body_add_shape(world, ISO_BODY_STATIC, i, -0.5, 0, &tile);
    }
    const iso_shape_def floor = shape_box(30, 1);
    body_add_shape(world, ISO_BODY_STATIC, 114, -1, 0, &floor);
    const iso_body_id slider = body_add_shape(world, ISO_BODY_DYNAMIC, 1, 0.25, 0, &capsule);
    body_set_velocity(world, slider, 1, 0, 0);
    iso_body_id falling[8];
    for (int i = 0; i < 8; ++i) {
        falling[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 100 + 4 * i, 6, i * PI / 8, &capsule);
        body_set_velocity(world, falling[i], 0, -20, 0);
    }
    for (int t = 0; t < 600; ++t) {
        world_steps(world, 1);
        const pose p = body_pose(world, slider);
        EXPECT(p.vx > 0.999, "a speed of %g at x = %g", p.vx, p.x);
        EXPECT_NEAR(p.y, 0.25, 0.002, "height at x = %g", p.x);
    }
    for (int i = 0; i < 8; ++i) {
        const double y = body_pose(world, falling[i]).y;
        EXPECT(y > 0.245, "capsule %d ends at %g", i, y);
    }
    world_free(world);
}

// ---- capsules at the ends of their range ---------------------------------------------------------

static void extremes_check(const char *name, const iso_shape_def *capsule, const iso_shape_def *other, double high,
                           double deepest_allowed) {
    iso_world_def def = world_def_small(-10);
    pile is = {.world = world_make(&def)};
    const iso_shape_def floor = shape_box(59, 1);
    for (int i = -1; i <= 1; ++i) {
        pile_add(&is, ISO_BODY_STATIC, 118 * i, -1, 0, &floor);
    }
    pile_add(&is, ISO_BODY_DYNAMIC, 0, high, 0, capsule);
    pile_add(&is, ISO_BODY_DYNAMIC, 0.3, 2.2 * high + 1, 0.01, other);
    pile_run(&is, 300);
    const double overlap = pile_overlaps(&is).depth;
    print_message("%s: %.2e m deep, %.2e fast\n", name, overlap, pile_fastest(&is));
    EXPECT(overlap < deepest_allowed, "%s: %g m deep", name, overlap);
    for (uint32_t i = PILE_STATIC; i < is.count; ++i) {
        const pose p = body_pose(is.world, is.bodies[i]);
        EXPECT(p.y > -0.01 && fabs(p.x) < 177, "%s: body %u is at (%g, %g)", name, i, p.x, p.y);
    }
    assert_int_equal(world_counts(is.world).dropped_contacts, 0);
    world_free(is.world);
}

static void test_capsules_at_the_ends_of_their_range_hold(void **state) {
    (void)state;
    iso_shape_def wire = shape_capsule(-59.9, 0, 59.9, 0, 0.00102), thick = shape_capsule(-1, 0, 1, 0, 58.9);
    iso_shape_def pin = shape_capsule(-0.002, 0, 0.002, 0, 0.00102), drop = shape_capsule(0, 0, QUANTUM_FIX16, 0, 0.5);
    const iso_shape_def box = shape_box(0.5, 0.5), beam = shape_capsule(-40, 0, 40, 0, 0.5);
    const iso_shape_def long_capsule = shape_capsule(-30, 0, 30, 0, 29.9);
    pin.density = fix(2000);
    wire.density = fix(50);
    thick.density = long_capsule.density;
    extremes_check("wire of 120 m", &wire, &wire, 0.01, 0.0013);
    extremes_check("wire under a beam", &beam, &wire, 0.51, 0.0005);
    extremes_check("capsule of 59.9 m", &thick, &box, 58.95, 0.0005);
    extremes_check("capsule of 60 m with ends", &long_capsule, &beam, 29.95, 0.0005);
    extremes_check("pin of 4 mm", &pin, &pin, 0.003, 0.0001);
    extremes_check("capsule of one quantum", &drop, &drop, 0.51, 0.00006);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_piles_of_all_kinds_come_to_rest_without_overlap),
        cmocka_unit_test(test_stacked_capsules_lie_still),
        cmocka_unit_test(test_capsules_slide_over_seams_and_do_not_fall_through),
        cmocka_unit_test(test_capsules_at_the_ends_of_their_range_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
