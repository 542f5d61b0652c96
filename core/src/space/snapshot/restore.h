/// What restoring an image and decoding a snapshot have in common, in space.
#ifndef ISO_SPACE_SNAPSHOT_RESTORE_H
#define ISO_SPACE_SNAPSHOT_RESTORE_H

#include "space/world/space.h"

/// See iso__kernel.
void iso__space_clear(iso_world *world, const iso__globals *next);
void iso__space_arrive(iso_world *world);

#endif
