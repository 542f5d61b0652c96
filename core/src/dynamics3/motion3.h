/// The motions of bodies in space within a step.
#ifndef ISO_DYNAMICS3_MOTION3_H
#define ISO_DYNAMICS3_MOTION3_H

#include "solver/scratch3.h"

/// Lists the moving bodies and takes their velocities and this tick's forces.
void iso__motions3_gather(iso__space *space);
/// Gravity, forces, damping and locks of a substep.
void iso__motions3_accelerate(iso__space *space, uint32_t substep);
/// Moves and turns what moves by a substep.
void iso__motions3_advance(iso__space *space);
/// Writes velocities, momenta and poses into the records, and keeps them within the world.
void iso__motions3_store(iso__space *space);

#endif
