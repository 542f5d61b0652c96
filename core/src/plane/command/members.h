/// What members own when they join and leave.
#ifndef ISO_PLANE_COMMAND_MEMBERS_H
#define ISO_PLANE_COMMAND_MEMBERS_H

#include "plane/world/plane.h"

/// Counts what the new member of a slot already owns.
void iso__plane_member_joins(iso_world *world, uint32_t slot);

/// Bodies that the member spawned are destroyed, or kept if its game says so; a body that the scene created for it
/// stays without an owner.
void iso__plane_member_leaves(iso_world *world, uint32_t slot);

#endif
