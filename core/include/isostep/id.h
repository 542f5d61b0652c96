/// Handles of bodies, shapes and joints.
///
/// A handle is an index and a generation, passed by value; all zero is null. A generation is odd
/// while its slot is alive and even while it is free, so a stale handle never matches. Creation takes
/// the lowest free index, which makes the next handle a function of the state alone.
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

/// The 64-bit form of a handle, as text, wire and recordings write it: generation in the high half.
static inline uint64_t iso_id_pack(uint32_t index, uint32_t generation) {
    return (uint64_t)generation << 32 | index;
}

/// The handles of packed ids.
static inline iso_body_id iso_body_id_unpack(uint64_t id) {
    const iso_body_id body = {(uint32_t)id, (uint32_t)(id >> 32)};
    return body;
}

static inline iso_shape_id iso_shape_id_unpack(uint64_t id) {
    const iso_shape_id shape = {(uint32_t)id, (uint32_t)(id >> 32)};
    return shape;
}

static inline iso_joint_id iso_joint_id_unpack(uint64_t id) {
    const iso_joint_id joint = {(uint32_t)id, (uint32_t)(id >> 32)};
    return joint;
}

static inline bool iso_body_id_equal(iso_body_id a, iso_body_id b) {
    return a.index == b.index && a.generation == b.generation;
}

/// Who may command a body or joint.
///
/// A member's ownership names the generation of its slot, so that the next member in the same slot
/// does not inherit it.
#define ISO_OWNER_NOBODY   ((uint16_t)0xFFFF)
#define ISO_OWNER_EVERYONE ((uint16_t)0xFFFE)

typedef struct iso_owner {
    uint32_t generation; // of the slot; 0 for nobody and everyone
    uint16_t slot;       // 0 to 31, ISO_OWNER_NOBODY or ISO_OWNER_EVERYONE
} iso_owner;

#ifdef __cplusplus
}
#endif

#endif
