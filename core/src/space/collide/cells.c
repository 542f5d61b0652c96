/// See cells.h.
#include "space/collide/cells.h"

#include "space/collide/heights.h"

void iso__space_cells_init(iso__space_cells *is, const iso__space_collider *field, const iso__space_ray *way,
                           int64_t reach) {
    *is = (iso__space_cells){
        .heights = &field->heights, .way = *way, .reach = reach, .limit = way->reach, .last_row = -1};
    iso__space_heights_to_field(field, way->origin, is->way.origin);
    iso__rotate3_wide_inverse(field->rotation, way->direction, is->way.direction);
}

/// Takes the next column, whose rows may be none. @return false at the end
static bool cells_take_column(iso__space_cells *is) {
    const int64_t columns = is->heights->columns - 1, cell = iso__space_heights_wide_cell(is->heights);
    if (is->next_column == columns) {
        return false;
    }
    is->column = is->way.direction[0] < 0 ? columns - 1 - is->next_column : is->next_column;
    ++is->next_column;
    is->row = 0;
    is->last_row = -1;
    is->over[0] = 0;
    is->over[1] = is->limit;
    iso__space_ray_clip(&is->way, 0, is->column * cell - is->reach, (is->column + 1) * cell + is->reach, is->over);
    if (is->over[0] <= is->over[1]) {
        int64_t begin[3], end[3];
        iso__space_ray_point(&is->way, is->over[0], begin);
        iso__space_ray_point(&is->way, is->over[1], end);
        const int64_t low = iso__min64(begin[2], end[2]) - is->reach, high = iso__max64(begin[2], end[2]) + is->reach;
        is->row = iso__max64(iso__space_heights_wide_cell_at(is->heights, low), 0);
        is->last_row = iso__min64(iso__space_heights_wide_cell_at(is->heights, high), is->heights->rows - 2);
    }
    return true;
}

/// Where the ball comes near the box of a cell's ground. @return false: it does not, or too late
static bool cell_begin(const iso__space_cells *is, iso__space_cell *at) {
    const iso__space_heights *h = is->heights;
    const int64_t cell = iso__space_heights_wide_cell(h);
    int64_t part[2] = {is->over[0], iso__min64(is->over[1], is->limit)}, highest = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        highest = iso__max64(highest, iso__space_heights_height(h, at->column + (i & 1), at->row + (i >> 1)) * 256);
    }
    if (part[0] <= part[1]) {
        iso__space_ray_clip(&is->way, 2, at->row * cell - is->reach, (at->row + 1) * cell + is->reach, part);
    }
    if (part[0] <= part[1]) {
        iso__space_ray_clip(&is->way, 1, iso__space_heights_floor(h) * 256 - is->reach, highest + is->reach, part);
    }
    at->from = part[0];
    return part[0] <= part[1];
}

bool iso__space_cells_next(iso__space_cells *is, iso__space_cell *cell) {
    for (;;) {
        while (is->row <= is->last_row) {
            *cell = (iso__space_cell){.column = is->column, .row = is->row++};
            if (cell_begin(is, cell)) {
                return true;
            }
        }
        if (!cells_take_column(is)) {
            return false;
        }
    }
}
