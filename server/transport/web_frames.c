/// A connection after its upgrade: WebSocket frames in both directions.
#include "transport/web_frames.h"

#include <string.h>

#include "base/clock.h"
#include "isostep/assert.h"
#include "transport/tcp_read.h"
#include "transport/tcp_queue.h"
#include "transport/web_stream.h"

/// [bytes] of the size in front of a message, which the frame's own head stands for.
static size_t size_in_front(const iso__buffer *buffer) {
    size_t size = 1;
    while (size < buffer->size && size < ISO_FRAME_HEADER_SIZE_MAX && (buffer->bytes[size - 1] & 0x80) != 0) {
        ++size;
    }
    return size;
}

size_t iso__web_frame_head(const iso__tcp_stream *stream, const iso__buffer *buffer, uint8_t *head, size_t *skipped) {
    ISO_ASSERT(buffer->size > 0 && buffer->size <= buffer->capacity);
    (void)stream;
    *skipped = 0;
    if (buffer->is_bare) {
        return 0;
    }
    *skipped = size_in_front(buffer);
    return iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, buffer->size - *skipped);
}

/// Queues a control frame. @return false: there is no memory
static bool push_control(iso__web_stream *stream, iso__websocket_opcode opcode, const uint8_t *bytes, size_t size) {
    uint8_t frame[ISO__WEBSOCKET_HEAD_MAX + ISO__WEBSOCKET_CONTROL_MAX];
    const size_t head = iso__websocket_head_write(frame, opcode, size);
    if (size > 0) {
        memcpy(frame + head, bytes, size);
    }
    return iso__web_push(stream, frame, head + size);
}

/// A pong or ping that does not fit is left out: the peer is then told otherwise that it is slow.
static void push_control_if_it_fits(iso__web_stream *stream, iso__websocket_opcode opcode, const uint8_t *bytes,
                                    size_t size) {
    if (!stream->tcp.has_overflowed && !stream->has_closed &&
        stream->tcp.out_count < ISO__STREAM_QUEUED_COUNT_MAX - 2 &&
        stream->tcp.queued + size + ISO__WEBSOCKET_HEAD_MAX <= ISO__STREAM_QUEUED_MAX) {
        push_control(stream, opcode, bytes, size);
    }
}

void iso__web_say_close(iso__web_stream *stream) {
    ISO_ASSERT(stream->has_upgraded);
    const iso_status status = stream->tcp.base.end_status;
    const uint16_t code = stream->close_code != 0 ? stream->close_code : iso__websocket_close_code(status);
    const char *reason = status != ISO_OK ? iso_status_name(status) : "";
    uint8_t payload[ISO__WEBSOCKET_CONTROL_MAX] = {(uint8_t)(code >> 8), (uint8_t)code};
    const size_t size = strnlen(reason, sizeof payload - 2);
    if (stream->has_closed) {
        return;
    }
    stream->has_closed = true;
    // An answer to a Close without a code has none either.
    const bool has_code = code != ISO__WEBSOCKET_NO_CODE;
    memcpy(payload + 2, reason, size);
    push_control(stream, ISO__WEBSOCKET_CLOSE, payload, has_code ? 2 + size : 0);
}

static void take_control(iso__web_stream *stream, iso__websocket_event event) {
    size_t size = 0;
    const uint8_t *bytes = iso__websocket_bytes(stream->socket, &size);
    // These are in no member's budget.
    if (!iso__web_count(stream, ISO__WEB_CONTROLS_MAX)) {
        iso__tcp_fail(&stream->tcp, ISO_ERR_RATE);
    } else if (event == ISO__WEBSOCKET_GOT_PING) {
        push_control_if_it_fits(stream, ISO__WEBSOCKET_PONG, bytes, size);
    }
}

/// The peer ends the connection: its Close is answered with the same code, and nothing more is sent.
static void take_close(iso__web_stream *stream) {
    stream->close_code = iso__websocket_code(stream->socket);
    iso__tcp_drop_queue(&stream->tcp, true);
    iso__stream_finish(&stream->tcp.base);
}

static void take_failure(iso__web_stream *stream) {
    stream->close_code = iso__websocket_code(stream->socket);
    iso__tcp_fail(&stream->tcp, iso__websocket_status(stream->socket));
}

void iso__web_consume_frames(iso__web_stream *stream) {
    ISO_ASSERT(stream->has_upgraded && stream->tcp.in_begin <= stream->tcp.in_end);
    iso__tcp_stream *tcp = &stream->tcp;
    stream->heard_ns = iso__clock_now();
    while (tcp->base.state == ISO__STREAM_OPEN) {
        size_t consumed = 0, size = 0;
        iso__websocket_set_max(stream->socket, tcp->base.frame_max);
        const iso__websocket_event event =
            iso__websocket_feed(stream->socket, tcp->in + tcp->in_begin, tcp->in_end - tcp->in_begin, &consumed);
        tcp->in_begin += consumed;
        if (event == ISO__WEBSOCKET_MORE) {
            break;
        }
        if (event == ISO__WEBSOCKET_MESSAGE) {
            const uint8_t *bytes = iso__websocket_bytes(stream->socket, &size);
            // Each message has its own time, as each frame over TCP.
            tcp->frame_begun_ns = 0;
            if (!iso__tcp_offer(tcp, bytes, size)) {
                return;
            }
        } else if (event == ISO__WEBSOCKET_GOT_CLOSE) {
            take_close(stream);
        } else if (event == ISO__WEBSOCKET_FAILED) {
            take_failure(stream);
        } else {
            take_control(stream, event);
        }
    }
    if (tcp->base.state != ISO__STREAM_OPEN) {
        return;
    }
    if (!iso__websocket_is_inside(stream->socket)) {
        tcp->frame_begun_ns = 0;
    } else if (tcp->frame_begun_ns == 0) {
        tcp->frame_begun_ns = stream->heard_ns;
    }
}

void iso__web_sweep_frames(iso__web_stream *stream, uint64_t now) {
    ISO_ASSERT(stream->has_upgraded);
    const uint64_t last = stream->heard_ns > stream->pinged_ns ? stream->heard_ns : stream->pinged_ns;
    if (stream->tcp.base.state != ISO__STREAM_OPEN || now < last + ISO__WEB_PING_NS) {
        return;
    }
    stream->pinged_ns = now;
    push_control_if_it_fits(stream, ISO__WEBSOCKET_PING, NULL, 0);
}
