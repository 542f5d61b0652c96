/// The cells near a straight way against the boxes of all cells in double precision.
#include "collide3_util.h"

#include "space/collide/cells.h"
#include "space/collide/heights.h"

#define SIDE 7

typedef struct span {
    double from, to;
} span;

static void span_clip(span *is, double origin, double direction, double low, double high) {
    if (direction == 0) {
        is->to = origin < low || origin > high ? -HUGE_VAL : is->to;
        return;
    }
    const double a = (low - origin) / direction, b = (high - origin) / direction;
    is->from = fmax(is->from, fmin(a, b));
    is->to = fmin(is->to, fmax(a, b));
}

/// Where a way [m] in the field's frame is in the box of a cell, made larger by `reach`.
static span cell_span(const iso__space_heights *h, int column, int row, vec3 o, vec3 d, double length, double reach) {
    const double cell = ldexp(h->cell, -24);
    double highest = -HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        highest = fmax(highest, ldexp((double)iso__space_heights_height(h, column + (i & 1), row + (i >> 1)), -24));
    }
    span is = {0, length};
    span_clip(&is, o.x, d.x, column * cell - reach, (column + 1) * cell + reach);
    span_clip(&is, o.z, d.z, row * cell - reach, (row + 1) * cell + reach);
    span_clip(&is, o.y, d.y, ldexp((double)iso__space_heights_floor(h), -24) - reach, highest + reach);
    return is;
}

static vec3 turn_back(const int32_t *r, vec3 v) {
    const int32_t back[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
    return vec3_turn(back, v);
}

static void test_cells_are_those_whose_boxes_the_way_meets(void **state) {
    (void)state;
    rng random = {1};
    uint32_t met = 0, missed = 0;
    for (uint32_t i = 0; i < 4000; ++i) {
        int16_t samples[SIDE * SIDE], low = INT16_MAX;
        for (int k = 0; k < SIDE * SIDE; ++k) {
            samples[k] = (int16_t)lround(rng_range(&random, -300, 300));
            low = samples[k] < low ? samples[k] : low;
        }
        iso__space_collider field = {.kind = ISO__SPACE_COLLIDER_HEIGHTS};
        if (i % 2 == 0) {
            rotation_unit(field.rotation);
        } else {
            rotation_random(&random, field.rotation);
        }
        field.heights = (iso__space_heights){samples, length24(1.5), length24(1.0 / 128), SIDE, SIDE - 2, low, 300};
        int32_t origin[3], to[3];
        place_random(&random, 7, origin);
        place_random(&random, 9, to);
        origin[1] -= i % 5 == 0 ? length24(66) : 0; // at the floor
        to[i % 3] = i % 4 == 0 ? 0 : to[i % 3];
        iso__space_ray way;
        iso__space_ray_init(&way, (iso_vec3_wide){(int64_t)to[0] * 256, (int64_t)to[1] * 256, (int64_t)to[2] * 256});
        for (int k = 0; k < 3; ++k) {
            way.origin[k] = (int64_t)origin[k] * 256;
        }
        const double reach = ldexp(length24(rng_range(&random, 0, 1)), -24), length = ldexp((double)way.reach, -32);
        const vec3 d = turn_back(field.rotation, vec3_unit(vec3_of(to, 24)));
        const vec3 o = vec3_add(turn_back(field.rotation, vec3_of(origin, 24)),
                                (vec3){1.5 * (SIDE - 1) / 2, 0, 1.5 * (SIDE - 3) / 2});
        double from[SIDE][SIDE];
        for (int k = 0; k < SIDE * SIDE; ++k) {
            from[k / SIDE][k % SIDE] = -1;
        }
        iso__space_cells cells;
        iso__space_cell cell;
        iso__space_cells_init(&cells, &field, &way, (int64_t)ldexp(reach, 32));
        for (int64_t last = -1; iso__space_cells_next(&cells, &cell); last = cell.column) {
            assert_true(iso__space_heights_has_cell(&field.heights, cell.column, cell.row));
            assert_true(from[cell.column][cell.row] < 0);
            assert_true(last < 0 || (d.x < 0 ? cell.column <= last : cell.column >= last));
            from[cell.column][cell.row] = ldexp((double)cell.from, -32);
        }
        for (int k = 0; k < (SIDE - 1) * (SIDE - 3); ++k) {
            const int column = k % (SIDE - 1), row = k / (SIDE - 1);
            const span wide = cell_span(&field.heights, column, row, o, d, length, reach + NEAR);
            const span narrow = cell_span(&field.heights, column, row, o, d, length, reach - NEAR);
            if (narrow.from + NEAR < narrow.to) {
                ++met;
                assert_true(from[column][row] >= wide.from - NEAR && from[column][row] <= narrow.from + NEAR);
            } else if (wide.from > wide.to + NEAR) {
                ++missed;
                assert_true(from[column][row] < 0);
            }
        }
    }
    assert_true(met > 1000 && missed > 1000);
}

static void test_cells_end_at_a_limit_that_is_lowered_on_the_way(void **state) {
    (void)state;
    const int16_t samples[SIDE * SIDE] = {0};
    iso__space_collider field = {.kind = ISO__SPACE_COLLIDER_HEIGHTS};
    rotation_unit(field.rotation);
    field.heights = (iso__space_heights){samples, length24(1), length24(1.0 / 128), SIDE, 2, 0, 0};
    const int64_t meter = INT64_C(1) << 32;
    iso__space_ray way = {.origin = {-3 * meter, -meter, 0}};
    iso__space_ray_init(&way, (iso_vec3_wide){6 * meter, 0, 0});
    iso__space_cells cells;
    iso__space_cell cell;
    iso__space_cells_init(&cells, &field, &way, 0);
    assert_true(iso__space_cells_next(&cells, &cell));
    assert_int_equal(cell.column, 0);
    cells.limit = 2 * meter + meter / 2;
    for (int64_t column = 1; column <= 2; ++column) {
        assert_true(iso__space_cells_next(&cells, &cell));
        assert_int_equal(cell.column, column);
        assert_int_equal(cell.from, column * meter);
    }
    assert_false(iso__space_cells_next(&cells, &cell));
}

/// Rows of the column that the way is in.
static void test_rows_end_at_a_limit_that_is_lowered_on_the_way(void **state) {
    (void)state;
    const int16_t samples[2 * SIDE] = {0};
    iso__space_collider field = {.kind = ISO__SPACE_COLLIDER_HEIGHTS};
    rotation_unit(field.rotation);
    field.heights = (iso__space_heights){samples, length24(1), length24(1.0 / 128), 2, SIDE, 0, 0};
    const int64_t meter = INT64_C(1) << 32;
    iso__space_ray way = {.origin = {0, -meter, -3 * meter}};
    iso__space_ray_init(&way, (iso_vec3_wide){0, 0, 6 * meter});
    iso__space_cells cells;
    iso__space_cell cell;
    iso__space_cells_init(&cells, &field, &way, 0);
    for (int64_t row = 0; row <= 1; ++row) {
        assert_true(iso__space_cells_next(&cells, &cell));
        assert_int_equal(cell.row, row);
    }
    cells.limit = 2 * meter + meter / 2;
    assert_true(iso__space_cells_next(&cells, &cell));
    assert_int_equal(cell.row, 2);
    assert_false(iso__space_cells_next(&cells, &cell));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_are_those_whose_boxes_the_way_meets),
        cmocka_unit_test(test_cells_end_at_a_limit_that_is_lowered_on_the_way),
        cmocka_unit_test(test_rows_end_at_a_limit_that_is_lowered_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
