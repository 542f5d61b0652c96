/// The movement of one tick in space.
#ifndef ISO_DYNAMICS3_STEP3_H
#define ISO_DYNAMICS3_STEP3_H

#include "world3/world3.h"

/// See iso__kernel.
void iso__step3_begin(iso_world *world);
void iso__step3_simulate(iso_world *world, uint64_t *since);

#endif
