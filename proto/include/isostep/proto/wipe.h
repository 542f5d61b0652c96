/// Overwriting secrets in memory that is used again, or given back. For parts that have no library for it.
#ifndef ISOSTEP_PROTO_WIPE_H
#define ISOSTEP_PROTO_WIPE_H

#include <stddef.h>
#include <stdint.h>

/// Overwrites what nobody may find any more: the compiler may not leave it out, though nothing reads it.
static inline void iso_wipe(void *memory, size_t size) {
    volatile uint8_t *bytes = (volatile uint8_t *)memory;
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = 0;
    }
}

#endif
