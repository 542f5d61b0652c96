/// The cells of a field of heights that a ball on a straight way comes near.
#ifndef ISO_COLLIDE3_CELLS3_H
#define ISO_COLLIDE3_CELLS3_H

#include "collide3/ray3.h"

typedef struct iso__cells3 {
    const iso__heights3 *heights;
    iso__ray3 way;         // of the ball's middle, in the field's frame
    int64_t reach;         // [m] Q31.32: of the ball
    int64_t limit;         // [m] Q31.32 along the way, up to its reach: what is met later is of no use
    int64_t next_column;   // how many columns are done
    int64_t row, last_row; // the next one, and the last one, of the column at hand
    int64_t column;        // at hand
    int64_t over[2];       // [m] Q31.32: the part of the way that is over this column
} iso__cells3;

/// One of the cells.
typedef struct iso__cell3 {
    int64_t column, row;
    int64_t from; // [m] Q31.32 along the way: before, the ball is not near the box of the cell's ground
} iso__cell3;

/// @param way    from the centre of the field's body, in the world's orientation
/// @param reach  [m] Q31.32: the ball's radius, and what else counts as near
void iso__cells3_init(iso__cells3 *is, const iso__collider3 *field, const iso__ray3 *way, int64_t reach);

/// The next cell, column by column in the way's direction. @return false at the end
bool iso__cells3_next(iso__cells3 *is, iso__cell3 *cell);

#endif
