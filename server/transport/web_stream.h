/// What a connection does before its upgrade (web.c) and after it (web_frames.c).
#ifndef ISO_TRANSPORT_WEB_STREAM_H
#define ISO_TRANSPORT_WEB_STREAM_H

#include "transport/web.h"

/// Queues bytes as they are. @return false: there is no memory
bool iso__web_push(iso__web_stream *stream, const void *bytes, size_t size);

/// Counts a request or a control frame. @return whether it is one of the first `max` of this second
bool iso__web_count(iso__web_stream *stream, uint32_t max);

#endif
