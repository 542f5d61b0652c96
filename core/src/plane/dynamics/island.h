/// What connects bodies in a step, and a stage of it: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_ISLAND_H
#define ISO_PLANE_DYNAMICS_ISLAND_H

#include "plane/world/plane.h"
#include "step/edge.h"

/// The contacts and joints with a moving body, but for sensors' contacts. Once the joints are listed.
iso__edges iso__plane_step_edges(const iso_world *world);

void iso__plane_step_find_islands(iso__plane *plane);

#endif
