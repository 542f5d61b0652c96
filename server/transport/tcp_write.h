/// What TCP streams send.
#ifndef ISO_TRANSPORT_TCP_WRITE_H
#define ISO_TRANSPORT_TCP_WRITE_H

#include "transport/tcp_internal.h"

/// Puts the stream on the list of those that the next flush writes.
void iso__tcp_mark_dirty(iso__tcp_stream *stream);
void iso__tcp_forget_dirty(iso__tcp_stream *stream);

/// Writes until the queue is empty or the kernel accepts no more.
void iso__tcp_write_some(iso__tcp_stream *stream);

/// Queues a buffer of the protocol's own, whatever the maximum says: one more than that may be queued with it.
void iso__tcp_push(iso__tcp_stream *stream, iso__buffer *buffer);

/// Releases the waiting buffers. @param keep_begun  a buffer that is partly written, or in progress in libuv, stays
void iso__tcp_drop_queue(iso__tcp_stream *stream, bool keep_begun);

/// Entries of the tables of functions.
void iso__tcp_send(iso__stream *stream, iso__buffer *buffer, bool farewell);
void iso__tcp_flush(iso__listener *listener);

#endif
