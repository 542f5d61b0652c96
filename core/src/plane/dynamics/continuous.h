/// Continuous collision: no fast body ends a step behind what it has met on its way.
#ifndef ISO_PLANE_DYNAMICS_CONTINUOUS_H
#define ISO_PLANE_DYNAMICS_CONTINUOUS_H

#include "plane/world/plane.h"

/// Puts fast bodies back to where they met a static shape, and bullets to where they met any. After the poses were
/// stored, while the scratch memory still has the ways of this step.
void iso__plane_step_continuous(iso__plane *plane);

#endif
