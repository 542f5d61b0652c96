/// A snapshot whose definition needs more memory than a machine of 32 bits can address, with a right checksum: a few KB
/// that anybody may send. A real snapshot of a small world in which the capacities have been replaced.
#ifndef ISO_TEST_LARGE_SNAPSHOT_H
#define ISO_TEST_LARGE_SNAPSHOT_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "isostep/isostep.h"
#include "isostep/snapshot.h"

#define LARGE_HEAD_SIZE 40u // before the definition
#define LARGE_TAIL_SIZE 8u  // the checksum

/// Replaces a capacity in the definition's bytes.
static inline bool large_set(const iso_world *world, uint8_t *snapshot, const char *name, uint32_t value) {
    uint32_t count;
    const iso_field *fields = iso_section_fields(world, ISO_SECTION_DEF, &count);
    size_t at = LARGE_HEAD_SIZE;
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(fields[i].name, name) == 0) {
            iso__write_le(snapshot + at, value, iso_field_width(fields[i].type));
            return true;
        }
        at += (size_t)iso_field_width(fields[i].type) * fields[i].count;
    }
    return false;
}

/// The definition: all capacities the largest, or 1 / `part` of them.
static inline iso_world_def large_def(uint16_t dimensions, uint32_t part) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = dimensions;
    def.body_capacity = def.shape_capacity = def.joint_capacity = def.event_capacity = ISO_BODY_CAPACITY_MAX / part;
    def.contact_capacity = ISO_CONTACT_CAPACITY_MAX / part;
    return def;
}

/// @return the snapshot, to be freed; NULL when the small world could not be made
static inline uint8_t *large_snapshot_make(uint16_t dimensions, uint32_t part, size_t *size) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = dimensions;
    const size_t world_size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, world_size);
    iso_world *world;
    if (memory == NULL || iso_world_create(&def, NULL, memory, world_size, &world) != ISO_OK) {
        free(memory);
        return NULL;
    }
    *size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(*size);
    const iso_world_def large = large_def(dimensions, part);
    const bool made = bytes != NULL && iso_snapshot_encode(world, bytes, *size) == *size &&
                      large_set(world, bytes, "body_capacity", large.body_capacity) &&
                      large_set(world, bytes, "shape_capacity", large.shape_capacity) &&
                      large_set(world, bytes, "joint_capacity", large.joint_capacity) &&
                      large_set(world, bytes, "event_capacity", large.event_capacity) &&
                      large_set(world, bytes, "contact_capacity", large.contact_capacity);
    if (made) {
        iso__write_u64(bytes + *size - LARGE_TAIL_SIZE, iso__hash(bytes, *size - LARGE_TAIL_SIZE));
    }
    free(memory);
    if (!made) {
        free(bytes);
    }
    return made ? bytes : NULL;
}

#endif
