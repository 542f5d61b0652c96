/// Whether a snapshot's joints are possible in a world in space.
#ifndef ISO_SNAPSHOT3_CHECK_JOINT3_H
#define ISO_SNAPSHOT3_CHECK_JOINT3_H

#include "state/snapshot_read.h"

bool iso__snapshot3_check_joints(const iso__snapshot *snapshot);

#endif
