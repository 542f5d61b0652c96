/// Which thread an object belongs to: functions that belong to that thread assert it.
///
/// An object is free until a thread takes it. Until then, and after that thread has released it, whoever holds it may
/// use it: so one is prepared before its thread begins, and freed after its end.
///
/// There may be several threads of a kind, so functions name the object that knows its thread, never a thread.
#ifndef ISO_BASE_AFFINITY_H
#define ISO_BASE_AFFINITY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "isostep/assert.h"

typedef struct iso__affinity {
    atomic_uintptr_t thread; // 0: free
} iso__affinity;

/// The object is the calling thread's from now on. It must be free, or that thread's already.
void iso__affinity_take(iso__affinity *affinity);

/// It is free again. Only its thread may say so.
void iso__affinity_release(iso__affinity *affinity);

/// Whether the calling thread may use the object: it is that thread's, or free. The order of memory does not matter: a
/// thread finds its own mark, and what it finds of others is not its own.
static inline bool iso__affinity_is_here(const iso__affinity *affinity) {
    const uintptr_t thread = atomic_load_explicit(&affinity->thread, memory_order_relaxed);
    return thread == 0 || thread == (uintptr_t)pthread_self();
}

/// Whether the calling thread is not the one that has the object: it is another's, or free.
static inline bool iso__affinity_is_elsewhere(const iso__affinity *affinity) {
    return atomic_load_explicit(&affinity->thread, memory_order_relaxed) != (uintptr_t)pthread_self();
}

/// At the entry of a function that belongs to the object's thread.
#define ISO__ASSERT_ON(affinity) ISO_ASSERT(iso__affinity_is_here(affinity))

/// At the entry of a function that the object's thread must not call: it would wait for itself, or what it gets is not
/// its own.
#define ISO__ASSERT_OFF(affinity) ISO_ASSERT(iso__affinity_is_elsewhere(affinity))

#endif
