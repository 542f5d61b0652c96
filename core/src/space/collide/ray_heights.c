/// Rays on fields of heights: the triangles of the cells that a ray passes over, column by column.
///
/// The ray is turned into the field's frame, where its direction is below 2^62 and coordinates are below 2^50, so that
/// quotients by its components, which are 128-bit products, saturate where it is nearly along a column.
#include "space/collide/ray_heights.h"

#include "space/collide/heights.h"

/// [m] Q31.32: what rounding may do to a place on a side of a triangle; neighbours overlap by it.
#define SIDE_SLACK (INT64_C(1) << 12)

typedef struct heights_ray {
    iso__space_ray ray; // in the field's frame
    const iso__space_heights *heights;
    int64_t first; // [m] Q31.32: the nearest meeting so far
    int32_t normal[3];
} heights_ray;

/// How far a place is over a triangle's plane.
static int64_t triangle_height(const iso__space_heights *h, int64_t column, int64_t row, const int32_t normal[3],
                               const int64_t place[3]) {
    const int64_t d[3] = {place[0] - column * iso__space_heights_wide_cell(h),
                          place[1] - iso__space_heights_height(h, column, row) * 256,
                          place[2] - row * iso__space_heights_wide_cell(h)};
    return iso__space_piece_along(normal, d);
}

static void ray_try_triangle(heights_ray *is, int64_t column, int64_t row, uint32_t half) {
    const iso__space_heights *h = is->heights;
    int32_t normal[3];
    iso__space_heights_normal(h, column, row, half, normal);
    const int64_t climb = iso__space_piece_along(normal, is->ray.direction);
    const int64_t height = triangle_height(h, column, row, normal, is->ray.origin);
    if (climb >= 0 || height < 0) {
        return;
    }
    const int64_t s = iso__mul_div(height, is->ray.length, -climb), cell = iso__space_heights_wide_cell(h);
    if (s > is->ray.reach || s >= is->first) {
        return;
    }
    int64_t at[3];
    iso__space_ray_point(&is->ray, s, at);
    const int64_t x = at[0] - column * cell, z = at[2] - row * cell, over = half == 0 ? x - z : z - x;
    if (x >= -SIDE_SLACK && x <= cell + SIDE_SLACK && z >= -SIDE_SLACK && z <= cell + SIDE_SLACK &&
        over >= -SIDE_SLACK) {
        is->first = s;
        for (int i = 0; i < 3; ++i) {
            is->normal[i] = normal[i];
        }
    }
}

/// The cells of a column that a part of the ray passes over.
static void ray_try_column(heights_ray *is, int64_t column, const int64_t part[2]) {
    int64_t begin[3], end[3];
    iso__space_ray_point(&is->ray, part[0], begin);
    iso__space_ray_point(&is->ray, part[1], end);
    const int64_t low = iso__min64(begin[2], end[2]) - SIDE_SLACK, high = iso__max64(begin[2], end[2]) + SIDE_SLACK;
    const int64_t last = iso__min64(iso__space_heights_wide_cell_at(is->heights, high), is->heights->rows - 2);
    for (int64_t row = iso__max64(iso__space_heights_wide_cell_at(is->heights, low), 0); row <= last; ++row) {
        ray_try_triangle(is, column, row, 0);
        ray_try_triangle(is, column, row, 1);
    }
}

/// Whether the ray begins in the ground.
static bool ray_begins_below(const heights_ray *is) {
    const iso__space_heights *h = is->heights;
    const int64_t *o = is->ray.origin, cell = iso__space_heights_wide_cell(h);
    const int64_t column = iso__space_heights_wide_cell_at(h, o[0]), row = iso__space_heights_wide_cell_at(h, o[2]);
    if (!iso__space_heights_has_cell(h, column, row)) {
        return false;
    }
    int32_t normal[3];
    iso__space_heights_normal(h, column, row, o[0] - column * cell >= o[2] - row * cell ? 0 : 1, normal);
    return triangle_height(h, column, row, normal, o) <= 0 &&
           o[1] >= ((int64_t)h->low * h->scale - ISO__SPACE_HEIGHTS_DEPTH) * 256;
}

bool iso__space_ray_enter_heights(const iso__space_ray *ray, const iso__space_collider *field, int64_t *s,
                                  int32_t normal[3]) {
    heights_ray is = {.ray = *ray, .heights = &field->heights, .first = INT64_MAX};
    const iso__space_heights *h = is.heights;
    iso__space_heights_to_field(field, ray->origin, is.ray.origin);
    iso__rotate3_wide_inverse(field->rotation, ray->direction, is.ray.direction);
    normal[0] = normal[1] = normal[2] = 0;
    *s = 0;
    if (ray_begins_below(&is)) {
        return true;
    }
    const int64_t reach = is.ray.reach;
    for (int64_t column = 0; column < h->columns - 1 && is.ray.length > 0; ++column) {
        int64_t part[2] = {0, reach};
        iso__space_ray_clip(&is.ray, 0, column * iso__space_heights_wide_cell(h) - SIDE_SLACK,
                            (column + 1) * iso__space_heights_wide_cell(h) + SIDE_SLACK, part);
        if (part[0] <= part[1]) {
            ray_try_column(&is, column, part);
        }
    }
    *s = is.first;
    iso__space_ops_turn_unit(field->rotation, is.normal, normal);
    return is.first != INT64_MAX;
}
