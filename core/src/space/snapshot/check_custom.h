/// The part of the checks that is about programs and custom joints in space.
#ifndef ISO_SPACE_SNAPSHOT_CHECK_CUSTOM_H
#define ISO_SPACE_SNAPSHOT_CHECK_CUSTOM_H

#include "state/snapshot_read.h"

/// Checks programs and custom joints; the joints themselves have been checked.
bool iso__space_snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot);

#endif
