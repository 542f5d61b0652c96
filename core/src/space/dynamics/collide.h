/// The contacts of a tick in space.
#ifndef ISO_SPACE_DYNAMICS_COLLIDE_H
#define ISO_SPACE_DYNAMICS_COLLIDE_H

#include "space/world/scratch.h"

/// Finds the manifolds of the tick's pairs and makes the list of contacts of them. Points keep the impulses of those of
/// the last tick that were nearest on the smaller body. Contacts of which no body moves stay as they are.
/// @param since  when the last stage ended: that of the pairs ends within
void iso__space_step_collide(iso__space *space, uint64_t *since);

#endif
