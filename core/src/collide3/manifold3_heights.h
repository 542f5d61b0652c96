#ifndef ISO_COLLIDE3_MANIFOLD3_HEIGHTS_H
#define ISO_COLLIDE3_MANIFOLD3_HEIGHTS_H

#include "collide3/manifold3.h"

#define ISO__MANIFOLD3_CHILDREN 4

/// Collides a piece with a field of heights. One of both is the field, the other one is no ground.
///
/// @param a, b, offset  as for iso__manifold3_make; the offset may be anything that two places of a world give
/// @param manifolds     out: the deepest first; each has a normal of its own
/// @return how many, 0 to ISO__MANIFOLD3_CHILDREN
uint32_t iso__manifold3_heights(const iso__manifold3_settings *settings, const iso__collider3 *a,
                                const iso__collider3 *b, const int64_t offset[3], iso__manifold3 *manifolds);

#endif
