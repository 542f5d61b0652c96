/// Which bodies an impact cannot take as free.
#ifndef ISO_PLANE_DYNAMICS_IMPACT_HELD_H
#define ISO_PLANE_DYNAMICS_IMPACT_HELD_H

#include "plane/world/plane.h"

/// Sets `is_held` of each moving body; `bouncing` lists the contacts with restitution.
void iso__plane_impact_find_held(iso__plane *plane);

#endif
