/// Snapshots: the state in portable bytes. proto/RECORDING.md, chapter "Snapshots", is the format's standard.
///
///   head   magic "ISOSNAP" and a zero, u32 format version, u32 bytes of the game's state,
///          u64 schema of the core, u64 schema of the game, u64 bytes of the whole snapshot
///   body   the canonical bytes of all records of all sections, in the order of ISO_SECTION_LIST
///   tail   u64 XXH3-64 of all bytes before
///
/// A snapshot can come from anywhere. Decoding checks every value before it changes anything that cannot be put
/// back, see iso_snapshot_decode.
#include "state/snapshot.h"

#include <string.h>

#include "base/hash.h"
#include "dynamics/body.h"
#include "state/restore.h"

static const uint8_t SNAPSHOT_MAGIC[8] = {'I', 'S', 'O', 'S', 'N', 'A', 'P', 0};

#define SNAPSHOT_VERSION_OFFSET     8u
#define SNAPSHOT_GAME_SIZE_OFFSET   12u
#define SNAPSHOT_CORE_SCHEMA_OFFSET 16u
#define SNAPSHOT_GAME_SCHEMA_OFFSET 24u
#define SNAPSHOT_SIZE_OFFSET        32u

static void schema_add(iso__hasher *hasher, const iso_field *fields, uint32_t field_count) {
    for (uint32_t i = 0; i < field_count; ++i) {
        iso__hasher_add_text(hasher, fields[i].name);
        iso__hasher_add_number(hasher, fields[i].type, 1);
        iso__hasher_add_number(hasher, fields[i].count, 2);
    }
}

uint64_t iso__schema_core(void) {
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    for (uint32_t section = 0; section < ISO_SECTION_GAME; ++section) {
        uint32_t field_count;
        const iso_field *fields = iso__section_core_fields((iso_section)section, &field_count);
        iso__hasher_add_text(&hasher, iso_section_name((iso_section)section));
        schema_add(&hasher, fields, field_count);
    }
    return iso__hasher_get(&hasher);
}

uint64_t iso__schema_game(const iso_game *game) {
    if (game == NULL) {
        return 0;
    }
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    iso__hasher_add_text(&hasher, game->name);
    schema_add(&hasher, game->fields, game->field_count);
    for (uint32_t i = 0; i < game->constraint_count; ++i) {
        const iso_constraint *constraint = &game->constraints[i];
        iso__hasher_add_text(&hasher, constraint->name);
        const uint8_t shape[] = {constraint->body_count, constraint->vector_count, constraint->scalar_count, constraint->row_count,
                                 constraint->angular_rows};
        for (uint32_t k = 0; k < sizeof shape; ++k) {
            iso__hasher_add_number(&hasher, shape[k], 1);
        }
    }
    return iso__hasher_get(&hasher);
}

// ---- writing -------------------------------------------------------------------------------------

static size_t snapshot_game_size(const iso_game *game) {
    return game != NULL ? iso__fields_size(game->fields, game->field_count) : 0;
}

static bool snapshot_is_raw(const iso_world *world, iso_section section) {
    if (!ISO__LITTLE_ENDIAN || section == ISO_SECTION_DEF || section == ISO_SECTION_SHAPES) {
        return false;
    }
    return section != ISO_SECTION_GAME || iso__fields_are_dense(world->game->fields, world->game->field_count, world->game->state_size);
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
                to += iso__record_encode(section, fields, field_count, (const uint8_t *)run.records + i * run.record_size, to);
            }
        }
        done += run.count;
    }
    return to;
}

/// Shapes are many and each has its own size; on little-endian machines the used part of each is copied.
static uint8_t *snapshot_write_shapes(const iso_world *world, uint8_t *to) {
#if ISO__LITTLE_ENDIAN
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        const size_t size = iso__shape_encoded_size(&world->shapes[i]);
        memcpy(to, &world->shapes[i], size);
        to += size;
    }
    return to;
#else
    return snapshot_write_section(world, ISO_SECTION_SHAPES, to);
#endif
}

