/// Encoded bytes that are sent on many connections: created once, shared by a reference count.
#ifndef ISO_BASE_BUFFER_H
#define ISO_BASE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct iso__buffer {
    atomic_uint references;
    size_t size; // bytes that are used
    size_t capacity;
    bool is_secret; // overwritten before it is freed
    bool is_bare;   // no message with its size in front, but bytes that a transport sends as they are
    uint8_t bytes[];
} iso__buffer;

/// @return a buffer with one reference, or NULL when memory is short.
iso__buffer *iso__buffer_create(size_t capacity);

/// Adds a reference. @return the buffer.
iso__buffer *iso__buffer_share(iso__buffer *buffer);

/// Releases a reference; the last one frees. NULL is allowed.
void iso__buffer_release(iso__buffer *buffer);

#endif
