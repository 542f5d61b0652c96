/// Queries about tapered capsules against their twins in double precision (taper_util.h): the nearest point, rays and
/// overlaps, of shapes in a world and of a definition that is asked about.
#include "unit/plane/collide/taper_util.h"

#include "isostep/query.h"

#define EXACT 2e-8 // [m] of pieces up to 1 m, whose normals are rounded to 2^-30

typedef struct placed {
    iso_world *world;
    iso_body_id body;
    iso_shape_id shape;
    twin is;
} placed;

static placed placed_make(rng *random) {
    placed to = {.world = world_make_small(0)};
    const iso_shape_def def = shape_tapered_random(random, 0.5);
    to.body = body_add_shape(to.world, ISO_BODY_STATIC, rng_range(random, -3, 3), rng_range(random, -3, 3),
                             rng_range(random, -3, 3), &def);
    to.shape = iso_body_next_shape(to.world, to.body, 0);
    to.is = twin_of_shape(to.world, to.shape);
    return to;
}

static iso_vec2_wide place(double x, double y) {
    return (iso_vec2_wide){wide(x), wide(y)};
}

static void test_nearest_point_of_a_tapered_capsule(void **state) {
    (void)state;
    rng random = {31};
    for (int n = 0; n < 100; ++n) {
        placed of = placed_make(&random);
        for (int i = 0; i < 10; ++i) {
            const double x = of.is.x[i % 2] + rng_range(&random, -1, 1), y = of.is.y[i % 2] + rng_range(&random, -1, 1);
            iso_point_hit hit;
            EXPECT_STATUS(iso_shape_get_closest_point(of.world, of.shape, place(x, y), &hit), ISO_OK);
            const double distance = from_wide(hit.distance), px = from_wide(hit.point.x), py = from_wide(hit.point.y);
            EXPECT_NEAR(distance, twin_distance(&of.is, x, y), EXACT, "shape %d: distance", n);
            EXPECT_NEAR(twin_distance(&of.is, px, py), 0, EXACT, "shape %d: the point is on the border", n);
            EXPECT_NEAR(hypot(px - x, py - y), fabs(distance), EXACT, "shape %d: the point is as far away", n);
        }
        world_free(of.world);
    }
}

/// Where a ray enters, the border is, and before it nothing; a ray that misses comes nowhere near.
static void test_rays_enter_a_tapered_capsule_where_its_border_is(void **state) {
    (void)state;
    rng random = {32};
    uint32_t hits = 0, misses = 0;
    for (int n = 0; n < 100; ++n) {
        placed of = placed_make(&random);
        for (int i = 0; i < 10; ++i) {
            const double turn = rng_range(&random, 0, 2 * PI), x = of.is.x[0] + 4 * cos(turn);
            const double y = of.is.y[0] + 4 * sin(turn), bend = rng_range(&random, -0.15, 0.15);
            const double dx = -8 * cos(turn + bend), dy = -8 * sin(turn + bend);
            iso_ray_hit hit;
            uint32_t count = 0;
            EXPECT_STATUS(
                iso_query_ray_closest(of.world, place(x, y), place(dx, dy), iso_query_filter_default(), &hit, &count),
                ISO_OK);
            const double end = count > 0 ? from_wide(hit.fraction) : 1;
            for (int k = 0; k < 40; ++k) {
                const double at = end * k / 40;
                EXPECT(twin_distance(&of.is, x + at * dx, y + at * dy) > -1e-6, "shape %d, ray %d: inside at %g", n, i,
                       at);
            }
            if (count > 0) {
                const double px = from_wide(hit.point.x), py = from_wide(hit.point.y);
                EXPECT_NEAR(twin_distance(&of.is, px, py), 0, 2e-7, "shape %d, ray %d: the border", n, i);
                const double nx = hit.normal.x / 1073741824.0, ny = hit.normal.y / 1073741824.0;
                EXPECT_NEAR(twin_distance(&of.is, px + 0.1 * nx, py + 0.1 * ny), 0.1, 2e-7, "shape %d: normal", n);
            }
            *(count > 0 ? &hits : &misses) += 1;
        }
        world_free(of.world);
    }
    EXPECT(hits > 200 && misses > 200, "%u hits, %u misses", hits, misses);
}

