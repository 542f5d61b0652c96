/// What members own when they join and leave.
#ifndef ISO_COMMAND_MEMBERS_H
#define ISO_COMMAND_MEMBERS_H

#include "world/plane.h"

/// Counts what the new member of a slot already owns.
void iso__member_joins(iso_world *world, uint32_t slot);

/// Bodies that the member spawned are destroyed, or kept if its game says so; a body that the scene created for it
/// stays without an owner.
void iso__member_leaves(iso_world *world, uint32_t slot);

#endif
