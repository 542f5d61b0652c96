#ifndef ISO_COLLIDE3_MANIFOLD3_REDUCE_H
#define ISO_COLLIDE3_MANIFOLD3_REDUCE_H

#include "collide3/manifold3.h"

/// Chooses the points that a manifold keeps.
///
/// @param points  [m] Q.24 below 512 m: two coordinates along the reference face, and the separation
/// @param kept    out: their numbers, ascending
/// @return how many: all when there are no more than four; else four, or less when the others are on a line with these
uint32_t iso__manifold3_reduce(const int64_t (*points)[3], uint32_t count, int64_t slop,
                               uint8_t kept[ISO__MANIFOLD3_POINTS]);

#endif
