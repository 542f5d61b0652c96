/// Manifolds of two polygons, in A's frame: separations, normal and points (as anchors of A). A capsule counts
/// as a polygon of two vertices, whose faces are the two sides of its segment.
#ifndef ISO_COLLIDE_MANIFOLD_POLYGON_H
#define ISO_COLLIDE_MANIFOLD_POLYGON_H

#include "collide/manifold.h"

void iso__manifold_polygon_polygon(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                   iso__manifold *manifold);

/// Collides along the normal of a face of `a`, with what of `b` lies over that face.
void iso__manifold_polygon_over_face(const iso__manifold_settings *settings, const iso__convex *a, uint32_t face,
                                     const iso__convex *b, iso__manifold *manifold);

#endif
