/// Manifolds with planes.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_PLANE_H
#define ISO_SPACE_COLLIDE_MANIFOLD_PLANE_H

#include "space/collide/manifold.h"

/// Any shape against a plane, which is `plane`, shape B. Two planes do not touch.
void iso__space_manifold_plane(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                               const iso__space_collider *plane, const int64_t offset[3],
                               iso__space_manifold *manifold);

#endif
