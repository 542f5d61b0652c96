/// The protocol of a WebSocket connection, after the upgrade.
#ifndef ISO_TRANSPORT_WEB_FRAMES_H
#define ISO_TRANSPORT_WEB_FRAMES_H

#include "transport/web.h"

void iso__web_consume_frames(iso__web_stream *stream);
size_t iso__web_frame_head(const iso__tcp_stream *stream, const iso__buffer *buffer, uint8_t *head, size_t *skipped);
/// Queues a Close frame, unless one was.
void iso__web_say_close(iso__web_stream *stream);
/// Pings a peer that was silent for long.
void iso__web_sweep_frames(iso__web_stream *stream, uint64_t now);

#endif
