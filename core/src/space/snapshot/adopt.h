/// Replaces the state of a world in space by a snapshot.
#ifndef ISO_SPACE_SNAPSHOT_ADOPT_H
#define ISO_SPACE_SNAPSHOT_ADOPT_H

#include "space/world/space.h"
#include "state/snapshot_read.h"

/// Replaces the world's state, except the game's, by a snapshot that passed iso__space_snapshot_check.
/// @return ISO_OK; ISO_ERR_CORRUPT: a body's mass or a contact is impossible, and the world as it was
iso_status iso__space_snapshot_adopt(iso_world *world, const iso__snapshot *snapshot);

#endif