size_t iso_snapshot_size(const iso_world *world) {
    const iso__globals *globals = world->globals;
    size_t size = ISO__SNAPSHOT_HEAD_SIZE + ISO__DEF_ENCODED_SIZE + sizeof(iso__globals) + ISO__SNAPSHOT_TAIL_SIZE;
    size += world->def.slot_capacity * sizeof(iso__slot);
    size += globals->body_count * (sizeof(iso__body) + sizeof(uint32_t));
    size += globals->joint_count * (sizeof(iso__joint) + sizeof(uint32_t));
    size += globals->contact_count * sizeof(iso__contact);
    size += globals->program_count * sizeof(iso_program) + globals->custom_joint_count * sizeof(iso__custom_joint);
    for (uint32_t i = 0; i < globals->shape_count; ++i) {
        size += iso__shape_encoded_size(&world->shapes[i]) + sizeof(uint32_t);
    }
    return size + snapshot_game_size(world->game);
}

size_t iso_snapshot_encode(const iso_world *world, uint8_t *bytes, size_t capacity) {
    const size_t size = iso_snapshot_size(world);
    if (capacity < size) {
        return 0;
    }
    memcpy(bytes, SNAPSHOT_MAGIC, sizeof SNAPSHOT_MAGIC);
    iso__write_u32(bytes + SNAPSHOT_VERSION_OFFSET, ISO__SNAPSHOT_VERSION);
    iso__write_u32(bytes + SNAPSHOT_GAME_SIZE_OFFSET, (uint32_t)snapshot_game_size(world->game));
    iso__write_u64(bytes + SNAPSHOT_CORE_SCHEMA_OFFSET, iso__schema_core());
    iso__write_u64(bytes + SNAPSHOT_GAME_SCHEMA_OFFSET, iso__schema_game(world->game));
    iso__write_u64(bytes + SNAPSHOT_SIZE_OFFSET, size);
    uint8_t *to = bytes + ISO__SNAPSHOT_HEAD_SIZE;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        to = section == ISO_SECTION_SHAPES ? snapshot_write_shapes(world, to)
                                           : snapshot_write_section(world, (iso_section)section, to);
    }
    iso__write_u64(to, iso__hash(bytes, (size_t)(to - bytes)));
    ISO_ASSERT((size_t)(to - bytes) + ISO__SNAPSHOT_TAIL_SIZE == size);
    return size;
}

// ---- reading: form -------------------------------------------------------------------------------

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
    if (iso__read_u64(bytes + SNAPSHOT_CORE_SCHEMA_OFFSET) != iso__schema_core()) {
        return ISO_ERR_SCHEMA;
    }
    const uint64_t told = iso__read_u64(bytes + SNAPSHOT_SIZE_OFFSET);
    if (size < told) {
        return ISO_ERR_TRUNCATED;
    }
    if (size > told || size < ISO__SNAPSHOT_HEAD_SIZE + ISO__DEF_ENCODED_SIZE + sizeof(iso__globals) + ISO__SNAPSHOT_TAIL_SIZE) {
        return ISO_ERR_CORRUPT;
    }
    const size_t hashed = size - ISO__SNAPSHOT_TAIL_SIZE;
    return iso__read_u64(bytes + hashed) == iso__hash(bytes, hashed) ? ISO_OK : ISO_ERR_CORRUPT;
}

size_t iso__snapshot_read_records(iso_section section, const uint8_t *bytes, void *records, uint32_t count) {
    uint32_t field_count;
    const iso_field *fields = iso__section_core_fields(section, &field_count);
    const size_t size = iso__fields_size(fields, field_count);
#if ISO__LITTLE_ENDIAN
    if (count > 0) {
        memcpy(records, bytes, count * size);
    }
#else
    for (uint32_t i = 0; i < count; ++i) {
        iso__record_decode(fields, field_count, bytes + i * size, (uint8_t *)records + i * size);
    }
#endif
    return count * size;
}

size_t iso__snapshot_read_shape(const uint8_t *bytes, size_t size, iso__shape *shape) {
    *shape = (iso__shape){0};
    if (size < ISO__SHAPE_FIXED_SIZE) {
        return 0;
    }
    uint32_t field_count;
    const iso_field *fields = iso__section_core_fields(ISO_SECTION_SHAPES, &field_count);
    iso__record_decode(fields, field_count - 1, bytes, shape); // the vertices are the last field
    const size_t whole = iso__shape_encoded_size(shape);
    if (shape->vertex_count > ISO_POLYGON_VERTICES_MAX || size < whole) {
        return 0;
    }
    for (uint32_t i = 0; i < 2u * shape->vertex_count; ++i) {
        shape->vertices[i] = (int32_t)iso__read_u32(bytes + ISO__SHAPE_FIXED_SIZE + 4u * i);
    }
    return whole;
}

