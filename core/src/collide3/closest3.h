/// The point of a piece that is nearest to another point.
#ifndef ISO_COLLIDE3_CLOSEST3_H
#define ISO_COLLIDE3_CLOSEST3_H

#include "collide3/piece3.h"

/// [m] Q31.32: below this, a direction between two points counts as lost to rounding.
#define ISO__PIECE3_NOISE 256

typedef struct iso__piece3_point {
    int64_t distance; // [m] Q31.32 from the border, negative inside
    int64_t point[3]; // [m] Q31.32, of the border
    int32_t normal[3];
} iso__piece3_point;

void iso__piece3_closest(const iso__piece3 *piece, const int64_t p[3], iso__piece3_point *closest);

#endif
