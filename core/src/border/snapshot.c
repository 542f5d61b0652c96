/// Snapshots: the state in portable bytes. proto/RECORDING.md, chapter "Snapshots", is the format's standard.
///
///   head   magic "ISOSNAP" and a zero, u32 format version, u32 bytes of the game's state,
///          u64 schema of the core, u64 schema of the game, u64 bytes of the whole snapshot
///   body   the canonical bytes of all records of all sections, in the order of ISO_SECTION_LIST
///   tail   u64 XXH3-64 of all bytes before
///
/// A snapshot is not trusted. Decoding checks every value before it changes anything that cannot be restored, see
/// iso_snapshot_decode.
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "border/kernels.h"
#include "state/schema.h"
#include "state/section.h"
#include "state/snapshot_read.h"
#include "world/kernel.h"

static const uint8_t SNAPSHOT_MAGIC[8] = {'I', 'S', 'O', 'S', 'N', 'A', 'P', 0};

#define SNAPSHOT_VERSION_OFFSET     8u
#define SNAPSHOT_GAME_SIZE_OFFSET   12u
#define SNAPSHOT_CORE_SCHEMA_OFFSET 16u
#define SNAPSHOT_GAME_SCHEMA_OFFSET 24u
#define SNAPSHOT_SIZE_OFFSET        32u

// ---- writing -------------------------------------------------------------------------------------

static size_t snapshot_game_size(const iso_game *game) {
    return game != NULL ? iso__fields_size(game->fields, game->field_count) : 0;
}

static bool snapshot_is_raw(const iso_world *world, iso_section section) {
    if (!ISO__LITTLE_ENDIAN || section == ISO_SECTION_DEF || world->kernel->sections[section].is_variable) {
        return false;
    }
    return section != ISO_SECTION_GAME ||
           iso__fields_are_dense(world->game->fields, world->game->field_count, world->game->state_size);
}

static uint8_t *snapshot_write_section(const iso_world *world, iso_section section, uint8_t *to) {
    uint32_t field_count;
    const iso_field *fields = iso_section_fields(world, section, &field_count);
    const uint32_t count = iso_section_record_count(world, section);
    uint32_t done = 0;
    while (done < count) {
        const iso__record_run run = iso__section_run(world, section, done);
        if (snapshot_is_raw(world, section)) {
            memcpy(to, run.records, run.count * run.record_size);
            to += run.count * run.record_size;
        } else {
            for (uint32_t i = 0; i < run.count; ++i) {
                to += iso__record_encode(world->kernel, section, fields, field_count,
                                         (const uint8_t *)run.records + i * run.record_size, to);
            }
        }
        done += run.count;
    }
    return to;
}

/// Records that use a part of their fields are many: on little-endian machines the used part of each is copied.
static uint8_t *snapshot_write_variable(const iso_world *world, iso_section section, uint8_t *to) {
#if ISO__LITTLE_ENDIAN
    return to + world->kernel->gather(world, 0, iso_section_record_count(world, section), to);
#else
    return snapshot_write_section(world, section, to);
#endif
}

/// Bytes of a section of a world of this kernel, but for the variable one and the game's.
static size_t snapshot_fixed_size(const iso__kernel *kernel, const iso_world_def *def, const iso__globals *globals,
                                  iso_section section) {
    const iso__section_table *table = &kernel->sections[section];
    return table->is_variable ? 0 : (size_t)iso__section_count(def, globals, section) * table->record_size;
}

/// Bytes of all sections but the variable one.
static size_t snapshot_fixed_sizes(const iso_world *world, const iso__globals *globals) {
    size_t size = snapshot_game_size(world->game);
    for (uint32_t section = 0; section < ISO_SECTION_GAME; ++section) {
        size += snapshot_fixed_size(world->kernel, &world->def, globals, (iso_section)section);
    }
    return size;
}

size_t iso_snapshot_size(const iso_world *world) {
    return ISO__SNAPSHOT_HEAD_SIZE + snapshot_fixed_sizes(world, world->globals) + world->kernel->variable_size(world) +
           ISO__SNAPSHOT_TAIL_SIZE;
}

