/// The point of a piece that is nearest to another point.
#ifndef ISO_SPACE_COLLIDE_CLOSEST_H
#define ISO_SPACE_COLLIDE_CLOSEST_H

#include "space/collide/piece.h"

/// [m] Q31.32: below this, a direction between two points counts as lost to rounding.
#define ISO__SPACE_PIECE_NOISE 256

typedef struct iso__space_piece_point {
    int64_t distance; // [m] Q31.32 from the border, negative inside
    int64_t point[3]; // [m] Q31.32, of the border
    int32_t normal[3];
} iso__space_piece_point;

void iso__space_piece_closest(const iso__space_piece *piece, const int64_t p[3], iso__space_piece_point *closest);

#endif
