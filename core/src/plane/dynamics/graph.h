/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_GRAPH_H
#define ISO_PLANE_DYNAMICS_GRAPH_H

#include "plane/world/plane.h"

/// Gives each contact and joint of the step a colour.
void iso__plane_step_build_graph(iso__plane *plane);

#endif
