/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_COLLIDE_H
#define ISO_PLANE_DYNAMICS_COLLIDE_H

#include "plane/world/scratch.h"

/// Computes the manifolds of the pairs and the contacts of this tick; may wake islands.
void iso__plane_step_collide(iso__plane *plane, iso__pair_list pairs);

#endif
