/// An iso_allocator over the C library's heap, for programs that bring no memory of their own. The libraries do without
/// this header: it is the only one here that needs a C library.
#ifndef ISOSTEP_HEAP_H
#define ISOSTEP_HEAP_H

#include <stdint.h>
#include <stdlib.h>

#include "isostep/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @param user       not used
/// @param alignment  a power of two
/// @return NULL when there is no memory
static inline void *iso_heap_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    if (size > SIZE_MAX - alignment) {
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

/// @param user  not used
/// @param size  not used
static inline void iso_heap_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

static inline iso_allocator iso_heap_allocator(void) {
    const iso_allocator heap = {iso_heap_allocate, iso_heap_release, NULL};
    return heap;
}

#ifdef __cplusplus
}
#endif

#endif
