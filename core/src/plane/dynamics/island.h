/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_ISLAND_H
#define ISO_PLANE_DYNAMICS_ISLAND_H

#include "plane/world/plane.h"

void iso__plane_step_find_islands(iso__plane *plane);

#endif