size_t iso_snapshot_encode(const iso_world *world, uint8_t *bytes, size_t capacity) {
    const size_t size = iso_snapshot_size(world);
    if (capacity < size) {
        return 0;
    }
    memcpy(bytes, SNAPSHOT_MAGIC, sizeof SNAPSHOT_MAGIC);
    iso__write_u32(bytes + SNAPSHOT_VERSION_OFFSET, ISO__SNAPSHOT_VERSION);
    iso__write_u32(bytes + SNAPSHOT_GAME_SIZE_OFFSET, (uint32_t)snapshot_game_size(world->game));
    iso__write_u64(bytes + SNAPSHOT_CORE_SCHEMA_OFFSET, iso__schema_core(world->kernel));
    iso__write_u64(bytes + SNAPSHOT_GAME_SCHEMA_OFFSET, iso__schema_game(world->game));
    iso__write_u64(bytes + SNAPSHOT_SIZE_OFFSET, size);
    uint8_t *to = bytes + ISO__SNAPSHOT_HEAD_SIZE;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        to = world->kernel->sections[section].is_variable ? snapshot_write_variable(world, (iso_section)section, to)
                                                          : snapshot_write_section(world, (iso_section)section, to);
    }
    iso__write_u64(to, iso__hash(bytes, (size_t)(to - bytes)));
    ISO_ASSERT((size_t)(to - bytes) + ISO__SNAPSHOT_TAIL_SIZE == size);
    return size;
}

// ---- reading: form -------------------------------------------------------------------------------

/// The kernel that a snapshot's schema names, or NULL.
static const iso__kernel *snapshot_kernel(const uint8_t *bytes) {
    return iso__kernel_with_schema(iso__read_u64(bytes + SNAPSHOT_CORE_SCHEMA_OFFSET));
}

static iso_status snapshot_check_head(const uint8_t *bytes, size_t size) {
    if (size < sizeof SNAPSHOT_MAGIC) {
        return ISO_ERR_TRUNCATED;
    }
    if (memcmp(bytes, SNAPSHOT_MAGIC, sizeof SNAPSHOT_MAGIC) != 0) {
        return ISO_ERR_CORRUPT;
    }
    if (size < ISO__SNAPSHOT_HEAD_SIZE) {
        return ISO_ERR_TRUNCATED;
    }
    if (iso__read_u32(bytes + SNAPSHOT_VERSION_OFFSET) != ISO__SNAPSHOT_VERSION) {
        return ISO_ERR_VERSION;
    }
    if (snapshot_kernel(bytes) == NULL) {
        return ISO_ERR_SCHEMA;
    }
    const iso__section_table *sections = snapshot_kernel(bytes)->sections;
    const uint64_t told = iso__read_u64(bytes + SNAPSHOT_SIZE_OFFSET);
    if (size < told) {
        return ISO_ERR_TRUNCATED;
    }
    if (size > told || size < ISO__SNAPSHOT_HEAD_SIZE + sections[ISO_SECTION_DEF].record_size +
                                  sections[ISO_SECTION_GLOBALS].record_size + ISO__SNAPSHOT_TAIL_SIZE) {
        return ISO_ERR_CORRUPT;
    }
    const size_t hashed = size - ISO__SNAPSHOT_TAIL_SIZE;
    return iso__read_u64(bytes + hashed) == iso__hash(bytes, hashed) ? ISO_OK : ISO_ERR_CORRUPT;
}

iso_status iso_snapshot_read_def(const uint8_t *bytes, size_t size, iso_world_def *def, uint64_t *tick) {
    const iso_status status = snapshot_check_head(bytes, size);
    if (status != ISO_OK) {
        return status;
    }
    const iso__kernel *kernel = snapshot_kernel(bytes);
    const iso__section_table *table = &kernel->sections[ISO_SECTION_DEF];
    iso_world_def read = {.dimensions = kernel->dimensions};
    iso__record_decode(table->fields, table->field_count, bytes + ISO__SNAPSHOT_HEAD_SIZE, &read);
    if (iso_world_def_check(&read, NULL) != ISO_OK || read.dimensions != kernel->dimensions) {
        return ISO_ERR_RANGE;
    }
    iso__globals globals = {0};
    iso__snapshot_read_records(kernel, ISO_SECTION_GLOBALS, bytes + ISO__SNAPSHOT_HEAD_SIZE + table->record_size,
                               &globals, 1);
    *def = read;
    *tick = globals.tick;
    return ISO_OK;
}

