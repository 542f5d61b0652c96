/// A snapshot takes the place of a world's state.
#ifndef ISO_SNAPSHOT_ADOPT_H
#define ISO_SNAPSHOT_ADOPT_H

#include "snapshot/read.h"
#include "world/world.h"

/// Puts a snapshot that passed iso__snapshot_check in the place of the world's state, but for the game's.
/// @return ISO_OK; ISO_ERR_CORRUPT: a body's mass or a contact is impossible, and the world as it was
iso_status iso__snapshot_adopt(iso_world *world, const iso__snapshot *snapshot);

#endif
