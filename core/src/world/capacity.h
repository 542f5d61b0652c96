/// How much there may be of what the definition has no number for; of what only the other kind of worlds has, none.
#ifndef ISO_WORLD_CAPACITY_H
#define ISO_WORLD_CAPACITY_H

#include "isostep/compound.h"
#include "isostep/heights.h"
#include "isostep/world.h"

/// Compounds that a world can have.
static inline uint32_t iso__compound_capacity(const iso_world_def *def) {
    return def->body_capacity < ISO_COMPOUND_CAPACITY_MAX ? def->body_capacity : ISO_COMPOUND_CAPACITY_MAX;
}

/// Bodies that its blueprints can have together; as many shapes; as many joints. Each blueprint has a body.
static inline uint32_t iso__blueprint_capacity(const iso_world_def *def) {
    return def->body_capacity < ISO_BLUEPRINT_CAPACITY_MAX ? def->body_capacity : ISO_BLUEPRINT_CAPACITY_MAX;
}

#define ISO__HEIGHT_BLOCK_SAMPLES 64u // of a record

static inline uint32_t iso__heights_capacity(const iso_world_def *def) {
    return def->dimensions == 3 ? ISO_HEIGHTS_MAX : 0;
}

/// Records of their samples.
static inline uint32_t iso__height_block_capacity(const iso_world_def *def) {
    return def->dimensions == 3 ? ISO_HEIGHTS_SAMPLES_MAX / ISO__HEIGHT_BLOCK_SAMPLES : 0;
}

/// Each body may have a mass of its own: it is never refused for want of room.
static inline uint32_t iso__own_mass_capacity(const iso_world_def *def) {
    return def->dimensions == 3 ? def->body_capacity : 0;
}

#endif
