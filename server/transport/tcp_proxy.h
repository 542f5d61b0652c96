/// The PROXY header in front of a connection that a proxy passes on.
#ifndef ISO_TRANSPORT_TCP_PROXY_H
#define ISO_TRANSPORT_TCP_PROXY_H

#include "transport/tcp_internal.h"

/// Takes the PROXY header of a connection. @return whether it is there, and its own bytes are to be processed
bool iso__tcp_take_proxy(iso__tcp_stream *stream);

/// Ends a connection whose header is wrong, or does not come.
void iso__tcp_refuse_unproxied(iso__tcp_stream *stream);

#endif
