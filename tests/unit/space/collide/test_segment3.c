/// Where two segments are nearest, at any angle, against double precision.
#include "collide3_util.h"

#include "space/collide/segment.h"

static double nearest_in_double(const vec3 a[2], const vec3 b[2]) {
    double low = 0, high = 1;
    const vec3 e = vec3_sub(a[1], a[0]);
    for (int i = 0; i < 100; ++i) {
        const double third = (high - low) / 3;
        const double left = segment_distance(vec3_add(a[0], vec3_scale(e, low + third)), b[0], b[1]);
        const double right = segment_distance(vec3_add(a[0], vec3_scale(e, high - third)), b[0], b[1]);
        low = right <= left ? low + third : low;
        high = left <= right ? high - third : high;
    }
    return segment_distance(vec3_add(a[0], vec3_scale(e, (low + high) / 2)), b[0], b[1]);
}

static void test_segments_are_nearest_where_they_are_in_double(void **state) {
    (void)state;
    rng random = {1};
    double worst[2] = {0};
    for (uint32_t i = 0; i < 6000; ++i) {
        iso__space_segment segments[2];
        vec3 points[2][2];
        const double angle = pow(10, rng_range(&random, -8, 0)), size = pow(10, rng_range(&random, -1, 0.5));
        int32_t d[3], o[3], p[3];
        place_random(&random, size, d);
        place_random(&random, size, o);
        place_random(&random, angle * size, p);
        const double from = rng_range(&random, -1.5, 1.5), part = rng_range(&random, 0.1, 1.5) * (i % 2 == 0 ? 1 : -1);
        for (int k = 0; k < 3; ++k) {
            segments[0].ends[0][k] = 0;
            segments[0].ends[1][k] = d[k];
            segments[1].ends[0][k] = (i % 3 == 0 ? 0 : o[k] / 8) + (int64_t)(from * d[k]);
            segments[1].ends[1][k] = segments[1].ends[0][k] + (int64_t)(part * d[k]) + (i % 5 == 0 ? 0 : p[k]);
        }
        for (int m = 0; m < 2; ++m) {
            iso__space_segment_complete(&segments[m]);
            points[m][0] = vec3_of_wide(segments[m].ends[0]);
            points[m][1] = vec3_of_wide(segments[m].ends[1]);
        }
        int64_t at[2], q[2][3];
        iso__space_segment_nearest_two(&segments[0], &segments[1], at);
        for (int m = 0; m < 2; ++m) {
            assert_in_range(at[m], 0, segments[m].length);
            iso__space_segment_point(&segments[m], at[m], q[m]);
            EXPECT_NEAR(segment_distance(vec3_of_wide(q[m]), points[m][0], points[m][1]), 0, NEAR, "on segment %d", m);
        }
        const double distance = vec3_length(vec3_sub(vec3_of_wide(q[0]), vec3_of_wide(q[1])));
        const double expected = nearest_in_double(points[0], points[1]);
        // Lines at an angle of less than a degree cross where rounding says.
        const vec3 across = vec3_cross(vec3_unit(vec3_sub(points[0][1], points[0][0])),
                                       vec3_unit(vec3_sub(points[1][1], points[1][0])));
        const bool is_clear = vec3_length(across) > 0.016;
        worst[is_clear] = fmax(worst[is_clear], distance - expected);
        EXPECT_NEAR(distance, expected, is_clear ? NEAR : 6e-6, "%u at %g", i, angle);
    }
    print_message("off by %.3g, nearly parallel %.3g\n", worst[1], worst[0]);
}

static void test_segments_that_share_a_stretch_are_nearest_in_its_middle(void **state) {
    (void)state;
    iso__space_segment a = {.ends = {{0, 0, 0}, {4 << 24, 0, 0}}},
                       b = {.ends = {{6 << 24, 1 << 24, 0}, {2 << 24, 1 << 24, 0}}};
    iso__space_segment_complete(&a);
    iso__space_segment_complete(&b);
    int64_t at[2], low, high;
    assert_true(iso__space_segment_nearest_two(&a, &b, at));
    assert_int_equal(at[0], 3 << 24);
    assert_int_equal(at[1], 3 << 24);
    iso__space_segment_shared(&a, &b, &low, &high);
    assert_int_equal(low, 2 << 24);
    assert_int_equal(high, 4 << 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_are_nearest_where_they_are_in_double),
        cmocka_unit_test(test_segments_that_share_a_stretch_are_nearest_in_its_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
