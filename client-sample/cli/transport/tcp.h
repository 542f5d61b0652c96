/// Streams over TCP: each message with its size in front.
///
///      in: socket -> the dialer's memory -> framer -> handler.frame   (a stream that holds takes the rest into its own)
///     out: iso__cli_stream_send -> socket, the rest -> libuv's queue
#ifndef ISO_CLI_TCP_H
#define ISO_CLI_TCP_H

#include "transport/stream.h"

/// @return NULL when there is no memory.
iso__cli_dialer *iso__cli_tcp_dialer_create(uv_loop_t *loop);

/// Sends bytes as they are. For what no client should send: an attack on the framing needs a stream of bytes.
///
/// @param stream  of a dialer of this transport
/// @return as iso__cli_stream_send
bool iso__cli_tcp_send_raw(iso__cli_stream *stream, const void *bytes, size_t size);

#endif
