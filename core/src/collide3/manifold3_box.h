#ifndef ISO_COLLIDE3_MANIFOLD3_BOX_H
#define ISO_COLLIDE3_MANIFOLD3_BOX_H

#include "collide3/manifold3.h"

/// Two boxes. In the other order the manifold is the mirror image, unless the best face of A and that of B, or two edges, are
/// equally good within a tenth of the slop: then the first one is taken.
void iso__manifold3_box(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                        const int64_t offset[3], iso__manifold3 *manifold);

#endif
