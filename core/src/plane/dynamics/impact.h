/// Impacts: what shapes with restitution do to each other at the beginning of a step.
#ifndef ISO_PLANE_DYNAMICS_IMPACT_H
#define ISO_PLANE_DYNAMICS_IMPACT_H

#include "plane/world/plane.h"

/// Resolves the impacts of this tick. Before the substeps, after the contacts were prepared.
void iso__plane_step_impacts(iso__plane *plane);

#endif
