/// Impacts: what shapes with restitution do to each other at the beginning of a step.
#ifndef ISO_DYNAMICS_IMPACT_H
#define ISO_DYNAMICS_IMPACT_H

#include "world/plane.h"

/// Resolves the impacts of this tick. Before the substeps, after the contacts were prepared.
void iso__step_impacts(iso_world *world);

#endif
