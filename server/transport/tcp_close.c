/// The end of a TCP stream: reading and writing end one as its life does.
#include "transport/tcp_close.h"

#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "transport/tcp_queue.h"

static void on_closed(uv_handle_t *handle) {
    iso__tcp_stream *stream = handle->data;
    iso__listener *listener = stream->base.listener;
    iso__tcp_drop_queue(stream, false);
    if (iso__tcp_protocol_of(stream)->free != NULL) {
        iso__tcp_protocol_of(stream)->free(stream);
    }
    if (stream->base.previous != NULL) {
        stream->base.previous->next = stream->base.next;
    } else {
        listener->first = stream->base.next;
    }
    if (stream->base.next != NULL) {
        stream->base.next->previous = stream->base.previous;
    }
    --listener->stream_count;
    if (listener->config.stream_total != NULL) {
        --*listener->config.stream_total;
    }
    free(stream->proxy);
    // The beginning of a HELLO that never came whole may be in it.
    explicit_bzero(stream->in, sizeof stream->in);
    explicit_bzero(stream->frame, sizeof stream->frame);
    free(stream);
}

void iso__tcp_close(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->base.listener->stream_count > 0);
    if (stream->base.state == ISO__STREAM_CLOSING) {
        return;
    }
    stream->base.state = ISO__STREAM_CLOSING;
    if (stream->is_dirty) {
        iso__tcp_forget_dirty(stream);
    }
    if (stream->is_taken) {
        iso__tcp_handler(stream)->closed(iso__tcp_handler(stream)->user, &stream->base);
    }
    uv_close((uv_handle_t *)&stream->tcp, on_closed);
}
