/// Which bodies move in a step.
#ifndef ISO_STEP_MOVING_H
#define ISO_STEP_MOVING_H

#include "world/world.h"

/// Dynamic bodies move while they are awake, kinematic ones when `moves` says so.
///
/// @param moving_bits  of all bodies: set anew
/// @return whether a kinematic one does
bool iso__step_find_moving(const iso_world *world, bool (*moves)(const iso_world *world, uint32_t body),
                           uint64_t *moving_bits);

#endif
