/// The part of the checks that is about programs and custom joints in space.
#ifndef ISO_SNAPSHOT3_CHECK_CUSTOM3_H
#define ISO_SNAPSHOT3_CHECK_CUSTOM3_H

#include "state/snapshot_read.h"

/// Checks programs and custom joints; the joints themselves have been checked.
bool iso__snapshot3_check_custom(const iso_world *world, const iso__snapshot *snapshot);

#endif
