/// The motions of bodies within a step: taken from the records, integrated, and stored.
#ifndef ISO_PLANE_DYNAMICS_MOTION_H
#define ISO_PLANE_DYNAMICS_MOTION_H

#include "plane/world/plane.h"

/// Lists the moving bodies, takes their velocities, and turns this tick's forces into what each substep adds.
void iso__plane_motions_gather(iso__plane *plane);

/// What gravity adds in this substep. @param substep  from 0
void iso__plane_motions_set_gravity(iso__plane *plane, uint32_t substep);

/// Adds gravity and forces, then damping and locks.
void iso__plane_motions_accelerate(iso__plane *plane);

/// Moves and turns the bodies by what they do in a substep.
void iso__plane_motions_advance(iso__plane *plane);

/// Stores velocities and poses, places kinematic bodies with a target, and holds what has reached the border of the
/// world.
void iso__plane_motions_store(iso__plane *plane);

#endif
