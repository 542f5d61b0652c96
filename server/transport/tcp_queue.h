/// What waits to be sent over a TCP stream: a bounded ring of shared buffers, and the list of streams that have some.
#ifndef ISO_TRANSPORT_TCP_QUEUE_H
#define ISO_TRANSPORT_TCP_QUEUE_H

#include "transport/tcp_internal.h"

/// A waiting buffer as it goes over the wire.
typedef struct iso__tcp_wire_form {
    uint8_t head[ISO__TCP_HEAD_MAX];
    size_t head_size;
    size_t skipped; // bytes of the buffer that are left out
    size_t size;    // of all
} iso__tcp_wire_form;

/// A waiting buffer. @param index  from 0, the next one to be sent
iso__buffer *iso__tcp_queue_at(const iso__tcp_stream *stream, uint32_t index);

/// How a buffer goes over the wire, and how large it is then.
iso__tcp_wire_form iso__tcp_wire_form_of(const iso__tcp_stream *stream, const iso__buffer *buffer);
size_t iso__tcp_wire_size(const iso__tcp_stream *stream, const iso__buffer *buffer);

/// Puts the stream on the list of those that the next flush writes.
void iso__tcp_mark_dirty(iso__tcp_stream *stream);
void iso__tcp_forget_dirty(iso__tcp_stream *stream);

/// Queues a buffer of the protocol's own, whatever the maximum says: one more than that may be queued with it.
void iso__tcp_push(iso__tcp_stream *stream, iso__buffer *buffer);

/// Releases the waiting buffers. @param keep_begun  a buffer that is partly written, or in progress in libuv, stays
void iso__tcp_drop_queue(iso__tcp_stream *stream, bool keep_begun);

#endif
