/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_SEAM_H
#define ISO_PLANE_DYNAMICS_SEAM_H

#include "plane/world/plane.h"

/// Marks the manifolds of contacts that another contact of the same shape hides: they do not push in this tick.
void iso__plane_step_hide_seams(iso__plane *plane);

#endif
