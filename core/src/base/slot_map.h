/// Which indices of a pool are alive, as bits, so that the lowest free one is found 64 at a time.
///
/// The map is derived from the generations (odd: alive) and is rebuilt from them after a restore or decode.
/// Used by bodies, shapes and joints.
#ifndef ISO_BASE_SLOT_MAP_H
#define ISO_BASE_SLOT_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct iso__slot_map {
    uint64_t *words;
    uint32_t word_count;
    uint32_t first_free_word; // no free slot stands in a word before this one
    uint32_t alive_count;
} iso__slot_map;

/// Takes the lowest free index of a map. *used rises when the index was never used before.
/// @return UINT32_MAX when there is none.
uint32_t iso__slot_take(iso__slot_map *map, uint32_t *generations, uint32_t capacity, uint32_t *used);
void iso__slot_release(iso__slot_map *map, uint32_t *generations, uint32_t index);
/// Rebuilds the map from the generations.
void iso__slot_map_rebuild(iso__slot_map *map, const uint32_t *generations, uint32_t used);

static inline bool iso__generation_is_alive(uint32_t generation) {
    return (generation & 1u) != 0;
}

#endif
