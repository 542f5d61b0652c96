/// The part of the checks that is about compounds and blueprints.
#ifndef ISO_PLANE_SNAPSHOT_CHECK_COMPOUND_H
#define ISO_PLANE_SNAPSHOT_CHECK_COMPOUND_H

#include "state/snapshot_read.h"

/// Checks blueprints, compounds, and what bodies and joints say of them; bodies and joints themselves have been
/// checked.
bool iso__plane_snapshot_check_compounds(const iso__snapshot *snapshot);

#endif
