/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_SEAM_H
#define ISO_DYNAMICS_SEAM_H

#include "world/plane.h"

/// Marks the manifolds of contacts that another contact of the same shape hides: they do not push in this tick.
void iso__step_hide_seams(iso_world *world);

#endif
