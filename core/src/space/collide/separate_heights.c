/// See separate_heights.h.
#include "space/collide/separate_heights.h"

#include "space/collide/heights.h"
#include "space/collide/prism.h"
#include "space/collide/separate.h"

#define BOX_SLACK (INT64_C(1) << 16) // [m] Q31.32: what turning into the field's frame may do, 1.5e-5

/// A box around a piece in the field's frame, [m] Q31.32.
typedef struct field_box {
    int64_t low[3], high[3];
} field_box;

static field_box box_of(const iso__space_piece *piece, const iso__space_collider *field) {
    field_box box = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}};
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        int64_t place[3];
        iso__space_heights_to_field(field, piece->vertices[i], place);
        for (int k = 0; k < 3; ++k) {
            box.low[k] = iso__min64(box.low[k], place[k] - piece->radius - BOX_SLACK);
            box.high[k] = iso__max64(box.high[k], place[k] + piece->radius + BOX_SLACK);
        }
    }
    return box;
}

/// Whether the ground of a cell comes up to the box.
static bool cell_is_near(const iso__space_heights *h, int64_t column, int64_t row, const field_box *box) {
    int64_t highest = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        highest = iso__max64(highest, iso__space_heights_height(h, column + (i & 1), row + (i >> 1)));
    }
    return highest * 256 >= box->low[1];
}

static int64_t prism_separate(const iso__space_piece *piece, const iso__space_collider *field, int64_t column,
                              int64_t row, uint32_t half) {
    iso__space_prism prism;
    iso__space_piece near = *piece;
    int32_t axis[3];
    iso__space_prism_make(field, column, row, half, &prism);
    for (uint32_t i = 0; i < near.vertex_count; ++i) {
        iso__space_ops_sub(piece->vertices[i], prism.at, near.vertices[i]);
    }
    if (near.solid != NULL) {
        for (uint32_t f = 0; f < near.solid->face_count; ++f) {
            near.offsets[f] -= iso__space_piece_along(near.normals[f], prism.at);
        }
    }
    return iso__space_piece_separate(&prism.piece, &near, axis);
}

int64_t iso__space_piece_separate_heights(const iso__space_piece *piece, const iso__space_collider *field) {
    const iso__space_heights *h = &field->heights;
    const field_box box = box_of(piece, field);
    if (box.high[1] < iso__space_heights_floor(h) * 256) {
        return INT64_MAX;
    }
    const int64_t first = iso__max64(iso__space_heights_wide_cell_at(h, box.low[0]), 0);
    const int64_t last = iso__min64(iso__space_heights_wide_cell_at(h, box.high[0]), h->columns - 2);
    const int64_t last_row = iso__min64(iso__space_heights_wide_cell_at(h, box.high[2]), h->rows - 2);
    int64_t deepest = INT64_MAX;
    for (int64_t row = iso__max64(iso__space_heights_wide_cell_at(h, box.low[2]), 0); row <= last_row; ++row) {
        for (int64_t column = first; column <= last; ++column) {
            for (uint32_t half = 0; half < 2 && cell_is_near(h, column, row, &box); ++half) {
                deepest = iso__min64(deepest, prism_separate(piece, field, column, row, half));
            }
            if (deepest <= -ISO__SPACE_HEIGHTS_DEEPEST) {
                return -ISO__SPACE_HEIGHTS_DEEPEST;
            }
        }
    }
    return deepest;
}
