/// How much of what only worlds in space have there may be; none in the plane.
#ifndef ISO_WORLD_SPACE_CAPACITY_H
#define ISO_WORLD_SPACE_CAPACITY_H

#include "isostep/heights.h"
#include "isostep/world.h"

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
