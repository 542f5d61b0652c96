/// What members own in space, when they join and leave.
#ifndef ISO_SPACE_COMMAND_MEMBERS_H
#define ISO_SPACE_COMMAND_MEMBERS_H

#include "space/world/space.h"

/// See iso__kernel.
void iso__space_member_joins(iso_world *world, uint32_t slot);
void iso__space_member_leaves(iso_world *world, uint32_t slot);

#endif
