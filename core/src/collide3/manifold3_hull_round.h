#ifndef ISO_COLLIDE3_MANIFOLD3_HULL_ROUND_H
#define ISO_COLLIDE3_MANIFOLD3_HULL_ROUND_H

#include "collide3/manifold3.h"

/// A sphere or a capsule, shape A, against a hull.
void iso__manifold3_hull_round(const iso__manifold3_settings *settings, const iso__collider3 *a,
                               const iso__collider3 *hull, const int64_t offset[3], iso__manifold3 *manifold);

#endif
