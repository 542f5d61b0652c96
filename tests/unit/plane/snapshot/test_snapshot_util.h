/// Snapshots in tests: made, sealed again after a change, decoded from a block of exactly their size.
#ifndef TEST_SNAPSHOT_UTIL_H
#define TEST_SNAPSHOT_UTIL_H

#include "unit/state/test_state_util.h"

#include "base/hash.h"
#include "world/world.h"
#include "base/bytes.h"
#include "state/snapshot_read.h"

typedef struct snapshot {
    uint8_t *bytes;
    size_t size;
} snapshot;

static inline snapshot snapshot_of(const iso_world *world) {
    snapshot made = {.size = iso_snapshot_size(world)};
    made.bytes = malloc(made.size);
    assert_int_equal(iso_snapshot_encode(world, made.bytes, made.size), made.size);
    return made;
}

static inline void snapshot_seal(snapshot *s) {
    iso__write_u64(s->bytes + s->size - 8, iso__hash(s->bytes, s->size - 8));
}

/// The same bytes in a block of exactly this size, so that the sanitizer sees a read beyond it.
static inline iso_status decode_exact(iso_world *world, const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    const iso_status status = iso_snapshot_decode(world, copy, size);
    iso_world_def def;
    uint64_t tick;
    (void)iso_snapshot_read_def(copy, size, &def, &tick);
    free(copy);
    return status;
}

#endif
