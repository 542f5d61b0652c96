/// What web.c and websocket.c share.
#ifndef ISO_TRANSPORT_WEB_INTERNAL_H
#define ISO_TRANSPORT_WEB_INTERNAL_H

#include "transport/tcp_internal.h"
#include "transport/web.h"

/// Queues bytes as they are. @return false: there is no memory
bool iso__web_push(iso__web_stream *stream, const void *bytes, size_t size);

/// Counts a request or a control frame. @return whether it is one of the first `max` of this second
bool iso__web_count(iso__web_stream *stream, uint32_t max);

/// @name The protocol after the upgrade
/// @{
void iso__web_consume_frames(iso__web_stream *stream);
size_t iso__web_frame_head(const iso__tcp_stream *stream, const iso__buffer *buffer, uint8_t *head, size_t *skipped);
/// Queues a Close frame, unless one was.
void iso__web_say_close(iso__web_stream *stream);
/// Pings a peer that was silent for long.
void iso__web_sweep_frames(iso__web_stream *stream, uint64_t now);
/// @}

#endif
