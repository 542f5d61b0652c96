/// Plain joints.
#ifndef ISO_PLANE_JOINT_PLAIN_H
#define ISO_PLANE_JOINT_PLAIN_H

#include "plane/world/scratch.h"

/// Whether a joint is a plain one.
bool iso__plane_joint_is_plain(const iso__plane *plane, const iso__plane_joint *joint);
/// Sets up a joint as the i-th plain one, at its bodies' poses.
void iso__plane_plain_prepare(iso__plane *plane, uint32_t joint, uint32_t i);
/// The passes over the plain joints of a colour.
void iso__plane_plain_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_plain_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_plain_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);

#endif