/// Whether the snapshot is one of a world like this.
static bool snapshot_fits_world(const iso_world *world, const uint8_t *bytes) {
    uint8_t def[ISO__DEF_ENCODED_MAX];
    const size_t def_size = iso__def_encode(world, def);
    ISO_ASSERT(def_size == world->kernel->sections[ISO_SECTION_DEF].record_size);
    return iso__read_u64(bytes + SNAPSHOT_CORE_SCHEMA_OFFSET) == iso__schema_core(world->kernel) &&
           memcmp(def, bytes + ISO__SNAPSHOT_HEAD_SIZE, def_size) == 0 &&
           iso__read_u32(bytes + SNAPSHOT_GAME_SIZE_OFFSET) == snapshot_game_size(world->game) &&
           iso__read_u64(bytes + SNAPSHOT_GAME_SCHEMA_OFFSET) == iso__schema_game(world->game);
}

/// Finds the parts. Every count is compared with the world's capacities before it is used.
static iso_status snapshot_find_parts(const iso_world *world, const uint8_t *bytes, size_t size,
                                      iso__snapshot *snapshot) {
    const uint8_t *at = bytes + ISO__SNAPSHOT_HEAD_SIZE;
    snapshot->kernel = world->kernel;
    snapshot->globals = (iso__globals){0};
    iso__snapshot_read_records(world->kernel, ISO_SECTION_GLOBALS,
                               at + world->kernel->sections[ISO_SECTION_DEF].record_size, &snapshot->globals, 1);
    const iso__globals *globals = &snapshot->globals;
    if (!iso__counts_fit(&world->def, globals)) {
        return ISO_ERR_CORRUPT;
    }
    // Within the capacities none of these sums comes near 2^32.
    const size_t fixed = snapshot_fixed_sizes(world, globals);
    const size_t left = size - ISO__SNAPSHOT_HEAD_SIZE - ISO__SNAPSHOT_TAIL_SIZE;
    if (left < fixed) {
        return ISO_ERR_CORRUPT;
    }
    snapshot->variable_size = left - fixed;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        snapshot->parts[section] = at;
        at += world->kernel->sections[section].is_variable
                  ? snapshot->variable_size
                  : snapshot_fixed_size(world->kernel, &world->def, globals, (iso_section)section);
    }
    return ISO_OK;
}

static void snapshot_read_game(const iso_world *world, const uint8_t *bytes) {
    if (world->game == NULL || world->game->state_size == 0) {
        return;
    }
    if (snapshot_is_raw(world, ISO_SECTION_GAME)) {
        memcpy(world->game_state, bytes, world->game->state_size);
    } else {
        iso__record_decode(world->game->fields, world->game->field_count, bytes, world->game_state);
    }
}

iso_status iso_snapshot_decode(iso_world *world, const uint8_t *bytes, size_t size) {
    iso_status status = snapshot_check_head(bytes, size);
    if (status != ISO_OK) {
        return status;
    }
    if (!snapshot_fits_world(world, bytes)) {
        return ISO_ERR_SCHEMA;
    }
    iso__snapshot snapshot;
    status = snapshot_find_parts(world, bytes, size, &snapshot);
    if (status == ISO_OK) {
        status = world->kernel->check(world, &snapshot);
    }
    if (status == ISO_OK) {
        status = world->kernel->adopt(world, &snapshot);
    }
    if (status != ISO_OK) {
        return status;
    }
    snapshot_read_game(world, snapshot.parts[ISO_SECTION_GAME]);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
    return ISO_OK;
}
