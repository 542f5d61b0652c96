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

static inline const iso__tcp_protocol *iso__tcp_protocol_of(const iso__tcp_stream *stream) {
    return iso__tcp_listener_of(stream)->protocol;
}

/// Initialises a listener of another protocol than frames with their size in front.
iso__listener *iso__tcp_listener_init_for(iso__tcp_listener *listener, const iso__tcp_protocol *protocol);

/// Offers a message to the handler. @return false: not now, and the stream has paused
bool iso__tcp_offer(iso__tcp_stream *stream, const uint8_t *frame, size_t size);

/// Stops reading until iso__tcp_resume or iso__tcp_read_on.
void iso__tcp_pause(iso__tcp_stream *stream);

/// Processes what was received before the pause, and reads on unless that pauses again.
void iso__tcp_read_on(iso__tcp_stream *stream);

void iso__tcp_read_start(iso__tcp_stream *stream);

/// Cuts the connection at once.
void iso__tcp_close(iso__tcp_stream *stream);

/// Reports a failure of what the peer sent, and stops listening to it.
void iso__tcp_fail(iso__tcp_stream *stream, iso_status status);

/// Takes the PROXY header of a connection. @return whether it is there, and its own bytes are to be processed
bool iso__tcp_take_proxy(iso__tcp_stream *stream);

/// Discards what the peer sends from now on; sending continues.
void iso__tcp_deafen(iso__tcp_stream *stream);

/// Puts the stream on the list of those that the next flush writes.
void iso__tcp_mark_dirty(iso__tcp_stream *stream);
void iso__tcp_forget_dirty(iso__tcp_stream *stream);

/// Writes until the queue is empty or the kernel accepts no more.
void iso__tcp_write_some(iso__tcp_stream *stream);

/// Queues a buffer of the protocol's own, whatever the maximum says: one more than that may be queued with it.
void iso__tcp_push(iso__tcp_stream *stream, iso__buffer *buffer);

/// Releases the waiting buffers. @param keep_begun  a buffer that is partly written, or in progress in libuv, stays
void iso__tcp_drop_queue(iso__tcp_stream *stream, bool keep_begun);

/// Of the protocol of frames with their size in front: its `consume`.
void iso__tcp_consume_frames(iso__tcp_stream *stream);

/// @name Entries of the tables of functions
/// @{
void iso__tcp_send(iso__stream *stream, iso__buffer *buffer, bool farewell);
void iso__tcp_resume(iso__stream *stream);
void iso__tcp_flush(iso__listener *listener);
/// @}

#endif
