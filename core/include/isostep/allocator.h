/// Memory for the state machines above the core.
///
/// Session and client library run without a C library (in the browser, in tests), so the caller provides the memory.
/// They allocate when a session or world is created, never in a tick. The functions are called by the thread that calls
/// the library. An allocator that is used for state machines of several threads must be thread-safe.
#ifndef ISOSTEP_ALLOCATOR_H
#define ISOSTEP_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_allocator {
    /// @param alignment  a power of two, at most 64
    /// @return NULL when there is no memory
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /// @param size  as allocated
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} iso_allocator;

#ifdef __cplusplus
}
#endif

#endif
