#ifndef ISO_COLLIDE3_MANIFOLD3_BOX_ROUND_H
#define ISO_COLLIDE3_MANIFOLD3_BOX_ROUND_H

#include "collide3/manifold3.h"

/// A sphere or a capsule, shape A, against a box.
void iso__manifold3_box_round(const iso__manifold3_settings *settings, const iso__collider3 *a,
                              const iso__collider3 *box, const int64_t offset[3], iso__manifold3 *manifold);

#endif
