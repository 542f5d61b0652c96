/// What connects bodies in a step in space, and a stage of it: what step.c calls once a tick.
#ifndef ISO_SPACE_DYNAMICS_ISLAND_H
#define ISO_SPACE_DYNAMICS_ISLAND_H

#include "space/world/space.h"
#include "step/edge.h"

/// The contacts and joints with a moving body, but for sensors' contacts. Once the joints are prepared: a
/// joint that is only listed has the bodies of one of the last tick.
iso__edges iso__space_step_edges(const iso_world *world);

void iso__space_step_find_islands(iso__space *space);

#endif
