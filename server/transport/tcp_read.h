/// What TCP streams receive.
#ifndef ISO_TRANSPORT_TCP_READ_H
#define ISO_TRANSPORT_TCP_READ_H

#include "transport/tcp_internal.h"

/// Offers a message to the handler. @return false: not now, and the stream has paused
bool iso__tcp_offer(iso__tcp_stream *stream, const uint8_t *frame, size_t size);

/// Stops reading until iso__tcp_resume or iso__tcp_read_on.
void iso__tcp_pause(iso__tcp_stream *stream);

/// Processes what was received before the pause, and reads on unless that pauses again.
void iso__tcp_read_on(iso__tcp_stream *stream);

void iso__tcp_read_start(iso__tcp_stream *stream);

/// Reports a failure of what the peer sent, and stops listening to it.
void iso__tcp_fail(iso__tcp_stream *stream, iso_status status);

/// Discards what the peer sends from now on; sending continues.
void iso__tcp_deafen(iso__tcp_stream *stream);

/// Of the protocol of frames with their size in front: its `consume`.
void iso__tcp_consume_frames(iso__tcp_stream *stream);

/// An entry of the table of functions.
void iso__tcp_resume(iso__stream *stream);

#endif
