/// Continuous collision in space: no fast body ends a step behind what it has met on its way.
#ifndef ISO_SPACE_DYNAMICS_CONTINUOUS_H
#define ISO_SPACE_DYNAMICS_CONTINUOUS_H

#include "space/world/scratch.h"

/// Puts fast bodies back to where they met a static shape, and bullets to where they met any. After the poses were
/// stored, while the scratch memory still has the ways of this step.
void iso__space_step_continuous(iso__space *space);

#endif
