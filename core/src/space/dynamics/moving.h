/// Which bodies in space move in a tick.
#ifndef ISO_SPACE_DYNAMICS_MOVING_H
#define ISO_SPACE_DYNAMICS_MOVING_H

#include "space/world/scratch.h"

/// Whether a body is kinematic with a velocity, or dynamic and awake.
bool iso__space_body_moves(const iso__space *space, uint32_t body);

/// Sets the bits of moving bodies.
void iso__space_step_find_moving(iso__space *space);

#endif