iso_status iso_snapshot_read_def(const uint8_t *bytes, size_t size, iso_world_def *def, uint64_t *tick) {
    const iso_status status = snapshot_check_head(bytes, size);
    if (status != ISO_OK) {
        return status;
    }
    uint32_t field_count;
    const iso_field *fields = iso__section_core_fields(ISO_SECTION_DEF, &field_count);
    iso_world_def read = {0};
    iso__record_decode(fields, field_count, bytes + ISO__SNAPSHOT_HEAD_SIZE, &read);
    if (iso_world_def_check(&read, NULL) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    iso__globals globals;
    iso__snapshot_read_records(ISO_SECTION_GLOBALS, bytes + ISO__SNAPSHOT_HEAD_SIZE + ISO__DEF_ENCODED_SIZE, &globals, 1);
    *def = read;
    *tick = globals.tick;
    return ISO_OK;
}

/// Whether the snapshot is one of a world like this.
static bool snapshot_fits_world(const iso_world *world, const uint8_t *bytes) {
    uint32_t field_count;
    const iso_field *fields = iso__section_core_fields(ISO_SECTION_DEF, &field_count);
    uint8_t def[ISO__CANONICAL_SIZE_MAX];
    const size_t def_size = iso__record_encode(ISO_SECTION_DEF, fields, field_count, &world->def, def);
    ISO_ASSERT(def_size == ISO__DEF_ENCODED_SIZE);
    return memcmp(def, bytes + ISO__SNAPSHOT_HEAD_SIZE, def_size) == 0 &&
           iso__read_u32(bytes + SNAPSHOT_GAME_SIZE_OFFSET) == snapshot_game_size(world->game) &&
           iso__read_u64(bytes + SNAPSHOT_GAME_SCHEMA_OFFSET) == iso__schema_game(world->game);
}

/// Finds the parts. Every count is compared with the world's capacities before it is used.
static iso_status snapshot_find_parts(const iso_world *world, const uint8_t *bytes, size_t size, iso__snapshot *parts) {
    const uint8_t *at = bytes + ISO__SNAPSHOT_HEAD_SIZE + ISO__DEF_ENCODED_SIZE;
    at += iso__snapshot_read_records(ISO_SECTION_GLOBALS, at, &parts->globals, 1);
    const iso__globals *globals = &parts->globals;
    if (globals->body_count > world->def.body_capacity || globals->shape_count > world->def.shape_capacity ||
        globals->joint_count > world->def.joint_capacity || globals->contact_count > world->def.contact_capacity ||
        globals->program_count > world->def.program_capacity ||
        globals->custom_joint_count > world->def.custom_joint_capacity) {
        return ISO_ERR_CORRUPT;
    }
    // Within the capacities none of these sums comes near 2^32.
    const size_t slots = world->def.slot_capacity * sizeof(iso__slot);
    const size_t bodies = globals->body_count * sizeof(iso__body);
    const size_t joints = globals->joint_count * sizeof(iso__joint);
    const size_t contacts = globals->contact_count * sizeof(iso__contact);
    const size_t programs = globals->program_count * sizeof(iso_program);
    const size_t custom_joints = globals->custom_joint_count * sizeof(iso__custom_joint);
    const size_t generations = ((size_t)globals->body_count + globals->shape_count + globals->joint_count) * sizeof(uint32_t);
    const size_t fixed = slots + bodies + joints + contacts + programs + custom_joints + generations + snapshot_game_size(world->game);
    const size_t left = size - ISO__SNAPSHOT_TAIL_SIZE - (size_t)(at - bytes);
    if (left < fixed) {
        return ISO_ERR_CORRUPT;
    }
    parts->slots = at;
    parts->bodies = parts->slots + slots;
    parts->shapes = parts->bodies + bodies;
    parts->shapes_size = left - fixed;
    parts->joints = parts->shapes + parts->shapes_size;
    parts->contacts = parts->joints + joints;
    parts->programs = parts->contacts + contacts;
    parts->custom_joints = parts->programs + programs;
    parts->generations = parts->custom_joints + custom_joints;
    parts->game = parts->generations + generations;
    return ISO_OK;
}

// ---- reading: contents ---------------------------------------------------------------------------

// While a snapshot's shapes are tried, the old ones are kept in the memory of their derived data, which can be
// computed again.
_Static_assert(offsetof(iso__shape_derived, next_shape) >= sizeof(iso__shape), "no room to keep a shape");

/// Puts the snapshot's shapes into the world and links them to their bodies.
static void snapshot_stage_shapes(iso_world *world, const iso__snapshot *snapshot) {
    const uint32_t old_count = world->globals->shape_count;
    const uint32_t new_count = snapshot->globals.shape_count;
    for (uint32_t i = 0; i < old_count; ++i) {
        memcpy(&world->shape_derived[i], &world->shapes[i], sizeof(iso__shape));
        world->shapes[i] = (iso__shape){0};
    }
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        world->body_derived[i].first_shape = UINT32_MAX;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < new_count; ++i) {
        at += iso__snapshot_read_shape(snapshot->shapes + at, snapshot->shapes_size - at, &world->shapes[i]);
    }
    for (uint32_t i = new_count; i-- > 0;) {
        if (world->shapes[i].kind != 0) {
            uint32_t *first = &world->body_derived[world->shapes[i].body].first_shape;
            world->shape_derived[i].next_shape = *first;
            *first = i;
        }
    }
}

