/// The motions of bodies in space within a step.
#ifndef ISO_SPACE_DYNAMICS_MOTION_H
#define ISO_SPACE_DYNAMICS_MOTION_H

#include "space/world/scratch.h"

/// Lists the moving bodies and takes their velocities and this tick's forces.
void iso__space_motions_gather(iso__space *space);
/// Gravity, forces, damping and locks of a substep.
void iso__space_motions_accelerate(iso__space *space, uint32_t substep);
/// Moves and turns what moves by a substep.
void iso__space_motions_advance(iso__space *space);
/// Writes velocities, momenta and poses into the records, and keeps them within the world.
void iso__space_motions_store(iso__space *space);

#endif
