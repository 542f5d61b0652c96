/// Where a piece that goes straight, without turning, first touches another.
#ifndef ISO_COLLIDE3_CAST3_H
#define ISO_COLLIDE3_CAST3_H

#include "collide3/ray3.h"

/// A shape on its way, and what may be in its way.
typedef struct iso__cast3 {
    const iso__collider3 *moving, *still; // the first is no half-space
    const iso__piece3 *piece;             // the second one's, about its body's centre of mass
    iso__ray3 way;                        // of the first one's body, from the second one's
    int64_t moving_extent, still_extent;  // [m] Q31.32: no point is farther from its body's centre of mass
} iso__cast3;

typedef struct iso__cast3_hit {
    int64_t s;         // [m] Q31.32 along the way
    int64_t point[3];  // [m] Q31.32: where they touch, from the centre of mass of what is still
    int32_t normal[3]; // Q2.30, out of what is still; zero: they overlapped from the beginning
} iso__cast3_hit;

/// @return false: they do not touch on the way
bool iso__cast3_find(const iso__cast3 *cast, iso__cast3_hit *hit);

#endif
