/// State as bytes: memory images, portable snapshots, hashes.
///
/// Nothing here may be called within a step. Between ticks every function that leaves the state unchanged is legal.
/// Writing images and snapshots only reads the world, so several threads may do it at once. Hashes and differences
/// change cached hashes, so no other thread may use the world meanwhile (world.h). iso_world_restore,
/// iso_snapshot_decode and iso_world_flip_bit change the state: in a networked world only the program part that steps
/// it may call them.
#ifndef ISOSTEP_SNAPSHOT_H
#define ISOSTEP_SNAPSHOT_H

#include "isostep/field.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @name Memory image
/// The used parts of the world's block, for rollback within one process and build. Microseconds.
/// @{

/// The number of bytes that iso_world_save would write now.
size_t iso_world_image_size(const iso_world *world);
/// The maximum number of bytes of any image of this world.
size_t iso_world_image_size_max(const iso_world *world);
/// @return the bytes written; 0 when `capacity` is below iso_world_image_size.
size_t iso_world_save(const iso_world *world, void *image, size_t capacity);
/// @return ISO_OK; ISO_ERR_SCHEMA (not an image of a world of this definition); ISO_ERR_TRUNCATED.
iso_status iso_world_restore(iso_world *world, const void *image, size_t size);
/// @}

/// @name Snapshot
/// Every field, fixed width, little endian, with a schema hash: for joining, recordings, other
/// builds, other byte orders. The format is described in proto/RECORDING.md.
/// @{

size_t iso_snapshot_size(const iso_world *world);
/// @return the bytes written; 0 when `capacity` is below iso_snapshot_size.
size_t iso_snapshot_encode(const iso_world *world, uint8_t *bytes, size_t capacity);

/// Reads the world definition and tick from a snapshot's head, so that a world can be created for it.
/// @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_TRUNCATED; ISO_ERR_VERSION; ISO_ERR_SCHEMA; ISO_ERR_RANGE.
iso_status iso_snapshot_read_def(const uint8_t *bytes, size_t size, iso_world_def *def, uint64_t *tick);

/// Replaces the state of a world of the same definition. Every value is checked: snapshots are not trusted.
/// @return as above. On error the world is unchanged.
iso_status iso_snapshot_decode(iso_world *world, const uint8_t *bytes, size_t size);
/// @}

/// @name Hash
/// XXH3-64 over canonical bytes: a shard covers 64 consecutive records, a section its shards, the
/// root the sections. Shards are cached and hashed again when a record has changed. HEIGHTS, HEIGHT_SAMPLES and
/// OWN_MASSES are only in the root of a world that has records of them.
/// @{

/// X(name, snake)
#define ISO_SECTION_LIST(X)               \
    X(DEF, def)                           \
    X(GLOBALS, globals)                   \
    X(SLOTS, slots)                       \
    X(BODIES, bodies)                     \
    X(SHAPES, shapes)                     \
    X(JOINTS, joints)                     \
    X(CONTACTS, contacts)                 \
    X(PROGRAMS, programs)                 \
    X(CUSTOM_JOINTS, custom_joints)       \
    X(COMPOUNDS, compounds)               \
    X(BLUEPRINTS, blueprints)             \
    X(BLUEPRINT_BODIES, blueprint_bodies) \
    X(BLUEPRINT_SHAPES, blueprint_shapes) \
    X(BLUEPRINT_JOINTS, blueprint_joints) \
    X(GENERATIONS, generations)           \
    X(HEIGHTS, heights)                   \
    X(HEIGHT_SAMPLES, height_samples)     \
    X(OWN_MASSES, own_masses)             \
    X(GAME, game)

typedef enum iso_section {
#define ISO_SECTION_ENUM(name, snake) ISO_SECTION_##name,
    ISO_SECTION_LIST(ISO_SECTION_ENUM)
#undef ISO_SECTION_ENUM
        ISO_SECTION_COUNT
} iso_section;

/// The root hash of the state after the last step. A number that is no section has no fields and no records: NULL, 0,
/// the hash of nothing, the name "unknown".
uint64_t iso_world_root(iso_world *world);
uint64_t iso_world_section_hash(iso_world *world, iso_section section);
const char *iso_section_name(iso_section section);

/// The fields of one section's records; one record for DEF and GLOBALS. NULL for an empty section.
const iso_field *iso_section_fields(const iso_world *world, iso_section section, uint32_t *field_count);
/// The number of records of a section, including free slots below the highest used one.
uint32_t iso_section_record_count(const iso_world *world, iso_section section);
/// The struct that the field offsets refer to.
const void *iso_section_record(const iso_world *world, iso_section section, uint32_t index);
/// How many elements of a field this record uses (a polygon's vertices); else the field's count.
uint32_t iso_field_used_count(const iso_world *world, iso_section section, const void *record, const iso_field *field);
/// @}

/// @name Difference
/// @{

typedef struct iso_diff {
    iso_section section;
    uint32_t record;
    const iso_field *field; // NULL when the number of records differs
    uint32_t element;
    int64_t value_a, value_b; // bit patterns, sign-extended for signed types
} iso_diff;

/// The first differences between two worlds in canonical order.
/// @return how many were found, at most `capacity`.
uint32_t iso_world_diff(iso_world *a, iso_world *b, iso_diff *diffs, uint32_t capacity);

/// Flips the lowest bit of one body's position: a deliberate desync, for drills and tests.
/// @return ISO_OK; ISO_ERR_STALE when there is no dynamic body.
iso_status iso_world_flip_bit(iso_world *world);
/// @}

/// @name Fingerprint
/// @{

/// What must be equal in two builds for them to compute the same. Compared in the handshake and when a recording is
/// read.
typedef struct iso_fingerprint {
    uint32_t simulation_version; // raised only when a golden hash changes
    uint64_t schema;             // hash of all persisted fields' names, types and counts
    uint64_t arithmetic;         // digest of known answers of the arithmetic
    char game[ISO_GAME_NAME_MAX + 1];
    uint32_t game_version;
    uint64_t game_params; // hash of the parameters' values
} iso_fingerprint;

void iso_fingerprint_make(const iso_world_def *def, const iso_game *game, iso_fingerprint *fingerprint);
bool iso_fingerprint_equal(const iso_fingerprint *a, const iso_fingerprint *b);
/// @}

#ifdef __cplusplus
}
#endif

#endif
