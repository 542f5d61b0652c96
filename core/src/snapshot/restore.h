/// What putting back a state, from an image or a snapshot, has in common.
#ifndef ISO_SNAPSHOT_RESTORE_H
#define ISO_SNAPSHOT_RESTORE_H

#include "world/world.h"

/// Clears the records and generations from the counts of `next` up to the present ones, since beyond the used slots all
/// is zero, and the forces and moves of the tick that was to come, which are part of no state.
void iso__world_clear(iso_world *world, const iso__globals *next);

/// Makes the maps of ids and who is awake anew from records that have come.
void iso__world_arrive(iso_world *world);

#endif
