/// Rays on fields of heights against all of their triangles in double.
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"
#include "isostep/query3.h"

#define SIDE   12
#define ROUNDS 3000

static int16_t samples[SIDE * SIDE];

static vector corner_of(int column, int row) {
    const double half = (SIDE - 1) / 2.0;
    return (vector){{(column - half) * 1.5, samples[row * SIDE + column] / 64.0, (row - half) * 1.5}};
}

/// Where a ray meets a triangle's upper side, as a fraction; 2: nowhere.
static double triangle_meet(vector a, vector b, vector c, vector origin, vector way) {
    const vector e = sum(b, -1, a), f = sum(c, -1, a), n = cross(f, e);
    const double climb = dot(n, way), height = dot(n, sum(origin, -1, a));
    const double t = -height / climb;
    if (climb >= 0 || t < 0 || t > 1) {
        return 2;
    }
    const vector at = sum(origin, t, way);
    const double u = dot(cross(sum(at, -1, a), e), n), v = dot(cross(sum(at, -1, b), sum(c, -1, b)), n),
                 w = dot(cross(sum(at, -1, c), sum(a, -1, c)), n);
    return u >= 0 && v >= 0 && w >= 0 ? t : 2;
}

static double field_meet(vector origin, vector way) {
    double first = 2;
    for (int i = 0; i < (SIDE - 1) * (SIDE - 1); ++i) {
        const int c = i % (SIDE - 1), r = i / (SIDE - 1);
        const vector p = corner_of(c, r), q = corner_of(c + 1, r + 1);
        first = fmin(first, triangle_meet(p, corner_of(c + 1, r), q, origin, way));
        first = fmin(first, triangle_meet(p, q, corner_of(c, r + 1), origin, way));
    }
    return first;
}

static void test_rays_meet_the_first_triangle(void **state) {
    (void)state;
    rng random = {3};
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)rng_range(&random, -100, 100);
    }
    iso_world *world = space_make();
    const iso_heights_def heights = {samples, SIDE, SIDE, fix(1.5), ISO_FIX16_ONE / 64};
    uint32_t index;
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    const vector place = {{100.5, -20.25, 3000}};
    const iso_quat turn = rng_quat(&random);
    const matrix R = matrix_of(turn);
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, wide3(place.x[0], place.x[1], place.x[2]), turn);
    const iso_shape3_def def = iso_shape3_def_heights(index);
    const iso_shape_id shape = shape3_add(world, ground, &def);
    uint32_t met = 0, missed = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        vector origin = rng_vector(&random, 10), to = rng_vector(&random, 10);
        origin.x[1] = rng_range(&random, 2, 6);
        to.x[1] = rng_range(&random, -4, 4);
        if (i % 50 == 0) {
            to.x[0] = origin.x[0]; // along a row, or straight down
            to.x[2] = i % 100 == 0 ? origin.x[2] : to.x[2];
        }
        const vector way = sum(to, -1, origin);
        const double expected = field_meet(origin, way);
        const vector from = sum(place, 1, turned(&R, origin)), along = turned(&R, way);
        iso_ray3_hit hit;
        uint32_t count;
        EXPECT_STATUS(iso_query3_ray_closest(world, wide3(from.x[0], from.x[1], from.x[2]),
                                             wide3(along.x[0], along.x[1], along.x[2]), iso_query_filter_default(),
                                             &hit, &count),
                      ISO_OK);
        if (expected > 1) {
            missed += 1;
            EXPECT(count == 0, "round %d: met at %g", i, from_wide(hit.fraction));
            continue;
        }
        met += 1;
        EXPECT(count == 1 && fabs(from_wide(hit.fraction) - expected) < 1e-6 && hit.shape.index == shape.index,
               "round %d: %g instead of %g", i, count == 0 ? 2 : from_wide(hit.fraction), expected);
        const vector normal = {{hit.normal.x * QUANTUM_UNIT, hit.normal.y * QUANTUM_UNIT, hit.normal.z * QUANTUM_UNIT}};
        EXPECT(dot(normal, along) < 0 && fabs(length(normal) - 1) < 1e-8, "round %d: the normal", i);
    }
    assert_true(met > 500 && missed > 200);
    // From below the surface, and from below the ground.
    iso_ray3_hit hit;
    uint32_t count;
    for (int i = 0; i < 2; ++i) {
        const vector from = sum(place, 1, turned(&R, (vector){{0.3, i == 0 ? -5 : -80, 0.4}}));
        EXPECT_STATUS(iso_query3_ray_closest(world, wide3(from.x[0], from.x[1], from.x[2]), wide3(0, 1, 0),
                                             iso_query_filter_default(), &hit, &count),
                      ISO_OK);
        assert_int_equal(count, i == 0 ? 1 : 0);
        assert_true(i == 1 || (hit.fraction == 0 && hit.normal.y == 0));
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays_meet_the_first_triangle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
