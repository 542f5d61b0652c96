/// The hash tree: shards of 64 records, sections over shards, the root over sections.
///
///   shard    XXH3-64 of the canonical bytes of 64 consecutive records (the last shard has what is left)
///   section  XXH3-64 of its shards' hashes, each as 8 bytes little endian; a section without records has none
///   root     XXH3-64 of the sections' hashes in the order of ISO_SECTION_LIST; those of iso__section_is_optional only
///            when they have records
///
/// Shards are kept until one of their records changes (iso__mark_dirty). What changes every tick anyhow and is
/// small is hashed whenever it is asked for. core/DETERMINISM.md describes the bytes.
#include "state/hash.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "simd/hash.h"
#include "state/section.h"

/// Any record, any machine: field by field.
static void hash_add_record(iso__hasher *hasher, const iso__kernel *kernel, iso_section section,
                            const iso_field *fields, uint32_t field_count, const void *record) {
    for (uint32_t i = 0; i < field_count; ++i) {
        const uint32_t count = kernel->used_count(section, record, &fields[i]);
        for (uint32_t element = 0; element < count; ++element) {
            iso__hasher_add_number(hasher, iso__field_read(&fields[i], element, record),
                                   iso_field_width(fields[i].type));
        }
    }
}

uint64_t iso__hash_records_by_field(const iso_world *world, iso_section section, uint32_t first, uint32_t count) {
    uint32_t field_count;
    const iso_field *fields = iso_section_fields(world, section, &field_count);
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    for (uint32_t i = first; i < first + count; ++i) {
        hash_add_record(&hasher, world->kernel, section, fields, field_count, iso_section_record(world, section, i));
    }
    return iso__hasher_get(&hasher);
}

#if ISO__LITTLE_ENDIAN

/// Records that use a part of their fields are gathered first.
static uint64_t hash_variable(const iso_world *world, uint32_t first, uint32_t count) {
    uint8_t bytes[ISO__SHARD_RECORDS * ISO__VARIABLE_SIZE_MAX];
    return iso__hash_of(world->simd)(bytes, world->kernel->gather(world, first, count, bytes));
}

/// Generations of a shard may come from two or three lists.
static uint64_t hash_generations(const iso_world *world, uint32_t first, uint32_t count) {
    uint32_t gathered[ISO__SHARD_RECORDS];
    uint32_t size = 0;
    while (size < count) {
        const iso__record_run run = iso__section_run(world, ISO_SECTION_GENERATIONS, first + size);
        const uint32_t part = run.count < count - size ? run.count : count - size;
        memcpy(gathered + size, run.records, part * sizeof(uint32_t));
        size += part;
    }
    return iso__hash_of(world->simd)(gathered, count * sizeof(uint32_t));
}

static bool hash_is_dense(const iso_world *world, iso_section section) {
    return section != ISO_SECTION_DEF &&
           (section != ISO_SECTION_GAME ||
            iso__fields_are_dense(world->game->fields, world->game->field_count, world->game->state_size));
}

static uint64_t hash_shard(const iso_world *world, iso_section section, uint32_t first, uint32_t count) {
    if (world->kernel->sections[section].is_variable) {
        return hash_variable(world, first, count);
    }
    if (section == ISO_SECTION_GENERATIONS) {
        return hash_generations(world, first, count);
    }
    if (hash_is_dense(world, section)) {
        const iso__record_run run = iso__section_run(world, section, first);
        return iso__hash_of(world->simd)(run.records, count * run.record_size);
    }
    return iso__hash_records_by_field(world, section, first, count);
}

#else

static uint64_t hash_shard(const iso_world *world, iso_section section, uint32_t first, uint32_t count) {
    return iso__hash_records_by_field(world, section, first, count);
}

#endif

/// What has few bytes and no dirty marks: the globals' tick changes in every step, a game writes its state
/// as it likes.
static bool hash_is_volatile(iso_section section) {
    return section == ISO_SECTION_GLOBALS || section == ISO_SECTION_SLOTS || section == ISO_SECTION_GAME;
}

static uint64_t hash_of_hashes(const uint64_t *hashes, uint32_t count) {
#if ISO__LITTLE_ENDIAN
    return iso__hash(hashes, count * sizeof(uint64_t));
#else
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    for (uint32_t i = 0; i < count; ++i) {
        iso__hasher_add_number(&hasher, hashes[i], sizeof(uint64_t));
    }
    return iso__hasher_get(&hasher);
#endif
}

uint64_t iso_world_section_hash(iso_world *world, iso_section section) {
    if ((unsigned)section >= ISO_SECTION_COUNT) {
        return hash_of_hashes(NULL, 0);
    }
    const uint32_t record_count = iso_section_record_count(world, section);
    const uint32_t shard_count = (record_count + ISO__SHARD_RECORDS - 1u) / ISO__SHARD_RECORDS;
    iso__shard_cache *cache = &world->shards[section];
    ISO_ASSERT(shard_count <= cache->capacity);
    const bool is_volatile = hash_is_volatile(section);
    for (uint32_t shard = 0; shard < shard_count; ++shard) {
        const uint64_t bit = UINT64_C(1) << (shard % 64u);
        if ((cache->dirty[shard / 64u] & bit) != 0 || is_volatile) {
            const uint32_t first = shard * ISO__SHARD_RECORDS;
            const uint32_t left = record_count - first;
            cache->hashes[shard] =
                hash_shard(world, section, first, left < ISO__SHARD_RECORDS ? left : ISO__SHARD_RECORDS);
            cache->dirty[shard / 64u] &= ~bit;
        }
    }
    return hash_of_hashes(cache->hashes, shard_count);
}

uint64_t iso_world_root(iso_world *world) {
    uint64_t hashes[ISO_SECTION_COUNT];
    uint32_t count = 0;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (!iso__section_is_optional((iso_section)section) ||
            iso_section_record_count(world, (iso_section)section) > 0) {
            hashes[count++] = iso_world_section_hash(world, (iso_section)section);
        }
    }
    return hash_of_hashes(hashes, count);
}
