#include "transport/tcp_proxy.h"

#include <stdlib.h>

#include "base/affinity.h"
#include "transport/tcp_close.h"
#include "transport/tcp_write.h"

void iso__tcp_refuse_unproxied(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->proxy != NULL);
    const iso__stream_handler *handler = iso__tcp_handler(stream);
    if (handler->unproxied != NULL) {
        handler->unproxied(handler->user, &stream->base.address);
    }
    iso__tcp_close(stream);
}

bool iso__tcp_take_proxy(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->proxy != NULL && !stream->is_taken); // nobody knows of it yet
    iso__proxy_header *header = stream->proxy;
    size_t consumed = 0;
    const iso__proxy_status status =
        iso__proxy_header_feed(header, stream->in + stream->in_begin, stream->in_end - stream->in_begin, &consumed);
    stream->in_begin += consumed;
    if (status == ISO__PROXY_FAILED) {
        iso__tcp_refuse_unproxied(stream);
    }
    if (status != ISO__PROXY_DONE) {
        return false;
    }
    if (header->has_address) {
        stream->base.address = header->address;
    }
    stream->proxy = NULL;
    free(header);
    // There was a place when it was accepted, and another one may have got it.
    const bool is_admitted = iso__tcp_protocol_of(stream)->admits(iso__tcp_listener_of(stream));
    if (!is_admitted) {
        iso__tcp_protocol_of(stream)->full(iso__tcp_listener_of(stream), stream);
    }
    if (!is_admitted || !iso__tcp_protocol_of(stream)->begin(stream)) {
        iso__tcp_cut(&stream->base);
        return false;
    }
    return stream->base.state == ISO__STREAM_OPEN;
}
