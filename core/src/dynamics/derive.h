/// What follows from a state: derived data, which is made anew when a state has been replaced, and caches.
#ifndef ISO_DYNAMICS_DERIVE_H
#define ISO_DYNAMICS_DERIVE_H

#include "world/world.h"

/// Computes all derived data of a world whose state was just replaced, and drops all caches.
/// @return ISO_ERR_RANGE or ISO_ERR_GEOMETRY when the state is not one that a world can be in.
iso_status iso__world_derive(iso_world *world);

/// Throws all caches away.
void iso__caches_drop(iso_world *world);

#endif
