/// Manifolds of spheres and capsules.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_ROUND_H
#define ISO_SPACE_COLLIDE_MANIFOLD_ROUND_H

#include "space/collide/manifold.h"

/// Spheres and capsules against each other.
void iso__space_manifold_round(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                               const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold);

#endif
