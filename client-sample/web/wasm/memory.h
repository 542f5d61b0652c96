/// The module's memory.
#ifndef ISO_WEB_MEMORY_H
#define ISO_WEB_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/allocator.h"

/// @return `size` bytes, aligned to 64, with anything in them; NULL when the memory cannot grow
void *iso__web_take(size_t size);

/// @param size  as taken
void iso__web_give(void *memory, size_t size);

iso_allocator iso__web_allocator(void);

#endif
