/// Manifolds with a circle, in A's frame: separations, normal and points (as anchors of A). A capsule counts
/// as a polygon of two vertices, whose faces are the two sides of its segment.
#ifndef ISO_COLLIDE_MANIFOLD_CIRCLE_H
#define ISO_COLLIDE_MANIFOLD_CIRCLE_H

#include "collide/manifold.h"

void iso__manifold_circle_circle(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                 iso__manifold *manifold);
void iso__manifold_polygon_circle(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                  iso__manifold *manifold);

#endif
