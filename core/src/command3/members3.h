/// What members own in space, when they join and leave.
#ifndef ISO_COMMAND3_MEMBERS3_H
#define ISO_COMMAND3_MEMBERS3_H

#include "world3/world3.h"

/// See iso__kernel.
void iso__member3_joins(iso_world *world, uint32_t slot);
void iso__member3_leaves(iso_world *world, uint32_t slot);

#endif
