/// Which bodies in space move in a tick.
#ifndef ISO_DYNAMICS3_MOVING3_H
#define ISO_DYNAMICS3_MOVING3_H

#include "solver/scratch3.h"

/// Whether a body is kinematic with a velocity, or dynamic and awake.
bool iso__body3_moves(const iso__space *space, uint32_t body);

/// Sets the bits of moving bodies.
void iso__step3_find_moving(iso__space *space);

#endif
