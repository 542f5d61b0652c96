/// The movement of one tick in space.
#ifndef ISO_SPACE_DYNAMICS_STEP_H
#define ISO_SPACE_DYNAMICS_STEP_H

#include "space/world/space.h"

/// See iso__kernel.
void iso__space_step_simulate(iso_world *world, uint64_t *since);

#endif
