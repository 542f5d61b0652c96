#ifndef ISO_COLLIDE3_MANIFOLD3_PLANE_H
#define ISO_COLLIDE3_MANIFOLD3_PLANE_H

#include "collide3/manifold3.h"

/// Any shape against a plane, which is `plane`, shape B. Two planes do not touch.
void iso__manifold3_plane(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *plane,
                          const int64_t offset[3], iso__manifold3 *manifold);

#endif
