/// The cells of a field of heights that a ball on a straight way comes near.
#ifndef ISO_SPACE_COLLIDE_CELLS_H
#define ISO_SPACE_COLLIDE_CELLS_H

#include "space/collide/ray.h"

typedef struct iso__space_cells {
    const iso__space_heights *heights;
    iso__space_ray way;    // of the ball's middle, in the field's frame
    int64_t reach;         // [m] Q31.32: of the ball
    int64_t limit;         // [m] Q31.32 along the way, up to its reach: what is met later is of no use
    int64_t next_column;   // how many columns are done
    int64_t row, last_row; // the next one, and the last one, of the column at hand
    int64_t column;        // at hand
    int64_t over[2];       // [m] Q31.32: the part of the way that is over this column
} iso__space_cells;

/// One of the cells.
typedef struct iso__space_cell {
    int64_t column, row;
    int64_t from; // [m] Q31.32 along the way: before, the ball is not near the box of the cell's ground
} iso__space_cell;

/// @param way    from the centre of the field's body, in the world's orientation
/// @param reach  [m] Q31.32: the ball's radius, and what else counts as near
void iso__space_cells_init(iso__space_cells *is, const iso__space_collider *field, const iso__space_ray *way,
                           int64_t reach);

/// The next cell, column by column in the way's direction. @return false at the end
bool iso__space_cells_next(iso__space_cells *is, iso__space_cell *cell);

#endif
