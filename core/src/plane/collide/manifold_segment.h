/// Manifolds with a segment, in A's frame: separations, normal and points (as anchors of A).
#ifndef ISO_PLANE_COLLIDE_MANIFOLD_SEGMENT_H
#define ISO_PLANE_COLLIDE_MANIFOLD_SEGMENT_H

#include "plane/collide/manifold.h"

/// @param a  a segment: two vertices, the normals of its two sides, then those of its neighbours
/// @param b  a circle, capsule or polygon
void iso__plane_manifold_segment(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                 const iso__plane_convex *b, iso__plane_manifold *manifold);

#endif
