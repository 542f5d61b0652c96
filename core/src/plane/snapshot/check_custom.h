/// The part of the checks that is about programs and custom joints.
#ifndef ISO_PLANE_SNAPSHOT_CHECK_CUSTOM_H
#define ISO_PLANE_SNAPSHOT_CHECK_CUSTOM_H

#include "plane/joint/custom.h"
#include "state/snapshot_custom.h"
#include "state/snapshot_read.h"

/// Checks programs and custom joints; the joints themselves have been checked.
bool iso__plane_snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot);

#endif
