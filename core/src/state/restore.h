/// What putting back a state, from an image or a snapshot, has in common.
#ifndef ISO_STATE_RESTORE_H
#define ISO_STATE_RESTORE_H

#include "dynamics/world.h"

/// Forces and moves of the tick that was to come are not part of any state.
void iso__world_clear_forces(iso_world *world);

/// Clears the records and generations from the counts of `next` up to the present ones: beyond the used slots all
/// is zero.
void iso__world_clear_beyond(iso_world *world, const iso__globals *next);

void iso__world_rebuild_maps(iso_world *world);

#endif
