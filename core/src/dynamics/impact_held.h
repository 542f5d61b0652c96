/// Which bodies an impact cannot take as free.
#ifndef ISO_DYNAMICS_IMPACT_HELD_H
#define ISO_DYNAMICS_IMPACT_HELD_H

#include "world/plane.h"

/// Sets `is_held` of each moving body; `bouncing` lists the contacts with restitution.
void iso__impact_find_held(iso_world *world);

#endif
