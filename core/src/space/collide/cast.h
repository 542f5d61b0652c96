/// Where a piece that goes straight, without turning, first touches another.
#ifndef ISO_SPACE_COLLIDE_CAST_H
#define ISO_SPACE_COLLIDE_CAST_H

#include "space/collide/ray.h"

/// A shape on its way, and what may be in its way.
typedef struct iso__space_cast {
    const iso__space_collider *moving, *still; // the first is no half-space
    const iso__space_piece *piece;             // the second one's, about its body's centre of mass
    iso__space_ray way;                        // of the first one's body, from the second one's
    int64_t moving_extent, still_extent;       // [m] Q31.32: no point is farther from its body's centre of mass
} iso__space_cast;

typedef struct iso__space_cast_hit {
    int64_t s;         // [m] Q31.32 along the way
    int64_t point[3];  // [m] Q31.32: where they touch, from the centre of mass of what is still
    int32_t normal[3]; // Q2.30, out of what is still; zero: they overlapped from the beginning
} iso__space_cast_hit;

/// @return false: they do not touch on the way
bool iso__space_cast_find(const iso__space_cast *cast, iso__space_cast_hit *hit);

#endif