static void snapshot_unstage_shapes(iso_world *world, const iso__snapshot *snapshot) {
    const uint32_t old_count = world->globals->shape_count;
    for (uint32_t i = 0; i < old_count; ++i) {
        memcpy(&world->shapes[i], &world->shape_derived[i], sizeof(iso__shape));
    }
    for (uint32_t i = old_count; i < snapshot->globals.shape_count; ++i) {
        world->shapes[i] = (iso__shape){0};
    }
    const iso_status status = iso__world_derive(world);
    ISO_ASSERT(status == ISO_OK); // it is the state from before
}

/// The checks that need shapes at random.
static iso_status snapshot_check_staged(const iso_world *world, const iso__snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        iso__body body;
        iso__snapshot_read_records(ISO_SECTION_BODIES, snapshot->bodies + i * sizeof body, &body, 1);
        iso__body_derived derived = {.first_shape = world->body_derived[i].first_shape};
        if (body.type != 0 && iso__body_derive(world, i, &body, &derived) != ISO_OK) {
            return ISO_ERR_CORRUPT;
        }
    }
    return iso__snapshot_check_contacts(world, snapshot);
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

/// Puts everything but the shapes, which are there already, into the world.
static void snapshot_commit(iso_world *world, const iso__snapshot *snapshot) {
    const iso__globals *globals = &snapshot->globals;
    iso__world_clear_forces(world);
    iso__world_clear_beyond(world, globals);
    *world->globals = *globals;
    iso__snapshot_read_records(ISO_SECTION_SLOTS, snapshot->slots, world->slots, world->def.slot_capacity);
    iso__snapshot_read_records(ISO_SECTION_BODIES, snapshot->bodies, world->bodies, globals->body_count);
    iso__snapshot_read_records(ISO_SECTION_JOINTS, snapshot->joints, world->joints, globals->joint_count);
    iso__snapshot_read_records(ISO_SECTION_CONTACTS, snapshot->contacts, world->contacts, globals->contact_count);
    iso__snapshot_read_records(ISO_SECTION_PROGRAMS, snapshot->programs, world->programs, globals->program_count);
    iso__snapshot_read_records(ISO_SECTION_CUSTOM_JOINTS, snapshot->custom_joints, world->custom_joints,
                               globals->custom_joint_count);
    const uint8_t *generations = snapshot->generations;
    generations += iso__snapshot_read_records(ISO_SECTION_GENERATIONS, generations, world->body_generations, globals->body_count);
    generations += iso__snapshot_read_records(ISO_SECTION_GENERATIONS, generations, world->shape_generations, globals->shape_count);
    iso__snapshot_read_records(ISO_SECTION_GENERATIONS, generations, world->joint_generations, globals->joint_count);
    snapshot_read_game(world, snapshot->game);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
    iso__world_rebuild_maps(world);
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
        status = iso__snapshot_check(world, &snapshot);
    }
    if (status != ISO_OK) {
        return status;
    }
    snapshot_stage_shapes(world, &snapshot);
    status = snapshot_check_staged(world, &snapshot);
    if (status != ISO_OK) {
        snapshot_unstage_shapes(world, &snapshot);
        return status;
    }
    snapshot_commit(world, &snapshot);
    status = iso__world_derive(world);
    ISO_ASSERT(status == ISO_OK); // iso__body_derive has seen every body
    return ISO_OK;
}
