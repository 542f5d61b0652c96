/// What joints drive.
#ifndef ISO_JOINT_DRIVE_H
#define ISO_JOINT_DRIVE_H

#include "joint/work.h"
#include "solver/scratch.h"

/// At the end of a step: marks the islands that a motor drives in woken_sets, and the bodies that a joint brings to
/// somewhere else, perhaps slowly, in pulled_bits.
void iso__joints_mark_drives(const iso_world *world);

#endif
