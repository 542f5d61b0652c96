/// The pieces of a stage, on the caller's threads or on the calling one alone.
#ifndef ISO_SOLVER_PARALLEL_H
#define ISO_SOLVER_PARALLEL_H

#include "base/inline.h"
#include "world/world.h"

/// Does the items from begin on, up to end. Calls with other items may run at the same time.
typedef void iso__range_fn(iso_world *world, void *data, uint32_t begin, uint32_t end);

/// Whether the caller has given threads. ISO_NO_THREADS leaves out what only these need: the browser's module has none.
static inline bool iso__has_threads(const iso_world *world) {
#ifdef ISO_NO_THREADS
    (void)world;
    return false;
#else
    return world->parallel.run != NULL;
#endif
}

/// iso__parallel_for in a world with threads.
void iso__parallel_run(iso_world *world, uint32_t begin, uint32_t end, uint32_t grain, iso__range_fn *work, void *data);

/// Calls `work` for ranges that cover [begin, end) once. Without threads that is a direct call, which the compiler can
/// inline: many stages of a small world are a few bodies or contacts long.
/// @param grain  the fewest items that are worth another thread
ISO__ALWAYS_INLINE void iso__parallel_for(iso_world *world, uint32_t begin, uint32_t end, uint32_t grain,
                                          iso__range_fn *work, void *data) {
    if (iso__has_threads(world)) {
        iso__parallel_run(world, begin, end, grain, work, data);
    } else {
        work(world, data, begin, end);
    }
}

/// Sets a bit that several pieces may set, and none clears.
static inline bool iso__bit_is_set_shared(const uint64_t *words, uint32_t i) {
    return (__atomic_load_n(&words[i / 64], __ATOMIC_RELAXED) >> (i % 64) & 1) != 0;
}

static inline void iso__bit_set_shared(uint64_t *words, uint32_t i) {
    const uint64_t bit = UINT64_C(1) << (i % 64);
    if ((__atomic_load_n(&words[i / 64], __ATOMIC_RELAXED) & bit) == 0) { // mostly it is set: bits of islands
        __atomic_fetch_or(&words[i / 64], bit, __ATOMIC_RELAXED);
    }
}

/// Adds to a count that several pieces share. Sums do not depend on the order.
static inline void iso__count_shared(uint64_t *count, uint64_t by) {
    if (by != 0) {
        __atomic_fetch_add(count, by, __ATOMIC_RELAXED);
    }
}

#endif
