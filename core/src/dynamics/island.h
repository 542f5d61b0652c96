/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_ISLAND_H
#define ISO_DYNAMICS_ISLAND_H

#include "world/plane.h"

void iso__step_find_islands(iso_world *world);

#endif
