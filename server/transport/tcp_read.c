/// Reading: bytes into frames, frames to the handler, until something in them is wrong.
#include "transport/tcp_read.h"

#include "base/affinity.h"
#include "base/clock.h"
#include "transport/tcp_close.h"
#include "transport/tcp_proxy.h"

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    iso__tcp_stream *stream = handle->data;
    (void)suggested;
    // Everything read before has been consumed, else reading would be paused.
    *buffer = uv_buf_init((char *)stream->in, sizeof stream->in);
}

bool iso__tcp_offer(iso__tcp_stream *stream, const uint8_t *frame, size_t size) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->base.state == ISO__STREAM_OPEN && stream->held == NULL);
    if (iso__tcp_handler(stream)->frame(iso__tcp_handler(stream)->user, &stream->base, frame, size)) {
        return true;
    }
    if (stream->base.state != ISO__STREAM_OPEN) {
        return true;
    }
    stream->held = frame;
    stream->held_size = size;
    iso__tcp_pause(stream);
    return false;
}

void iso__tcp_pause(iso__tcp_stream *stream) {
    ISO_ASSERT(stream->base.state == ISO__STREAM_OPEN);
    stream->is_paused = true;
    uv_read_stop((uv_stream_t *)&stream->tcp);
}

void iso__tcp_consume_frames(iso__tcp_stream *stream) {
    ISO_ASSERT(stream->in_begin <= stream->in_end && stream->in_end <= sizeof stream->in);
    while (stream->base.state == ISO__STREAM_OPEN && stream->in_begin < stream->in_end) {
        const uint8_t *frame = NULL;
        size_t consumed = 0, size = 0;
        iso_framer_set_max(&stream->framer, stream->base.frame_max);
        iso_status status = iso_framer_feed(&stream->framer, stream->in + stream->in_begin,
                                            stream->in_end - stream->in_begin, &consumed, &frame, &size);
        stream->in_begin += consumed;
        if (status != ISO_OK) {
            iso__tcp_fail(stream, status);
            return;
        }
        if (frame == NULL) {
            break;
        }
        // Each frame has its own time: a peer that sends one after the other is not slow.
        stream->frame_begun_ns = 0;
        if (!iso__tcp_offer(stream, frame, size)) {
            return;
        }
    }
    if (stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    if (!iso_framer_is_inside(&stream->framer)) {
        stream->frame_begun_ns = 0;
    } else if (stream->frame_begun_ns == 0) {
        stream->frame_begun_ns = iso__clock_now();
    }
}

/// A peer that ended its side may still wait for an answer (to a leave, to a bad frame): half a second is left to queue
/// one, then the time of a last message to send it. Writing to a closed peer fails and ends that time early.
static void on_end(iso__tcp_stream *stream, bool orderly) {
    bool is_ending = stream->base.state != ISO__STREAM_OPEN;
    if (stream->proxy != NULL || !orderly || stream->is_shutdown_done ||
        (!is_ending && !iso__tcp_protocol_of(stream)->ended(stream))) {
        iso__tcp_close(stream);
        return;
    }
    stream->has_peer_ended = true;
    if (stream->base.state != ISO__STREAM_FINISHING) {
        stream->finish_begun_ns = iso__clock_now();
    }
    uv_read_stop((uv_stream_t *)&stream->tcp);
}

static void on_read(uv_stream_t *tcp, ssize_t size, const uv_buf_t *buffer) {
    iso__tcp_stream *stream = tcp->data;
    (void)buffer;
    if (size == 0) {
        return;
    }
    if (size < 0) {
        on_end(stream, size == UV_EOF);
        return;
    }
    stream->base.bytes_in += (uint64_t)size;
    if (stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    stream->in_begin = 0;
    stream->in_end = (size_t)size;
    if (stream->proxy != NULL && !iso__tcp_take_proxy(stream)) {
        return;
    }
    iso__tcp_protocol_of(stream)->consume(stream);
}

void iso__tcp_read_start(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->base.state != ISO__STREAM_CLOSING && !stream->is_paused);
    if (uv_read_start((uv_stream_t *)&stream->tcp, on_alloc, on_read) != 0) {
        iso__tcp_close(stream);
    }
}

void iso__tcp_resume(iso__stream *head) {
    ISO__ASSERT_ON(&head->listener->io);
    iso__tcp_stream *stream = iso__tcp_of(head);
    if (!stream->is_paused || stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    stream->is_paused = false;
    if (stream->held != NULL) {
        const uint8_t *frame = stream->held;
        stream->held = NULL;
        if (!iso__tcp_offer(stream, frame, stream->held_size)) {
            return;
        }
    }
    iso__tcp_read_on(stream);
}

void iso__tcp_read_on(iso__tcp_stream *stream) {
    // A frame that was held may have ended the stream; the protocol takes nothing more then.
    ISO_ASSERT(stream->held == NULL);
    stream->is_paused = false;
    iso__tcp_protocol_of(stream)->consume(stream);
    if (!stream->is_paused && stream->base.state != ISO__STREAM_CLOSING) {
        iso__tcp_read_start(stream);
    }
}

void iso__tcp_deafen(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    if (stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    stream->base.state = ISO__STREAM_FAILED;
    stream->held = NULL;
    stream->in_begin = stream->in_end = 0;
    stream->frame_begun_ns = 0;
    // Reading continues: unread bytes would turn our end into a reset, which would discard the last message.
    if (stream->is_paused) {
        stream->is_paused = false;
        iso__tcp_read_start(stream);
    }
}

void iso__tcp_fail(iso__tcp_stream *stream, iso_status status) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(status != ISO_OK);
    if (stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    iso__tcp_deafen(stream);
    iso__tcp_handler(stream)->failed(iso__tcp_handler(stream)->user, &stream->base, status);
}
