/// See prism.h.
///
/// Ranges: from a triangle's first corner its others are within 16 m along x and z and 120 m along y, a metre more for
/// the bottom of the hull: coordinates fit Q7.24. The floor may be 4 km lower, which only the piece has.
#include "space/collide/prism.h"

#include "space/collide/heights.h"

#define PRISM3_DIAGONAL 759250125 // Q2.30: the root of 1/2
#define PRISM3_BOTTOM   (1 << 24) // [m] Q.24
#define CORNERS         3

/// Corners 0 to 2 are the triangle's, counterclockwise from above, 3 to 5 are below them.
static const iso__space_hull PRISM3_TOPOLOGY = {
    .edges = {{0, 1, 0, 2},
              {0, 2, 4, 0},
              {0, 3, 2, 4},
              {1, 2, 0, 3},
              {1, 4, 3, 2},
              {2, 5, 4, 3},
              {3, 4, 2, 1},
              {3, 5, 1, 4},
              {4, 5, 3, 1}},
    .first = {0, 3, 6, 10, 14, 18},
    .ring = {0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 0, 2, 5, 3},
    .ring_edge = {0, 3, 1, 7, 8, 6, 2, 6, 4, 0, 4, 8, 5, 3, 1, 5, 7, 2},
    .vertex_count = 2 * CORNERS,
    .face_count = 5,
    .edge_count = 9,
};

/// By half of the cell: where the corners are, in columns and rows; the sides' normals along x and z, of which diagonal
/// ones have both; where the prism beside a side is, and which half of its cell.
static const struct {
    int8_t corners[CORNERS][2], normals[CORNERS][2], beside[CORNERS][2];
} PRISM3_HALVES[2] = {
    {{{0, 0}, {1, 1}, {1, 0}}, {{-1, 1}, {1, 0}, {0, -1}}, {{0, 0}, {1, 0}, {0, -1}}},
    {{{0, 0}, {0, 1}, {1, 1}}, {{-1, 0}, {0, 1}, {1, -1}}, {{-1, 0}, {0, 1}, {0, 0}}},
};

static void prism_set_corners(const iso__space_heights *h, int64_t column, int64_t row, uint32_t half,
                              iso__space_hull *hull) {
    const int64_t from = iso__space_heights_height(h, column, row);
    int64_t lowest = 0;
    for (int i = 0; i < CORNERS; ++i) {
        const int8_t *corner = PRISM3_HALVES[half].corners[i];
        const int64_t y = iso__space_heights_height(h, column + corner[0], row + corner[1]) - from;
        for (int below = 0; below < 2; ++below) {
            hull->vertices[i + CORNERS * below][0] = corner[0] * h->cell;
            hull->vertices[i + CORNERS * below][1] = (int32_t)y;
            hull->vertices[i + CORNERS * below][2] = corner[1] * h->cell;
        }
        lowest = iso__min64(lowest, y);
    }
    for (int i = 0; i < CORNERS; ++i) {
        hull->vertices[CORNERS + i][1] = (int32_t)(lowest - PRISM3_BOTTOM);
    }
}

static void prism_set_normals(const iso__space_heights *h, int64_t column, int64_t row, uint32_t half,
                              iso__space_hull *hull) {
    iso__space_heights_normal(h, column, row, half, hull->normals[ISO__SPACE_PRISM_TOP]);
    hull->normals[ISO__SPACE_PRISM_FLOOR][1] = -ISO__UNIT_ONE;
    for (int i = 0; i < CORNERS; ++i) {
        const int8_t *normal = PRISM3_HALVES[half].normals[i];
        const int32_t size = normal[0] != 0 && normal[1] != 0 ? PRISM3_DIAGONAL : ISO__UNIT_ONE;
        hull->normals[ISO__SPACE_PRISM_SIDES + i][0] = normal[0] * size;
        hull->normals[ISO__SPACE_PRISM_SIDES + i][2] = normal[1] * size;
    }
}

static void prism_set_hull(const iso__space_heights *h, int64_t column, int64_t row, uint32_t half,
                           iso__space_hull *hull) {
    *hull = PRISM3_TOPOLOGY;
    prism_set_corners(h, column, row, half, hull);
    prism_set_normals(h, column, row, half, hull);
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        hull->offsets[f] = INT64_MIN;
        for (uint32_t i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            const int32_t *v = hull->vertices[hull->ring[i]];
            hull->offsets[f] = iso__max64(hull->offsets[f], iso__dot3(hull->normals[f], v));
        }
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        const int32_t *a = hull->vertices[hull->edges[e][0]], *b = hull->vertices[hull->edges[e][1]];
        const int64_t way[3] = {(int64_t)b[0] - a[0], (int64_t)b[1] - a[1], (int64_t)b[2] - a[2]};
        iso__space_ops_normalize(way, hull->directions[e]);
    }
}

/// The piece goes on below the hull.
static void prism_set_floor(const iso__space_collider *field, int64_t bottom, iso__space_prism *prism) {
    iso__space_piece *piece = &prism->piece;
    int64_t deeper[3];
    const int64_t by[3] = {0, (iso__space_heights_floor(&field->heights) - bottom) * 256, 0};
    iso__rotate3_wide(field->rotation, by, deeper);
    int64_t *offset = &piece->offsets[ISO__SPACE_PRISM_FLOOR];
    *offset = INT64_MIN;
    for (int i = CORNERS; i < 2 * CORNERS; ++i) {
        for (int k = 0; k < 3; ++k) {
            piece->vertices[i][k] += deeper[k];
        }
        *offset =
            iso__max64(*offset, iso__space_piece_along(piece->normals[ISO__SPACE_PRISM_FLOOR], piece->vertices[i]));
    }
}

void iso__space_prism_make(const iso__space_collider *field, int64_t column, int64_t row, uint32_t half,
                           iso__space_prism *prism) {
    static const int64_t origin[3] = {0, 0, 0};
    const iso__space_heights *h = &field->heights;
    const int64_t y = iso__space_heights_height(h, column, row);
    prism_set_hull(h, column, row, half, &prism->hull);
    prism->collider = (iso__space_collider){.kind = ISO__SPACE_COLLIDER_HULL, .hull = &prism->hull};
    for (int i = 0; i < 9; ++i) {
        prism->collider.rotation[i] = field->rotation[i];
    }
    iso__space_piece_make(&prism->collider, origin, &prism->piece);
    prism_set_floor(field, y + prism->hull.vertices[CORNERS][1], prism);
    const int64_t corner[3] = {column * iso__space_heights_wide_cell(h), y * 256,
                               row * iso__space_heights_wide_cell(h)};
    iso__space_heights_to_body(field, corner, prism->at);
    prism->inner = 0;
    for (int i = 0; i < CORNERS; ++i) {
        const int8_t *beside = PRISM3_HALVES[half].beside[i];
        const bool is_inner = iso__space_heights_has_cell(h, column + beside[0], row + beside[1]);
        prism->inner |= (uint8_t)(is_inner ? 1u << i : 0u);
    }
}
