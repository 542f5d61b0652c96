/// Hinges: rigid points with an axis on the angle.
#ifndef ISO_PLANE_JOINT_HINGE_H
#define ISO_PLANE_JOINT_HINGE_H

#include "plane/world/scratch.h"

/// Whether a joint is a hinge.
bool iso__plane_joint_is_hinge(const iso__plane *plane, const iso__plane_joint *joint);
/// Sets up a joint as the i-th hinge, at its bodies' poses. What follows from its record and from its bodies' masses
/// alone stays from the last step when the joints are the same (has_same_joints).
void iso__plane_hinge_prepare(iso__plane *plane, uint32_t joint, uint32_t i);
/// Writes the i-th hinge's impulses to its record. @return how many of them are at the limit of their format
uint64_t iso__plane_hinge_store(iso__plane *plane, uint32_t i);
/// The passes over the hinges of a colour.
void iso__plane_hinge_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_hinge_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_hinge_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);

#endif
