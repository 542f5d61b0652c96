/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_GRAPH_H
#define ISO_DYNAMICS_GRAPH_H

#include "world/plane.h"

/// Gives each contact and joint of the step a colour.
void iso__step_build_graph(iso_world *world);

#endif
