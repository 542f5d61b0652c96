/// Whether a snapshot is a possible state of a world.
#ifndef ISO_PLANE_SNAPSHOT_CHECK_H
#define ISO_PLANE_SNAPSHOT_CHECK_H

#include "plane/world/plane.h"
#include "state/snapshot_read.h"

/// Checks everything about a state that can be judged record by record or by one record's reference to
/// another. What remains are the masses of bodies and the contacts, which need shapes at random.
iso_status iso__plane_snapshot_check(const iso_world *world, const iso__snapshot *snapshot);

/// Checks the contacts of a snapshot whose shapes are already in the world.
iso_status iso__plane_snapshot_check_contacts(const iso__plane *plane, const iso__snapshot *snapshot);

#endif
