/// See closest_heights.h.
///
/// In the field's frame. First the triangles of the cell that the point is over, or is nearest to; then those of all
/// cells that may be nearer. A triangle has the foot of the point on its plane, or else one of its edges is nearest.
/// Sides and floor need only be looked at where the point's foot is on them: where it is not, an edge of the surface is
/// as near, or another one of them.
#include "space/collide/closest_heights.h"

#include "space/collide/heights.h"

/// What is the nearest so far, [m] Q31.32 in the field's frame.
typedef struct nearest3_heights {
    const iso__space_heights *h;
    int64_t p[3];
    int64_t distance;
    int64_t point[3];
    int32_t normal[3]; // out of the ground, of the face that has the point; for where both points are one
} nearest3_heights;

static void nearest_take(nearest3_heights *is, int64_t distance, const int64_t point[3], const int32_t normal[3]) {
    if (distance < is->distance) {
        is->distance = distance;
        for (int i = 0; i < 3; ++i) {
            is->point[i] = point[i];
            is->normal[i] = normal[i];
        }
    }
}

static void nearest_try_point(nearest3_heights *is, const int64_t point[3], const int32_t normal[3]) {
    int64_t way[3];
    iso__space_ops_sub(is->p, point, way);
    nearest_take(is, iso__length3(way), point, normal);
}

static void corner_make(const iso__space_heights *h, int64_t column, int64_t row, int64_t corner[3]) {
    corner[0] = column * iso__space_heights_wide_cell(h);
    corner[1] = iso__space_heights_height(h, column, row) * 256;
    corner[2] = row * iso__space_heights_wide_cell(h);
}

/// Whether a place is over a half of a cell.
static bool half_is_below(const iso__space_heights *h, int64_t column, int64_t row, uint32_t half,
                          const int64_t place[3]) {
    const int64_t cell = iso__space_heights_wide_cell(h), x = place[0] - column * cell, z = place[2] - row * cell;
    return x >= 0 && z >= 0 && x <= cell && z <= cell && (half == 0 ? x >= z : z >= x);
}

static void nearest_try_triangle(nearest3_heights *is, int64_t column, int64_t row, uint32_t half) {
    int32_t normal[3];
    int64_t corners[3][3], d[3], foot[3];
    corner_make(is->h, column, row, corners[0]);
    corner_make(is->h, column + 1, row + 1, corners[1]);
    corner_make(is->h, half == 0 ? column + 1 : column, half == 0 ? row : row + 1, corners[2]);
    iso__space_heights_normal(is->h, column, row, half, normal);
    iso__space_ops_sub(is->p, corners[0], d);
    const int64_t height = iso__space_piece_along(normal, d);
    for (int i = 0; i < 3; ++i) {
        foot[i] = is->p[i] - iso__mul_shift(normal[i], height, ISO__UNIT_FRACTION);
    }
    if (half_is_below(is->h, column, row, half, foot)) {
        nearest_take(is, height < 0 ? -height : height, foot, normal);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        int64_t point[3];
        iso__space_piece_nearest(corners[i], corners[i == 2 ? 0 : i + 1], is->p, point);
        nearest_try_point(is, point, normal);
    }
}

/// No point of the cell's triangles is nearer: how far its box is, along the axis along which it is farthest.
static int64_t cell_distance(const nearest3_heights *is, int64_t column, int64_t row) {
    const int64_t cell = iso__space_heights_wide_cell(is->h);
    int64_t low[3] = {column * cell, INT64_MAX, row * cell}, high[3] = {low[0] + cell, INT64_MIN, low[2] + cell};
    for (int i = 0; i < 4; ++i) {
        const int64_t y = iso__space_heights_height(is->h, column + (i & 1), row + (i >> 1)) * 256;
        low[1] = iso__min64(low[1], y);
        high[1] = iso__max64(high[1], y);
    }
    int64_t farthest = 0;
    for (int i = 0; i < 3; ++i) {
        farthest = iso__max64(farthest, iso__max64(low[i] - is->p[i], is->p[i] - high[i]));
    }
    return farthest;
}

static void nearest_try_cell(nearest3_heights *is, int64_t column, int64_t row) {
    if (cell_distance(is, column, row) < is->distance) {
        nearest_try_triangle(is, column, row, 0);
        nearest_try_triangle(is, column, row, 1);
    }
}

