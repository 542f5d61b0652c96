/// What the files of HTTP and WebSocket connections share.
#ifndef ISO_TRANSPORT_WEB_INTERNAL_H
#define ISO_TRANSPORT_WEB_INTERNAL_H

#include "transport/tcp_internal.h"
#include "transport/web.h"

/// Queues bytes as they are. @return false: there is no memory
bool iso__web_push(iso__web_stream *stream, const void *bytes, size_t size);

/// Counts a request or a control frame. @return whether it is one of the first `max` of this second
bool iso__web_count(iso__web_stream *stream, uint32_t max);

#endif
