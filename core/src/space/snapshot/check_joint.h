/// Whether a snapshot's joints are possible in a world in space.
#ifndef ISO_SPACE_SNAPSHOT_CHECK_JOINT_H
#define ISO_SPACE_SNAPSHOT_CHECK_JOINT_H

#include "state/snapshot_read.h"

bool iso__space_snapshot_check_joints(const iso__snapshot *snapshot);

#endif
