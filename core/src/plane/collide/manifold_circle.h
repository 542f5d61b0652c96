/// Manifolds with a circle, in A's frame: separations, normal and points (as anchors of A). A capsule counts
/// as a polygon of two vertices, whose faces are the two sides of its segment.
#ifndef ISO_PLANE_COLLIDE_MANIFOLD_CIRCLE_H
#define ISO_PLANE_COLLIDE_MANIFOLD_CIRCLE_H

#include "plane/collide/manifold.h"

void iso__plane_manifold_circle_circle(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                       const iso__plane_convex *b, iso__plane_manifold *manifold);
void iso__plane_manifold_polygon_circle(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                        const iso__plane_convex *b, iso__plane_manifold *manifold);

#endif
