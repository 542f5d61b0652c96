/// Which joints in space keep their islands from falling asleep.
#ifndef ISO_SPACE_JOINT_DRIVE_H
#define ISO_SPACE_JOINT_DRIVE_H

#include "space/world/scratch.h"

/// Marks the moving bodies that joints pull (pulled_bits) and the islands that motors drive (woken_sets).
void iso__space_joints_mark_drives(const iso__space *space);

#endif
