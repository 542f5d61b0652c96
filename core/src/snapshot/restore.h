/// What restoring an image and decoding a snapshot have in common.
#ifndef ISO_SNAPSHOT_RESTORE_H
#define ISO_SNAPSHOT_RESTORE_H

#include "world/plane.h"

/// Clears the records and generations from the counts of `next` up to the present ones, since beyond the used slots all
/// is zero, and the forces and moves of the coming tick, which are not state.
void iso__world_clear(iso_world *world, const iso__globals *next);

/// Rebuilds the maps of ids and the bits of awake bodies from restored records.
void iso__world_arrive(iso_world *world);

#endif
