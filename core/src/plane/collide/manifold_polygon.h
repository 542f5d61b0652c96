/// Manifolds of two polygons, in A's frame: separations, normal and points (as anchors of A). A capsule counts
/// as a polygon of two vertices, whose faces are the two sides of its segment.
#ifndef ISO_PLANE_COLLIDE_MANIFOLD_POLYGON_H
#define ISO_PLANE_COLLIDE_MANIFOLD_POLYGON_H

#include "plane/collide/manifold.h"

void iso__plane_manifold_polygon_polygon(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                         const iso__plane_convex *b, iso__plane_manifold *manifold);

/// Collides along the normal of a face of `a`, with what of `b` lies over that face.
void iso__plane_manifold_polygon_over_face(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                           uint32_t face, const iso__plane_convex *b, iso__plane_manifold *manifold);

#endif