static void test_overlaps_of_tapered_capsules(void **state) {
    (void)state;
    rng random = {33};
    uint32_t found = 0;
    for (int n = 0; n < 100; ++n) {
        placed of = placed_make(&random);
        for (int i = 0; i < 10; ++i) {
            const iso_shape_def asked = i % 2
                                            ? shape_tapered_random(&random, 0.5)
                                            : shape_polygon_random(&random, 3 + rng_below(&random, 6), 0.5, 0.4, 0.05);
            if (iso_shape_def_check(&asked) != ISO_OK) {
                continue;
            }
            const double x = of.is.x[0] + rng_range(&random, -1, 1), y = of.is.y[0] + rng_range(&random, -1, 1);
            const iso_wide angle = wide(rng_range(&random, -3, 3));
            const iso_wide turns = iso_turns_from_radians(angle);
            const twin other = twin_of(&asked, x, y, from_wide(turns));
            const double truth = twin_separation(&of.is, &other, NULL);
            iso_overlap_hit hit;
            uint32_t count = 0;
            EXPECT_STATUS(
                iso_query_shape_closest(of.world, &asked, place(x, y), angle, iso_query_filter_default(), &hit, &count),
                ISO_OK);
            EXPECT(fabs(truth) < EXACT || (count == 1) == (truth < 0), "shape %d: %u found, %g apart", n, count, truth);
            if (count > 0) {
                EXPECT_NEAR(from_wide(hit.separation), truth, 2 * EXACT, "shape %d: separation", n);
                ++found;
            }
        }
        world_free(of.world);
    }
    EXPECT(found > 200, "only %u overlaps", found);
}

/// The box of a shape holds it and is no larger than its reach along the axes, but for rounding.
static void test_box_of_a_tapered_capsule_holds_it_tightly(void **state) {
    (void)state;
    rng random = {34};
    for (int n = 0; n < 200; ++n) {
        placed of = placed_make(&random);
        const iso__plane_box box = iso__plane_shape_box(iso__plane_of(of.world), of.shape.index, 0);
        const double sides[4] = {from_fix(box.max_x), from_fix(box.max_y), -from_fix(box.min_x), -from_fix(box.min_y)};
        for (int i = 0; i < 4; ++i) {
            const double reach = twin_reach(&of.is, i % 2 ? 0 : i < 2 ? 1 : -1, i % 2 ? i < 2 ? 1 : -1 : 0);
            EXPECT(sides[i] >= reach - 1e-9 && sides[i] <= reach + 2 * QUANTUM_FIX16, "shape %d, side %d: %g for %g", n,
                   i, sides[i], reach);
        }
        world_free(of.world);
    }
}

/// The disc that continuous collision sweeps touches both sides, and is in the shape.
static void test_core_of_a_tapered_capsule_touches_its_sides(void **state) {
    (void)state;
    rng random = {35};
    for (int n = 0; n < 200; ++n) {
        placed of = placed_make(&random);
        const iso__plane_shape_derived *derived = &iso__plane_of(of.world)->shape_derived[of.shape.index];
        const double x = (of.is.x[0] + of.is.x[1]) / 2, y = (of.is.y[0] + of.is.y[1]) / 2;
        EXPECT_NEAR(derived->core * QUANTUM_LENGTH, -twin_distance(&of.is, x, y), 2 * QUANTUM_LENGTH, "shape %d", n);
        world_free(of.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_point_of_a_tapered_capsule),
        cmocka_unit_test(test_rays_enter_a_tapered_capsule_where_its_border_is),
        cmocka_unit_test(test_overlaps_of_tapered_capsules),
        cmocka_unit_test(test_box_of_a_tapered_capsule_holds_it_tightly),
        cmocka_unit_test(test_core_of_a_tapered_capsule_touches_its_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
