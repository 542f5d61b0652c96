/// The part of the checks that is about programs and custom joints.
#ifndef ISO_SNAPSHOT_CHECK_CUSTOM_H
#define ISO_SNAPSHOT_CHECK_CUSTOM_H

#include "joint/custom.h"
#include "state/snapshot_custom.h"
#include "state/snapshot_read.h"

/// Checks programs and custom joints; the joints themselves have been checked.
bool iso__snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot);

#endif
