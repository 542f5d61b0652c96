/// The beginning and the end of any world's step.
#ifndef ISO_STEP_BEGIN_H
#define ISO_STEP_BEGIN_H

#include "world/world.h"

/// Clears the events of the last step, and what is noted of a step. See iso__kernel.
void iso__step_begin(iso_world *world);

/// Tells which bodies woke in the step, in the order of their indices; that they slept was told where they did.
/// @return whether any woke or slept: what joints connect may have, too
bool iso__step_tell_wakes(iso_world *world);

#endif
