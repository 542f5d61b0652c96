/// Plain joints.
#ifndef ISO_JOINT_PLAIN_H
#define ISO_JOINT_PLAIN_H

#include "solver/scratch.h"

/// Whether a joint is a plain one.
bool iso__joint_is_plain(const iso_world *world, const iso__joint *joint);
/// Sets up a joint as the i-th plain one, at its bodies' poses.
void iso__plain_prepare(iso_world *world, uint32_t joint, uint32_t i);
/// The passes over the plain joints of a colour.
void iso__plain_warm_start(iso__step_scratch *scratch, const iso__colour *colour);
void iso__plain_solve(iso__step_scratch *scratch, const iso__colour *colour);
void iso__plain_relax(iso__step_scratch *scratch, const iso__colour *colour);

#endif
