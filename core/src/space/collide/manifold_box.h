/// Manifolds of two boxes.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_BOX_H
#define ISO_SPACE_COLLIDE_MANIFOLD_BOX_H

#include "space/collide/manifold.h"

/// Two boxes. In the other order the manifold is the mirror image, unless the best face of A and that of B, or two
/// edges, are equally good within a tenth of the slop: then the first one is taken.
void iso__space_manifold_box(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                             const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold);

#endif
