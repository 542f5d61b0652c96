/// What the files of the TCP streams share.
#ifndef ISO_TRANSPORT_TCP_INTERNAL_H
#define ISO_TRANSPORT_TCP_INTERNAL_H

#include "transport/tcp.h"

static inline iso__tcp_stream *iso__tcp_of(iso__stream *stream) {
    return (iso__tcp_stream *)stream;
}

static inline iso__tcp_listener *iso__tcp_listener_of(const iso__tcp_stream *stream) {
    return (iso__tcp_listener *)stream->base.listener;
}

static inline const iso__stream_handler *iso__tcp_handler(const iso__tcp_stream *stream) {
    return &stream->base.listener->config.handler;
}

static inline const iso__tcp_protocol *iso__tcp_protocol_of(const iso__tcp_stream *stream) {
    return iso__tcp_listener_of(stream)->protocol;
}

/// Initialises a listener of another protocol than frames with their size in front.
iso__listener *iso__tcp_listener_init_for(iso__tcp_listener *listener, const iso__tcp_protocol *protocol);

#endif
