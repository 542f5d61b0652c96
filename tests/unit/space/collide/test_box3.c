/// Axis-aligned boxes in space: that of a collider holds it and is tight.
#include "hull_util.h"

#include "space/collide/box.h"

static void test_a_collider_is_in_its_box_and_touches_each_side(void **state) {
    (void)state;
    rng random = {1};
    for (uint32_t i = 0; i < 3000; ++i) {
        const iso__space_collider is =
            collider_random(&random, (iso__space_collider_kind)(i % 3), pow(10, rng_range(&random, -2, 1)));
        int64_t position[3];
        for (int k = 0; k < 3; ++k) {
            position[k] = wide(rng_range(&random, -29000, 29000));
        }
        iso__space_box box;
        iso__space_collider_box(&is, position, &box);
        const solid piece = solid_of(&is, (vec3){0, 0, 0});
        const double low[3] = {box.min_x, box.min_y, box.min_z}, high[3] = {box.max_x, box.max_y, box.max_z};
        for (int k = 0; k < 3; ++k) {
            double from = HUGE_VAL, to = -HUGE_VAL;
            for (uint32_t m = 0; m < piece.count; ++m) {
                const double at = k == 0 ? piece.points[m].x : k == 1 ? piece.points[m].y : piece.points[m].z;
                from = fmin(from, at - piece.radius);
                to = fmax(to, at + piece.radius);
            }
            const double below = from + from_wide(position[k]) - low[k] / 65536,
                         above = high[k] / 65536 - to - from_wide(position[k]);
            EXPECT(below >= 0 && below < 1.1 * QUANTUM_FIX16, "low side %d: %g", k, below);
            EXPECT(above >= 0 && above < 1.1 * QUANTUM_FIX16, "high side %d: %g", k, above);
        }
    }
}

static void test_boxes_that_touch_overlap(void **state) {
    (void)state;
    rng random = {2};
    for (uint32_t i = 0; i < 20000; ++i) {
        int32_t sides[2][6];
        bool overlaps = true, contains = true;
        for (int k = 0; k < 3; ++k) {
            for (int m = 0; m < 2; ++m) {
                sides[m][k] = (int32_t)rng_below(&random, 6) - 3;
                sides[m][3 + k] = sides[m][k] + (int32_t)rng_below(&random, 4);
            }
            overlaps = overlaps && sides[0][k] <= sides[1][3 + k] && sides[1][k] <= sides[0][3 + k];
            contains = contains && sides[0][k] <= sides[1][k] && sides[1][3 + k] <= sides[0][3 + k];
        }
        iso__space_box a, b;
        memcpy(&a, sides[0], sizeof a);
        memcpy(&b, sides[1], sizeof b);
        assert_int_equal(iso__space_box_overlaps(&a, &b), overlaps);
        assert_int_equal(iso__space_box_contains(&a, &b), contains);
        const iso__space_box both = iso__space_box_union(&a, &b);
        assert_true(iso__space_box_contains(&both, &a) && iso__space_box_contains(&both, &b));
        assert_int_equal(both.max_z, iso__max32(a.max_z, b.max_z));
        assert_int_equal(both.min_y, iso__min32(a.min_y, b.min_y));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_collider_is_in_its_box_and_touches_each_side),
        cmocka_unit_test(test_boxes_that_touch_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
