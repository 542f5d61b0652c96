/// What the files of the TCP streams share.
#ifndef ISO_TRANSPORT_TCP_INTERNAL_H
#define ISO_TRANSPORT_TCP_INTERNAL_H

#include "transport/tcp.h"

static inline iso__tcp_stream *iso__tcp_of(iso__stream *stream) {
    return (iso__tcp_stream *)stream;
}

static inline iso__tcp_listener *iso__tcp_listener_of(const iso__tcp_stream *stream) {
    return (iso__tcp_listener *)stream->base.listener;
}

static inline const iso__stream_handler *iso__tcp_handler(const iso__tcp_stream *stream) {
    return &stream->base.listener->config.handler;
}

void iso__tcp_read_start(iso__tcp_stream *stream);

/// Cuts the connection at once.
void iso__tcp_close(iso__tcp_stream *stream);

/// Reports a failure of what the peer sent, and stops listening to it.
void iso__tcp_fail(iso__tcp_stream *stream, iso_status status);

/// Discards what the peer sends from now on; sending continues.
void iso__tcp_deafen(iso__tcp_stream *stream);

/// Puts the stream on the list of those that the next flush writes.
void iso__tcp_mark_dirty(iso__tcp_stream *stream);
void iso__tcp_forget_dirty(iso__tcp_stream *stream);

/// Writes until the queue is empty or the kernel accepts no more.
void iso__tcp_write_some(iso__tcp_stream *stream);

/// Releases the waiting buffers. @param keep_begun  a buffer that is partly written, or in progress in libuv, stays
void iso__tcp_drop_queue(iso__tcp_stream *stream, bool keep_begun);

/// @name Entries of the tables of functions
/// @{
void iso__tcp_send(iso__stream *stream, iso__buffer *buffer, bool farewell);
void iso__tcp_resume(iso__stream *stream);
void iso__tcp_flush(iso__listener *listener);
/// @}

#endif
