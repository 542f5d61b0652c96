/// What kinds with a line share.
#ifndef ISO_JOINT_KINDS_LINE_H
#define ISO_JOINT_KINDS_LINE_H

#include "joint/work.h"
#include "solver/scratch.h"

/// Axes 0 along a line of A and 1 across it.
void iso__line_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__line_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__line_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
/// Where B's anchor is on A's line [m], from A's anchor, between steps.
iso_wide iso__line_position(const iso_world *world, const iso__joint *joint);

#endif
