/// Encoded bytes that many connections send: made once, shared by a reference count.
#ifndef ISO_BASE_BUFFER_H
#define ISO_BASE_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct iso__buffer {
    atomic_uint references;
    size_t size; // bytes that count
    size_t capacity;
    uint8_t bytes[];
} iso__buffer;

/// @return a buffer with one reference, or NULL when there is no memory.
iso__buffer *iso__buffer_create(size_t capacity);

/// Adds a reference. @return the buffer.
iso__buffer *iso__buffer_share(iso__buffer *buffer);

/// Gives a reference back; the last one frees. NULL is allowed.
void iso__buffer_release(iso__buffer *buffer);

#endif
