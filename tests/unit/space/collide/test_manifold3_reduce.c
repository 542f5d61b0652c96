/// Which points of a patch are kept.
#include <stdlib.h>

#include "collide3_util.h"

#include "space/collide/manifold_reduce.h"

#define SLOP INT64_C(83886)

typedef struct patch {
    int64_t points[62][3];
    uint32_t count;
} patch;

static void patch_add(patch *is, double x, double y, double z) {
    is->points[is->count][0] = length24(x);
    is->points[is->count][1] = length24(y);
    is->points[is->count++][2] = length24(z);
}

static uint32_t patch_reduce(const patch *is, uint8_t kept[ISO__SPACE_MANIFOLD_POINTS]) {
    bool leaves;
    return iso__space_manifold_reduce((const int64_t(*)[3])is->points, is->count, SLOP, true, kept, &leaves);
}

static void test_up_to_four_points_are_all_kept(void **state) {
    (void)state;
    patch is = {.count = 0};
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    for (uint32_t count = 0; count <= 4; ++count) {
        assert_int_equal(patch_reduce(&is, kept), count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(kept[i], i);
        }
        patch_add(&is, 0, 0, 0);
    }
}

static int compare_numbers(const void *a, const void *b) {
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/// The kept points in their order around the patch, which is that of their numbers.
static uint32_t patch_reduce_sorted(const patch *is, uint8_t kept[ISO__SPACE_MANIFOLD_POINTS]) {
    const uint32_t count = patch_reduce(is, kept);
    qsort(kept, count, 1, compare_numbers);
    return count;
}

/// Of four points the first two are opposite each other.
static void test_opposite_points_come_together(void **state) {
    (void)state;
    rng random = {4};
    for (uint32_t i = 0; i < 500; ++i) {
        patch is = {.count = 0};
        const uint32_t count = i % 2 == 0 ? 4 : 8;
        for (uint32_t k = 0; k < count; ++k) {
            const double angle = 2 * PI * (k + rng_range(&random, 0, 0.3)) / count;
            patch_add(&is, cos(angle), sin(angle), 0);
        }
        uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
        assert_int_equal(patch_reduce(&is, kept), 4);
        const uint32_t apart = (uint32_t)abs(kept[0] - kept[1]);
        assert_in_range(apart, count / 2 - count / 8, count / 2 + count / 8);
    }
}

/// Two squares on each other, a little turned: eight points, two near each corner. One of each is kept, whichever noise
/// favours.
static void test_the_corners_of_trembling_squares_are_kept(void **state) {
    (void)state;
    rng random = {1};
    for (uint32_t i = 0; i < 2000; ++i) {
        const double size = pow(10, rng_range(&random, -1.5, 1)), noise = 2e-7,
                     turn = rng_range(&random, -1e-3, 1e-3) / fmax(size, 1);
        patch is = {.count = 0};
        for (uint32_t k = 0; k < 8; ++k) {
            const double sx = k < 2 || k > 5 ? 1 : -1, sy = k < 4 ? 1 : -1, off = k % 2 == 0 ? turn : -turn;
            patch_add(&is, size * (sx - sy * fmax(off * sx * sy, 0)) + rng_range(&random, -noise, noise),
                      size * (sy - sx * fmax(-off * sx * sy, 0)) + rng_range(&random, -noise, noise),
                      rng_range(&random, -noise, noise));
        }
        uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
        assert_int_equal(patch_reduce_sorted(&is, kept), 4);
        for (uint32_t k = 0; k < 4; ++k) {
            assert_int_equal(kept[k] / 2, k);
        }
    }
}

/// Two squares about the same centre, turned: four points near corners, and four anywhere on the edges, which never
/// stand for a corner, however near they come.
static void test_the_middle_of_an_edge_is_no_corner(void **state) {
    (void)state;
    rng random = {5};
    for (uint32_t i = 0; i < 2000; ++i) {
        const double size = pow(10, rng_range(&random, -1.5, 1)), noise = 2e-7, bend = 1e-4;
        patch is = {.count = 0};
        for (uint32_t k = 0; k < 8; ++k) {
            const double sx = k / 2 == 0 || k / 2 == 3 ? 1 : -1, sy = k < 4 ? 1 : -1;
            const double way = 2 * rng_range(&random, 0.001, 0.999); // from a corner to the next, counterclockwise
            const bool is_corner = k % 2 == 0, is_along_x = sx == sy;
            const double x = is_corner ? size * sx : is_along_x ? size * sx * (1 - way) : (size + bend) * sx;
            const double y = is_corner ? size * sy : is_along_x ? (size + bend) * sy : size * sy * (1 - way);
            patch_add(&is, x + rng_range(&random, -noise, noise), y + rng_range(&random, -noise, noise),
                      rng_range(&random, -noise, noise));
        }
        uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
        assert_int_equal(patch_reduce_sorted(&is, kept), 4);
        for (uint32_t k = 0; k < 4; ++k) {
            // What is within a tenth of the slop of a corner is as good.
            double nearest = 1;
            for (uint32_t n = 0; n < 4; ++n) {
                const int64_t *corner = is.points[2 * k], *at = is.points[kept[n]];
                const double apart = hypot((double)(corner[0] - at[0]), (double)(corner[1] - at[1])) / 16777216;
                nearest = fmin(nearest, apart);
            }
            EXPECT(nearest < 1e-3, "%g m from the corner of %g m", nearest, size);
        }
    }
}

/// The choice does not hang on which point is deepest by less than the slop.
static void test_noise_in_depth_does_not_change_the_choice(void **state) {
    (void)state;
    rng random = {2};
    for (uint32_t i = 0; i < 2000; ++i) {
        patch is = {.count = 0};
        const uint32_t count = 5 + rng_below(&random, 20);
        for (uint32_t k = 0; k < count; ++k) {
            const double angle = 2 * PI * (k + rng_range(&random, 0, 0.5)) / count;
            patch_add(&is, cos(angle), sin(angle), 0);
        }
        uint8_t kept[ISO__SPACE_MANIFOLD_POINTS], again[ISO__SPACE_MANIFOLD_POINTS];
        const uint32_t kept_count = patch_reduce(&is, kept);
        assert_int_equal(kept_count, 4);
        // The first choice is a clear one.
        int64_t best = INT64_MIN, second = INT64_MIN;
        for (uint32_t k = 0; k < count; ++k) {
            const int64_t score = -464 * is.points[k][0] + 912 * is.points[k][1];
            second = score > best ? best : iso__max64(second, score);
            best = iso__max64(best, score);
        }
        if (best - second < 2 * SLOP * 1024) {
            continue;
        }
        for (uint32_t k = 0; k < count; ++k) {
            is.points[k][2] = length24(rng_range(&random, -2e-4, 2e-4));
        }
        assert_int_equal(patch_reduce(&is, again), kept_count);
        assert_memory_equal(kept, again, kept_count);
    }
}

/// What is kept spans most of the patch: at least half of its area.
static void test_the_kept_points_span_the_patch(void **state) {
    (void)state;
    rng random = {3};
    for (uint32_t i = 0; i < 2000; ++i) {
        patch is = {.count = 0};
        const uint32_t count = 5 + rng_below(&random, 50);
        const double rx = rng_range(&random, 0.05, 5), ry = rng_range(&random, 0.05, 5);
        double whole = 0, part = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const double angle = 2 * PI * (k + rng_range(&random, 0, 0.8)) / count;
            patch_add(&is, rx * cos(angle), ry * sin(angle), rng_range(&random, -0.01, 0.01));
        }
        uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
        const uint32_t kept_count = patch_reduce_sorted(&is, kept);
        assert_in_range(kept_count, 3, 4);
        for (uint32_t k = 0; k < count; ++k) {
            const int64_t *p = is.points[k], *q = is.points[(k + 1) % count];
            whole += (double)p[0] * (double)q[1] - (double)p[1] * (double)q[0];
        }
        for (uint32_t k = 0; k < kept_count; ++k) {
            const int64_t *p = is.points[kept[k]], *q = is.points[kept[(k + 1) % kept_count]];
            part += (double)p[0] * (double)q[1] - (double)p[1] * (double)q[0];
        }
        EXPECT(part > 0.4 * whole, "%g of the area, %u of %u points", part / whole, kept_count, count);
    }
}

static void test_points_on_a_line_leave_its_ends(void **state) {
    (void)state;
    patch is = {.count = 0};
    for (uint32_t k = 0; k < 9; ++k) {
        patch_add(&is, 0.1 * k, k % 2 == 0 ? 1e-6 : -1e-6, 0);
    }
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    assert_int_equal(patch_reduce(&is, kept), 2);
    assert_int_equal(kept[0], 0);
    assert_int_equal(kept[1], 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_up_to_four_points_are_all_kept),
        cmocka_unit_test(test_opposite_points_come_together),
        cmocka_unit_test(test_the_corners_of_trembling_squares_are_kept),
        cmocka_unit_test(test_the_middle_of_an_edge_is_no_corner),
        cmocka_unit_test(test_noise_in_depth_does_not_change_the_choice),
        cmocka_unit_test(test_the_kept_points_span_the_patch),
        cmocka_unit_test(test_points_on_a_line_leave_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
