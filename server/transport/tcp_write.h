/// What TCP streams send.
#ifndef ISO_TRANSPORT_TCP_WRITE_H
#define ISO_TRANSPORT_TCP_WRITE_H

#include "transport/tcp_internal.h"

/// Entries of the tables of functions.
void iso__tcp_send(iso__stream *stream, iso__buffer *buffer, bool farewell);
void iso__tcp_cut(iso__stream *stream);
void iso__tcp_flush(iso__listener *listener);

#endif
