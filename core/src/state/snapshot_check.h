/// The rules of a snapshot that worlds of every kind have.
#ifndef ISO_STATE_SNAPSHOT_CHECK_H
#define ISO_STATE_SNAPSHOT_CHECK_H

#include "state/snapshot_read.h"

static inline bool iso__check_is_within32(int32_t value, int32_t limit) {
    return value >= -limit && value <= limit;
}

static inline bool iso__check_is_within64(int64_t value, int64_t limit) {
    return value >= -limit && value <= limit;
}

static inline bool iso__check_is_zero(const void *record, size_t size) {
    const uint8_t *bytes = record;
    uint8_t sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum |= bytes[i];
    }
    return sum == 0;
}

/// Slots that were used have lived at least once.
static inline bool iso__check_generation(uint32_t generation, bool is_alive) {
    // The largest is even: a slot that is used up; no living one is beyond it.
    return generation > 0 && generation <= UINT32_C(0xFFFFFFFE) && iso__generation_is_alive(generation) == is_alive;
}

/// The order of contacts.
typedef struct iso__check_key {
    uint64_t bodies; // a << 32 | b
    uint64_t shapes;
    uint32_t child;
} iso__check_key;

static inline bool iso__check_key_less(const iso__check_key *a, const iso__check_key *b) {
    if (a->bodies != b->bodies) {
        return a->bodies < b->bodies;
    }
    return a->shapes != b->shapes ? a->shapes < b->shapes : a->child < b->child;
}

bool iso__check_globals(const iso__globals *globals);

/// Checks the slots. @param generations  of those that are occupied, else 0 @param counts  of their bodies
bool iso__check_slots(const iso_world *world, const iso__snapshot *snapshot, uint32_t generations[ISO_SLOT_COUNT_MAX],
                      uint32_t counts[ISO_SLOT_COUNT_MAX]);

#endif
