/// The parts of a snapshot, between the files that write, read and check it.
#ifndef ISO_STATE_SNAPSHOT_H
#define ISO_STATE_SNAPSHOT_H

#include "base/bytes.h"
#include "state/section.h"

#define ISO__SNAPSHOT_VERSION   1u
#define ISO__SNAPSHOT_HEAD_SIZE 40u
#define ISO__SNAPSHOT_TAIL_SIZE 8u
#define ISO__DEF_ENCODED_SIZE   sizeof(iso_world_def)  // fields.c asserts that it has no padding

/// Where the parts of a snapshot begin. The bytes belong to the caller and may have any alignment.
typedef struct iso__snapshot {
    iso__globals globals;
    const uint8_t *slots;
    const uint8_t *bodies;
    const uint8_t *shapes;
    size_t shapes_size;
    const uint8_t *joints;
    const uint8_t *contacts;
    const uint8_t *programs;
    const uint8_t *custom_joints;
    const uint8_t *generations;  // of bodies, then shapes, then joints
    const uint8_t *game;
} iso__snapshot;

/// Hash of the names, types and counts of the core's fields, and of a game's (0 without a game).
uint64_t iso__schema_core(void);
uint64_t iso__schema_game(const iso_game *game);

/// Reads `count` records of a section whose records have a fixed size. @return the bytes they took
size_t iso__snapshot_read_records(iso_section section, const uint8_t *bytes, void *records, uint32_t count);

/// Reads the shape at `bytes`, of which `size` bytes are left. The unused vertices become zero.
/// @return the bytes it took; 0 when it does not fit or has more vertices than a shape can have
size_t iso__snapshot_read_shape(const uint8_t *bytes, size_t size, iso__shape *shape);

static inline uint32_t iso__snapshot_body_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->generations + 4u * (size_t)index);
}

static inline uint32_t iso__snapshot_shape_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->generations + 4u * ((size_t)snapshot->globals.body_count + index));
}

static inline uint32_t iso__snapshot_joint_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->generations +
                         4u * ((size_t)snapshot->globals.body_count + snapshot->globals.shape_count + index));
}

/// Checks everything about a state that can be judged record by record or by one record's reference to
/// another. What remains are the masses of bodies and the contacts, which need shapes at random.
iso_status iso__snapshot_check(const iso_world *world, const iso__snapshot *snapshot);

/// Checks programs and custom joints; the joints themselves have been checked. snapshot_check_custom.c
bool iso__snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot);

/// Checks the contacts of a snapshot whose shapes already stand in the world.
iso_status iso__snapshot_check_contacts(const iso_world *world, const iso__snapshot *snapshot);

#endif
