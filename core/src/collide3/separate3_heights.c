/// See separate3_heights.h.
#include "collide3/separate3_heights.h"

#include "collide3/heights3.h"
#include "collide3/prism3.h"
#include "collide3/separate3.h"

#define BOX_SLACK (INT64_C(1) << 16) // [m] Q31.32: what turning into the field's frame may do, 1.5e-5

/// A box around a piece in the field's frame, [m] Q31.32.
typedef struct field_box {
    int64_t low[3], high[3];
} field_box;

static field_box box_of(const iso__piece3 *piece, const iso__collider3 *field) {
    field_box box = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}};
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        int64_t place[3];
        iso__heights3_to_field(field, piece->vertices[i], place);
        for (int k = 0; k < 3; ++k) {
            box.low[k] = iso__min64(box.low[k], place[k] - piece->radius - BOX_SLACK);
            box.high[k] = iso__max64(box.high[k], place[k] + piece->radius + BOX_SLACK);
        }
    }
    return box;
}

/// Whether the ground of a cell comes up to the box.
static bool cell_is_near(const iso__heights3 *h, int64_t column, int64_t row, const field_box *box) {
    int64_t highest = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        highest = iso__max64(highest, iso__heights3_height(h, column + (i & 1), row + (i >> 1)));
    }
    return highest * 256 >= box->low[1];
}

static int64_t prism_separate(const iso__piece3 *piece, const iso__collider3 *field, int64_t column, int64_t row,
                              uint32_t half) {
    iso__prism3 prism;
    iso__piece3 near = *piece;
    int32_t axis[3];
    iso__prism3_make(field, column, row, half, &prism);
    for (uint32_t i = 0; i < near.vertex_count; ++i) {
        iso__ops3_sub(piece->vertices[i], prism.at, near.vertices[i]);
    }
    if (near.solid != NULL) {
        for (uint32_t f = 0; f < near.solid->face_count; ++f) {
            near.offsets[f] -= iso__piece3_along(near.normals[f], prism.at);
        }
    }
    return iso__piece3_separate(&prism.piece, &near, axis);
}

int64_t iso__piece3_separate_heights(const iso__piece3 *piece, const iso__collider3 *field) {
    const iso__heights3 *h = &field->heights;
    const field_box box = box_of(piece, field);
    if (box.high[1] < iso__heights3_floor(h) * 256) {
        return INT64_MAX;
    }
    const int64_t first = iso__max64(iso__heights3_wide_cell_at(h, box.low[0]), 0);
    const int64_t last = iso__min64(iso__heights3_wide_cell_at(h, box.high[0]), h->columns - 2);
    const int64_t last_row = iso__min64(iso__heights3_wide_cell_at(h, box.high[2]), h->rows - 2);
    int64_t deepest = INT64_MAX;
    for (int64_t row = iso__max64(iso__heights3_wide_cell_at(h, box.low[2]), 0); row <= last_row; ++row) {
        for (int64_t column = first; column <= last; ++column) {
            for (uint32_t half = 0; half < 2 && cell_is_near(h, column, row, &box); ++half) {
                deepest = iso__min64(deepest, prism_separate(piece, field, column, row, half));
            }
            if (deepest <= -ISO__HEIGHTS3_DEEPEST) {
                return -ISO__HEIGHTS3_DEEPEST;
            }
        }
    }
    return deepest;
}
