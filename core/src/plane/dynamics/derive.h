/// Data that follows from a state: derived data, which is computed again when a state was replaced, and caches.
#ifndef ISO_PLANE_DYNAMICS_DERIVE_H
#define ISO_PLANE_DYNAMICS_DERIVE_H

#include "plane/world/plane.h"

/// Computes all derived data of a world whose state was just replaced, and drops all caches.
/// @return ISO_ERR_RANGE or ISO_ERR_GEOMETRY when the state is not possible.
iso_status iso__plane_world_derive(iso__plane *plane);

/// Discards all caches.
void iso__plane_caches_drop(iso_world *world);

#endif
