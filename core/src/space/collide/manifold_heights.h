/// Manifolds with fields of heights.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_HEIGHTS_H
#define ISO_SPACE_COLLIDE_MANIFOLD_HEIGHTS_H

#include "space/collide/manifold.h"

/// Collides a piece with a field of heights. One of both is the field, the other one is no ground.
///
/// @param a, b, offset  as for iso__space_manifold_make; the offset may be anything that two places of a world give
/// @param manifolds     out: the deepest first; each has a normal of its own
/// @return how many, 0 to ISO__SPACE_MANIFOLD_CHILDREN
uint32_t iso__space_manifold_heights(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                     const iso__space_collider *b, const int64_t offset[3],
                                     iso__space_manifold *manifolds);

#endif
