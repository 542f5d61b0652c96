/// Continuous collision in space: no fast body ends a step behind what it has met on its way.
#ifndef ISO_DYNAMICS3_CONTINUOUS3_H
#define ISO_DYNAMICS3_CONTINUOUS3_H

#include "solver/scratch3.h"

/// Puts fast bodies back to where they met a static shape, and bullets to where they met any. After the poses were
/// stored, while the scratch memory still has the ways of this step.
void iso__step3_continuous(iso__space *space);

#endif
