/// Manifolds of boxes and hulls with hulls.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_HULL_H
#define ISO_SPACE_COLLIDE_MANIFOLD_HULL_H

#include "space/collide/manifold.h"

/// A box or a hull, shape A, against a hull. Two hulls in the other order make the mirror image under the rule of
/// boxes.
void iso__space_manifold_hull(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                              const iso__space_collider *hull, const int64_t offset[3], iso__space_manifold *manifold);

#endif
