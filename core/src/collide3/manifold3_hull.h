#ifndef ISO_COLLIDE3_MANIFOLD3_HULL_H
#define ISO_COLLIDE3_MANIFOLD3_HULL_H

#include "collide3/manifold3.h"

/// A box or a hull, shape A, against a hull. Two hulls in the other order make the mirror image under the rule of boxes.
void iso__manifold3_hull(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *hull,
                         const int64_t offset[3], iso__manifold3 *manifold);

#endif
