#ifndef ISO_COLLIDE3_MANIFOLD3_ROUND_H
#define ISO_COLLIDE3_MANIFOLD3_ROUND_H

#include "collide3/manifold3.h"

/// Spheres and capsules against each other.
void iso__manifold3_round(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                          const int64_t offset[3], iso__manifold3 *manifold);

#endif
