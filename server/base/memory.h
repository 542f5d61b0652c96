/// Memory for the pure libraries: aligned blocks from the heap, counted and limited.
#ifndef ISO_BASE_MEMORY_H
#define ISO_BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "isostep/allocator.h"

typedef struct iso__memory {
    size_t limit;               // [bytes] above it allocations fail
    atomic_size_t used;         // [bytes]
    atomic_bool limit_refused;  // an allocation failed because of the limit
    atomic_bool system_refused; // an allocation failed below it
} iso__memory;

/// An allocator that takes from `memory`, which must outlive all that is allocated.
iso_allocator iso__memory_allocator(iso__memory *memory);

/// The same for worlds, in huge pages where the kernel has them. A world has room for all that its definition allows,
/// and a tick touches a little of each array: about 60 pages of 4 KiB. With many worlds the processor forgets where
/// these are from one tick of a world to the next. All of a world's memory is written when it is created, so huge pages
/// take no more.
iso_allocator iso__memory_world_allocator(iso__memory *memory);

/// Whether the system can provide a block of this size now. It is freed at once.
bool iso__memory_is_there(size_t size);

/// Why an allocation failed, for a message: the limit, or the system. @return text
const char *iso__memory_why(const iso__memory *memory, char *text, size_t capacity);

#endif
