/// See slot_map.h.
#include "base/slot_map.h"

#include "base/assert.h"

/// The last generation that a living slot may have. A slot that has reached it is never used again, so
/// that no handle ever becomes valid a second time.
#define SLOT_GENERATION_MAX UINT32_C(0xFFFFFFFD)

static uint32_t slot_map_lowest_bit(uint64_t word) {
    return (uint32_t)__builtin_ctzll(word);
}

uint32_t iso__slot_take(iso__slot_map *map, uint32_t *generations, uint32_t capacity, uint32_t *used) {
    for (uint32_t w = map->first_free_word; w < map->word_count; ++w) {
        uint64_t free_bits = ~map->words[w];
        while (free_bits != 0) {
            const uint32_t index = w * 64u + slot_map_lowest_bit(free_bits);
            if (index >= capacity) {
                return UINT32_MAX;
            }
            if (generations[index] < SLOT_GENERATION_MAX) {
                map->words[w] |= UINT64_C(1) << (index % 64u);
                map->alive_count += 1;
                generations[index] += 1;
                if (index >= *used) {
                    *used = index + 1;
                }
                return index;
            }
            free_bits &= free_bits - 1; // a retired slot: free for ever
        }
        map->first_free_word = w + 1;
    }
    return UINT32_MAX;
}

void iso__slot_release(iso__slot_map *map, uint32_t *generations, uint32_t index) {
    ISO_ASSERT(iso__generation_is_alive(generations[index]));
    const uint32_t w = index / 64u;
    map->words[w] &= ~(UINT64_C(1) << (index % 64u));
    map->alive_count -= 1;
    generations[index] += 1;
    if (w < map->first_free_word) {
        map->first_free_word = w;
    }
}

void iso__slot_map_rebuild(iso__slot_map *map, const uint32_t *generations, uint32_t used) {
    map->first_free_word = 0;
    map->alive_count = 0;
    for (uint32_t w = 0; w < map->word_count; ++w) {
        const uint32_t first = w * 64u;
        const uint32_t count = first >= used ? 0 : used - first < 64u ? used - first : 64u;
        uint64_t word = 0;
        for (uint32_t i = 0; i < count; ++i) {
            word |= (uint64_t)(generations[first + i] & 1u) << i;
        }
        map->words[w] = word;
        map->alive_count += (uint32_t)__builtin_popcountll(word);
    }
}
