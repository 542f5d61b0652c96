/// An iso_allocator on the C library's heap, for programs without an allocator of their own. The libraries do not use
/// this header: it is the only one here that needs a C library.
#ifndef ISOSTEP_HEAP_H
#define ISOSTEP_HEAP_H

#include <stdint.h>
#include <stdlib.h>

#include "isostep/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Allocates from the heap; safe from any thread.
/// @param user       not used
/// @param size       bytes, at least 1
/// @param alignment  bytes, a power of two
/// @return NULL when there is no memory, or when `size` rounded up to `alignment` is beyond SIZE_MAX
static inline void *iso_heap_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    if (size > SIZE_MAX - alignment) {
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

/// Frees memory; safe from any thread.
/// @param user    not used
/// @param memory  from iso_heap_allocate, or NULL, which does nothing
/// @param size    not used
static inline void iso_heap_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

/// @return an allocator on the heap; it has no state, so all of them are equal
static inline iso_allocator iso_heap_allocator(void) {
    const iso_allocator heap = {iso_heap_allocate, iso_heap_release, NULL};
    return heap;
}

#ifdef __cplusplus
}
#endif

#endif
