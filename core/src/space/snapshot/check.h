/// Whether a snapshot is a possible state of a world in space.
#ifndef ISO_SPACE_SNAPSHOT_CHECK_H
#define ISO_SPACE_SNAPSHOT_CHECK_H

#include "space/world/space.h"
#include "state/snapshot_read.h"

/// Reads a shape, whose record uses a part of its last field. @return the bytes it took; 0: they are no shape
size_t iso__space_snapshot_read_shape(const uint8_t *bytes, size_t size, iso__space_shape *shape);

/// The type of a body of the snapshot, 0 when there is none.
static inline uint8_t iso__space_snapshot_body_type(const iso__snapshot *snapshot, uint32_t index) {
    if (index >= snapshot->globals.body_count) {
        return 0;
    }
    return snapshot->parts[ISO_SECTION_BODIES][index * sizeof(iso__space_body) + offsetof(iso__space_body, type)];
}

/// Checks everything about a state that can be judged record by record. What remains are the masses of bodies and the
/// contacts, which need shapes at random.
iso_status iso__space_snapshot_check(const iso_world *world, const iso__snapshot *snapshot);
/// Checks the contacts of a snapshot whose shapes are already in the world.
iso_status iso__space_snapshot_check_contacts(const iso__space *space, const iso__snapshot *snapshot);

#endif
