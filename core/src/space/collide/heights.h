/// A field of heights as pairs see it: a grid of samples, each cell of which has two triangles.
///
/// The field's frame is that of its body, with the first sample's column at x = z = 0 and heights along y. Half 0 of a
/// cell has its corners (0, 0), (1, 0), (1, 1), half 1 the corners (0, 0), (1, 1), (0, 1), given in columns and rows.
#ifndef ISO_SPACE_COLLIDE_HEIGHTS_H
#define ISO_SPACE_COLLIDE_HEIGHTS_H

#include "math/vec3.h"
#include "space/collide/manifold.h"
#include "space/collide/vec_ops.h"

/// The edges that begin at a sample: to the next column, to the next row, and to both.
typedef enum iso__space_heights_edge {
    ISO__SPACE_HEIGHTS_ALONG_X,
    ISO__SPACE_HEIGHTS_ALONG_Z,
    ISO__SPACE_HEIGHTS_DIAGONAL,
    ISO__SPACE_HEIGHTS_EDGES
} iso__space_heights_edge;

static inline int32_t iso__space_heights_sample(const iso__space_heights *heights, int64_t column, int64_t row) {
    return heights->samples[row * heights->columns + column];
}

/// [m] Q.24, below 2^35.
static inline int64_t iso__space_heights_height(const iso__space_heights *heights, int64_t column, int64_t row) {
    return (int64_t)iso__space_heights_sample(heights, column, row) * heights->scale;
}

static inline bool iso__space_heights_has_sample(const iso__space_heights *heights, int64_t column, int64_t row) {
    return column >= 0 && column < heights->columns && row >= 0 && row < heights->rows;
}

/// Whether there is the cell whose first corner is this sample.
static inline bool iso__space_heights_has_cell(const iso__space_heights *heights, int64_t column, int64_t row) {
    return column >= 0 && column < heights->columns - 1 && row >= 0 && row < heights->rows - 1;
}

/// The cell's number that a coordinate is in, which may be outside of the field.
static inline int64_t iso__space_heights_cell_at(const iso__space_heights *heights, int64_t at) {
    return at >= 0 ? at / heights->cell : -((heights->cell - 1 - at) / heights->cell);
}

/// The cell's side, [m] Q31.32.
static inline int64_t iso__space_heights_wide_cell(const iso__space_heights *heights) {
    return (int64_t)heights->cell * 256;
}

/// iso__space_heights_cell_at of a coordinate in Q31.32.
static inline int64_t iso__space_heights_wide_cell_at(const iso__space_heights *heights, int64_t at) {
    const int64_t cell = iso__space_heights_wide_cell(heights);
    return at >= 0 ? at / cell : -((cell - 1 - at) / cell);
}

/// [m] Q.24: where the ground ends below.
static inline int64_t iso__space_heights_floor(const iso__space_heights *heights) {
    return (int64_t)heights->low * heights->scale - ISO__SPACE_HEIGHTS_DEPTH;
}

/// Where the field's frame begins in its body's, [m] Q.24.
static inline void iso__space_heights_begin(const iso__space_collider *field, int64_t begin[3]) {
    const iso__space_heights *h = &field->heights;
    begin[0] = field->centre[0] - (int64_t)h->cell * (h->columns - 1) / 2;
    begin[1] = field->centre[1];
    begin[2] = field->centre[2] - (int64_t)h->cell * (h->rows - 1) / 2;
}

/// A place from the centre of the field's body, in the world's orientation, as one of the field's frame; [m] Q31.32.
static inline void iso__space_heights_to_field(const iso__space_collider *field, const int64_t place[3],
                                               int64_t out[3]) {
    int64_t begin[3];
    iso__space_heights_begin(field, begin);
    iso__rotate3_wide_inverse(field->rotation, place, out);
    for (int i = 0; i < 3; ++i) {
        out[i] -= begin[i] * 256;
    }
}

/// The way back.
static inline void iso__space_heights_to_body(const iso__space_collider *field, const int64_t place[3],
                                              int64_t out[3]) {
    int64_t begin[3], from[3];
    iso__space_heights_begin(field, begin);
    for (int i = 0; i < 3; ++i) {
        from[i] = place[i] + begin[i] * 256;
    }
    iso__rotate3_wide(field->rotation, from, out);
}

/// The normal of half of a cell, out of the ground.
static inline void iso__space_heights_normal(const iso__space_heights *h, int64_t column, int64_t row, uint32_t half,
                                             int32_t normal[3]) {
    const int64_t first = iso__space_heights_height(h, column, row),
                  last = iso__space_heights_height(h, column + 1, row + 1);
    const int64_t side = iso__space_heights_height(h, half == 0 ? column + 1 : column, half == 0 ? row : row + 1);
    const int64_t along_x = half == 0 ? side - first : last - side, along_z = half == 0 ? last - side : side - first;
    iso__space_ops_normalize((const int64_t[3]){-along_x, h->cell, -along_z}, normal);
}

/// How an edge bends, exactly: positive for a ridge, negative for a valley, 0 where both triangles are in one plane. An
/// edge of the border is a ridge.
static inline int32_t iso__space_heights_bend(const iso__space_heights *h, int64_t column, int64_t row,
                                              iso__space_heights_edge edge) {
    const int64_t next_column = column + (edge != ISO__SPACE_HEIGHTS_ALONG_Z),
                  next_row = row + (edge != ISO__SPACE_HEIGHTS_ALONG_X);
    // The corners of both triangles that are across the edge.
    const int64_t first_column = column + 1, first_row = row + (edge != ISO__SPACE_HEIGHTS_DIAGONAL);
    const int64_t second_column = column - (edge == ISO__SPACE_HEIGHTS_ALONG_Z);
    const int64_t second_row =
        edge == ISO__SPACE_HEIGHTS_DIAGONAL ? row + 1 : row - (edge == ISO__SPACE_HEIGHTS_ALONG_X);
    if (!iso__space_heights_has_sample(h, first_column, first_row) ||
        !iso__space_heights_has_sample(h, second_column, second_row)) {
        return 1;
    }
    return iso__space_heights_sample(h, column, row) + iso__space_heights_sample(h, next_column, next_row) -
           iso__space_heights_sample(h, first_column, first_row) -
           iso__space_heights_sample(h, second_column, second_row);
}

#endif
