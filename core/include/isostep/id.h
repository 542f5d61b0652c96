/// Handles of bodies, shapes, joints and compounds.
///
/// A handle is an index and a generation, passed by value; all zero is null. A generation is odd
/// while its slot is alive and even while it is free, so a stale handle never matches. Creation takes
/// the lowest free index, which makes the next handle a function of the state alone. iso_body_is_valid,
/// iso_shape_is_valid, iso_joint_is_valid and iso_compound_is_valid return whether a handle names a live object.
/// Programs, games' constraints, contacts and slots have indices instead of handles, see world.h.
///
/// The functions here depend only on their arguments: they may be called anywhere, from any thread.
#ifndef ISOSTEP_ID_H
#define ISOSTEP_ID_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_body_id {
    uint32_t index;
    uint32_t generation;
} iso_body_id;

typedef struct iso_shape_id {
    uint32_t index;
    uint32_t generation;
} iso_shape_id;

typedef struct iso_joint_id {
    uint32_t index;
    uint32_t generation;
} iso_joint_id;

typedef struct iso_compound_id {
    uint32_t index;
    uint32_t generation;
} iso_compound_id;

/// The 64-bit form of a handle, used in text, on the wire and in recordings: generation in the high half.
static inline uint64_t iso_id_pack(uint32_t index, uint32_t generation) {
    return (uint64_t)generation << 32 | index;
}

static inline uint64_t iso_body_id_pack(iso_body_id body) {
    return iso_id_pack(body.index, body.generation);
}

static inline uint64_t iso_shape_id_pack(iso_shape_id shape) {
    return iso_id_pack(shape.index, shape.generation);
}

static inline uint64_t iso_joint_id_pack(iso_joint_id joint) {
    return iso_id_pack(joint.index, joint.generation);
}

static inline uint64_t iso_compound_id_pack(iso_compound_id compound) {
    return iso_id_pack(compound.index, compound.generation);
}

/// The handles of packed ids; 0 gives null.
static inline uint32_t iso_id_unpack_index(uint64_t id) {
    return (uint32_t)id;
}

static inline uint32_t iso_id_unpack_generation(uint64_t id) {
    return (uint32_t)(id >> 32);
}

static inline iso_body_id iso_body_id_unpack(uint64_t id) {
    const iso_body_id body = {iso_id_unpack_index(id), iso_id_unpack_generation(id)};
    return body;
}

static inline iso_shape_id iso_shape_id_unpack(uint64_t id) {
    const iso_shape_id shape = {iso_id_unpack_index(id), iso_id_unpack_generation(id)};
    return shape;
}

static inline iso_joint_id iso_joint_id_unpack(uint64_t id) {
    const iso_joint_id joint = {iso_id_unpack_index(id), iso_id_unpack_generation(id)};
    return joint;
}

static inline iso_compound_id iso_compound_id_unpack(uint64_t id) {
    const iso_compound_id compound = {iso_id_unpack_index(id), iso_id_unpack_generation(id)};
    return compound;
}

/// Whether two handles are equal, whether valid or stale.
static inline bool iso_body_id_equal(iso_body_id a, iso_body_id b) {
    return a.index == b.index && a.generation == b.generation;
}

static inline bool iso_shape_id_equal(iso_shape_id a, iso_shape_id b) {
    return a.index == b.index && a.generation == b.generation;
}

static inline bool iso_joint_id_equal(iso_joint_id a, iso_joint_id b) {
    return a.index == b.index && a.generation == b.generation;
}

static inline bool iso_compound_id_equal(iso_compound_id a, iso_compound_id b) {
    return a.index == b.index && a.generation == b.generation;
}

/// Whether a handle is null: the result of functions that found nothing. A null handle is not valid in any world.
static inline bool iso_body_id_is_null(iso_body_id body) {
    return body.generation == 0;
}

static inline bool iso_shape_id_is_null(iso_shape_id shape) {
    return shape.generation == 0;
}

static inline bool iso_joint_id_is_null(iso_joint_id joint) {
    return joint.generation == 0;
}

static inline bool iso_compound_id_is_null(iso_compound_id compound) {
    return compound.generation == 0;
}

/// Who may command a body, joint or compound.
///
/// A member's ownership names the generation of its slot, so that the next member in the same slot
/// does not inherit it.
#define ISO_OWNER_NOBODY   ((uint16_t)0xFFFF)
#define ISO_OWNER_EVERYONE ((uint16_t)0xFFFE)

typedef struct iso_owner {
    uint32_t generation; // of the slot; 0 for NOBODY and EVERYONE
    uint16_t slot;       // 0 to 31, ISO_OWNER_NOBODY or ISO_OWNER_EVERYONE
} iso_owner;

#ifdef __cplusplus
}
#endif

#endif