/// The cell below a place of the field, or at its border the nearest one.
static void cell_below(const iso__space_heights *h, const int64_t place[3], int64_t cell[2]) {
    cell[0] = iso__clamp64(iso__space_heights_wide_cell_at(h, place[0]), 0, h->columns - 2);
    cell[1] = iso__clamp64(iso__space_heights_wide_cell_at(h, place[2]), 0, h->rows - 2);
}

/// How far a place is over the surface, along y; the place is over the field.
static int64_t surface_below(const iso__space_heights *h, const int64_t place[3]) {
    int64_t cell[2], corner[3];
    int32_t n[3];
    cell_below(h, place, cell);
    corner_make(h, cell[0], cell[1], corner);
    const int64_t x = place[0] - corner[0], z = place[2] - corner[2];
    iso__space_heights_normal(h, cell[0], cell[1], x >= z ? 0 : 1, n);
    return iso__space_piece_along(n, (const int64_t[3]){x, place[1] - corner[1], z});
}

static void nearest_try_surface(nearest3_heights *is) {
    const iso__space_heights *h = is->h;
    int64_t cell[2];
    cell_below(h, is->p, cell);
    nearest_try_cell(is, cell[0], cell[1]);
    const int64_t reach = iso__min64(is->distance, ISO_WIDE_ONE << 20); // of anything: 2^20 m
    const int64_t first = iso__max64(iso__space_heights_wide_cell_at(h, is->p[0] - reach), 0);
    const int64_t last = iso__min64(iso__space_heights_wide_cell_at(h, is->p[0] + reach), h->columns - 2);
    const int64_t last_row = iso__min64(iso__space_heights_wide_cell_at(h, is->p[2] + reach), h->rows - 2);
    for (int64_t row = iso__max64(iso__space_heights_wide_cell_at(h, is->p[2] - reach), 0); row <= last_row; ++row) {
        for (int64_t column = first; column <= last; ++column) {
            nearest_try_cell(is, column, row);
        }
    }
}

/// The floor, and the sides, each where it is nearest as if it went up for ever.
static void nearest_try_rest(nearest3_heights *is, const int64_t size[3]) {
    const int64_t floor = iso__space_heights_floor(is->h) * 256;
    int64_t clamped[3];
    for (int i = 0; i < 3; ++i) {
        clamped[i] = i == 1 ? floor : iso__clamp64(is->p[i], 0, size[i]);
    }
    nearest_try_point(is, clamped, (const int32_t[3]){0, -ISO__UNIT_ONE, 0});
    clamped[1] = iso__max64(is->p[1], floor);
    for (int side = 0; side < 4; ++side) {
        const int axis = side < 2 ? 0 : 2;
        const bool is_far = side % 2 != 0;
        int64_t point[3] = {clamped[0], clamped[1], clamped[2]};
        int32_t normal[3] = {0, 0, 0};
        point[axis] = is_far ? size[axis] : 0;
        normal[axis] = is_far ? ISO__UNIT_ONE : -ISO__UNIT_ONE;
        if (surface_below(is->h, point) <= 0) {
            nearest_try_point(is, point, normal);
        }
    }
}

static bool ground_contains(const nearest3_heights *is, const int64_t size[3]) {
    return is->p[0] >= 0 && is->p[0] <= size[0] && is->p[2] >= 0 && is->p[2] <= size[2] &&
           is->p[1] >= iso__space_heights_floor(is->h) * 256 && surface_below(is->h, is->p) <= 0;
}

bool iso__space_heights_closest(const iso__space_collider *field, const int64_t p[3], int64_t reach,
                                iso__space_piece_point *closest) {
    const iso__space_heights *h = &field->heights;
    const int64_t cell = iso__space_heights_wide_cell(h), size[3] = {cell * (h->columns - 1), 0, cell * (h->rows - 1)};
    nearest3_heights is = {.h = h};
    iso__space_heights_to_field(field, p, is.p);
    const bool is_inside = ground_contains(&is, size);
    is.distance = is_inside || reach == INT64_MAX ? INT64_MAX : reach + 1;
    nearest_try_rest(&is, size);
    nearest_try_surface(&is);
    int64_t way[3];
    iso__space_ops_sub(is_inside ? is.point : is.p, is_inside ? is.p : is.point, way);
    if (is.distance >= ISO__SPACE_PIECE_NOISE) { // else the face's normal is the better one
        iso__normalize3(way, is.normal);
    }
    iso__space_heights_to_body(field, is.point, closest->point);
    iso__space_ops_turn_unit(field->rotation, is.normal, closest->normal);
    closest->distance = is_inside ? -is.distance : is.distance;
    return is_inside || is.distance <= reach;
}
