/// What members own, when they come and when they go.
#ifndef ISO_COMMAND_MEMBERS_H
#define ISO_COMMAND_MEMBERS_H

#include "world/world.h"

/// Counts what the new member of a slot owns already.
void iso__member_joins(iso_world *world, uint32_t slot);

/// What the member spawned goes, or stays as its game wants it; a body that the scene had made for it goes to nobody.
void iso__member_leaves(iso_world *world, uint32_t slot);

#endif
