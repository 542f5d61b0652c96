/// What joints drive.
#ifndef ISO_PLANE_JOINT_DRIVE_H
#define ISO_PLANE_JOINT_DRIVE_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

/// At the end of a step: marks the islands that a motor drives in woken_sets, and the bodies that a joint brings to
/// somewhere else, perhaps slowly, in pulled_bits.
void iso__plane_joints_mark_drives(const iso__plane *plane);

#endif
