/// What restoring an image and decoding a snapshot have in common, in space.
#ifndef ISO_SNAPSHOT3_RESTORE3_H
#define ISO_SNAPSHOT3_RESTORE3_H

#include "world3/world3.h"

/// See iso__kernel.
void iso__space_clear(iso_world *world, const iso__globals *next);
void iso__space_arrive(iso_world *world);

#endif
