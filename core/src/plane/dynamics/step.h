/// The movement of a tick, stage by stage. core/ARCHITECTURE.md walks through it.
#ifndef ISO_PLANE_DYNAMICS_STEP_H
#define ISO_PLANE_DYNAMICS_STEP_H

#include "plane/world/plane.h"

/// Moves the bodies by one tick, after the input. @param since  when the last stage ended, for the profile
void iso__plane_step_simulate(iso_world *world, uint64_t *since);

#endif
