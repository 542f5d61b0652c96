/// What restoring an image and decoding a snapshot have in common.
#ifndef ISO_PLANE_SNAPSHOT_RESTORE_H
#define ISO_PLANE_SNAPSHOT_RESTORE_H

#include "plane/world/plane.h"

/// Clears the records and generations from the counts of `next` up to the present ones, since beyond the used slots all
/// is zero, and the forces and moves of the coming tick, which are not state.
void iso__plane_world_clear(iso_world *world, const iso__globals *next);

/// Rebuilds the maps of ids and the bits of awake bodies from restored records.
void iso__plane_world_arrive(iso_world *world);

#endif
