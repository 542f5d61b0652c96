/// See image_parts.h.
#include "state/image_parts.h"

#include "base/assert.h"

void iso__image_parts_shared(const iso_world *world, const iso__globals *counts,
                             iso__image_part parts[ISO__IMAGE_SHARED_PARTS]) {
    const iso__shard_cache *cache = &world->shards[ISO_SECTION_SHAPES];
    const uint32_t shards = (counts->shape_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    ISO_ASSERT(shards <= cache->capacity);
    parts[0] = (iso__image_part){cache->hashes, shards * sizeof(uint64_t)};
    parts[1] = (iso__image_part){cache->dirty, (shards + 63u) / 64u * sizeof(uint64_t)};
    parts[2] = (iso__image_part){(void *)&world->wakes_islands, sizeof world->wakes_islands};
}
