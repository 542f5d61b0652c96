/// Manifolds of spheres and capsules with boxes.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_BOX_ROUND_H
#define ISO_SPACE_COLLIDE_MANIFOLD_BOX_ROUND_H

#include "space/collide/manifold.h"

/// A sphere or a capsule, shape A, against a box.
void iso__space_manifold_box_round(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                   const iso__space_collider *box, const int64_t offset[3],
                                   iso__space_manifold *manifold);

#endif
