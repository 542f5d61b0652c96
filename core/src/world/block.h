/// The block of a world: arrays one after the other, each aligned to 64 bytes.
#ifndef ISO_WORLD_BLOCK_H
#define ISO_WORLD_BLOCK_H

#include "world/world.h"

/// Lays arrays out one after the other; with a NULL base it only measures. The bytes are counted in 64 bits on every
/// machine: the largest capacities need more than 2^32, which a machine of 32 bits must notice and not wrap.
typedef struct iso__block {
    uint8_t *base;
    uint64_t used; // [bytes]
} iso__block;

void *iso__block_take(iso__block *to, size_t count, size_t size);

#define ISO__TAKE(to, pointer, count) ((pointer) = iso__block_take((to), (count), sizeof *(pointer)))

/// Sets the pointers to what a world of any kind has: globals, slots, generations, the game's state, maps, shards,
/// bits, events and results. The world itself has been taken already.
void iso__block_take_common(iso_world *world, iso__block *to, const iso_world_def *def, const iso_game *game);

#endif
