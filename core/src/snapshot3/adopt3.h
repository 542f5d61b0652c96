/// Replaces the state of a world in space by a snapshot.
#ifndef ISO_SNAPSHOT3_ADOPT3_H
#define ISO_SNAPSHOT3_ADOPT3_H

#include "state/snapshot_read.h"
#include "world3/world3.h"

/// Replaces the world's state, except the game's, by a snapshot that passed iso__snapshot3_check.
/// @return ISO_OK; ISO_ERR_CORRUPT: a body's mass or a contact is impossible, and the world as it was
iso_status iso__snapshot3_adopt(iso_world *world, const iso__snapshot *snapshot);

#endif
