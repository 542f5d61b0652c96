/// Streams over TCP: each message with its size in front.
///
///      in: socket -> the dialer's memory -> framer -> handler.frame   (one that holds takes the rest into its own)
///     out: iso__uv_stream_send -> socket, the rest -> libuv's queue
#ifndef ISO_UV_TCP_H
#define ISO_UV_TCP_H

#include "transport/stream.h"

/// @return NULL when there is no memory.
iso__uv_dialer *iso__uv_tcp_dialer_create(uv_loop_t *loop);

/// Sends bytes as they are. For what no client should send: an attack on the framing needs a stream of bytes.
///
/// @param stream  of a dialer of this transport
/// @return as iso__uv_stream_send
bool iso__uv_tcp_send_raw(iso__uv_stream *stream, const void *bytes, size_t size);

#endif
