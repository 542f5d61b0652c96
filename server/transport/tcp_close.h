/// The end of a TCP stream.
#ifndef ISO_TRANSPORT_TCP_CLOSE_H
#define ISO_TRANSPORT_TCP_CLOSE_H

#include "transport/tcp_internal.h"

/// Cuts the connection at once.
void iso__tcp_close(iso__tcp_stream *stream);

#endif
