/// What the files of the stream share.
#ifndef ISO_TRANSPORT_STREAM_INTERNAL_H
#define ISO_TRANSPORT_STREAM_INTERNAL_H

#include "transport/stream.h"

void iso__stream_read_start(iso__stream *stream);

/// Cuts the connection at once.
void iso__stream_close(iso__stream *stream);

/// Reports a failure of what the peer sent, and listens no more.
void iso__stream_fail(iso__stream *stream, iso_status status);

/// Puts the stream on the list of those that the next flush writes.
void iso__stream_mark_dirty(iso__stream *stream);
void iso__stream_forget_dirty(iso__stream *stream);

/// Writes until the queue is empty or the kernel takes no more.
void iso__stream_write_some(iso__stream *stream);

/// Gives back what waits. @param keep_begun  a buffer that is partly written, or out in libuv, stays
void iso__stream_drop_queue(iso__stream *stream, bool keep_begun);

#endif
