#include "transport/web_stream.h"

#include <string.h>

#include "base/clock.h"
#include "isostep/assert.h"
#include "transport/tcp_queue.h"

#define SECOND_NS UINT64_C(1000000000)

bool iso__web_push(iso__web_stream *stream, const void *bytes, size_t size) {
    ISO_ASSERT(size > 0 && stream->tcp.out_count < ISO__STREAM_QUEUED_COUNT_MAX);
    iso__buffer *buffer = iso__buffer_create(size);
    if (buffer == NULL) {
        return false;
    }
    memcpy(buffer->bytes, bytes, size);
    buffer->size = size;
    buffer->is_bare = true;
    iso__tcp_push(&stream->tcp, buffer);
    iso__buffer_release(buffer);
    return true;
}

bool iso__web_count(iso__web_stream *stream, uint32_t max) {
    ISO_ASSERT(max > 0);
    const uint64_t now = iso__clock_now();
    if (now - stream->counted_ns >= SECOND_NS) {
        stream->counted_ns = now;
        stream->counted = 0;
    }
    return ++stream->counted <= max;
}
