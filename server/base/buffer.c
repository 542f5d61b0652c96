/// Reference-counted bytes. The count is atomic because the session's worker creates a buffer and the I/O thread
/// releases it.
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"

iso__buffer *iso__buffer_create(size_t capacity) {
    iso__buffer *buffer = malloc(sizeof *buffer + capacity);
    if (buffer == NULL) {
        return NULL;
    }
    atomic_init(&buffer->references, 1);
    buffer->size = 0;
    buffer->capacity = capacity;
    buffer->is_secret = buffer->is_bare = false;
    return buffer;
}

iso__buffer *iso__buffer_share(iso__buffer *buffer) {
    // Only who has a reference can give another one.
    ISO_ASSERT(atomic_load_explicit(&buffer->references, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

void iso__buffer_release(iso__buffer *buffer) {
    ISO_ASSERT(buffer == NULL || (atomic_load_explicit(&buffer->references, memory_order_relaxed) > 0 &&
                                  buffer->size <= buffer->capacity));
    // The release half orders this thread's reads before the free, the acquire half those of the others.
    if (buffer == NULL || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (buffer->is_secret) {
        explicit_bzero(buffer->bytes, buffer->size);
    }
    free(buffer);
}
