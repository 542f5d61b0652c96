/// Reading: bytes into frames, frames to the handler.
#include "transport/stream_internal.h"

#include "base/clock.h"

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    iso__stream *stream = handle->data;
    (void)suggested;
    // Everything read before has been consumed, or reading would be paused.
    *buffer = uv_buf_init((char *)stream->in, sizeof stream->in);
}

/// @return false when the handler does not take the frame now.
static bool offer(iso__stream *stream, const uint8_t *frame, size_t size)
{
    if (stream->server->handler.frame(stream->server->handler.user, stream, frame, size))
        return true;
    if (stream->state != ISO__STREAM_OPEN)
        return true;
    stream->held = frame;
    stream->held_size = size;
    stream->paused = true;
    uv_read_stop((uv_stream_t *)&stream->tcp);
    return false;
}

/// Works through `in` until it is empty, the handler pauses or the stream ends.
static void consume(iso__stream *stream)
{
    while (stream->state == ISO__STREAM_OPEN && stream->in_begin < stream->in_end) {
        const uint8_t *frame = NULL;
        size_t consumed = 0, size = 0;
        iso_status status = iso_framer_feed(&stream->framer, stream->in + stream->in_begin,
                                            stream->in_end - stream->in_begin, &consumed, &frame, &size);
        stream->in_begin += consumed;
        if (status != ISO_OK) {
            iso__stream_fail(stream, status);
            return;
        }
        if (frame == NULL)
            break;
        // Each frame has its own time: a peer that sends one after the other is not slow.
        stream->frame_begun_ns = 0;
        if (!offer(stream, frame, size))
            return;
    }
    if (stream->state != ISO__STREAM_OPEN)
        return;
    if (!iso_framer_is_inside(&stream->framer))
        stream->frame_begun_ns = 0;
    else if (stream->frame_begun_ns == 0)
        stream->frame_begun_ns = iso__clock_now();
}

/// A peer that ended its side may still wait for an answer (to a leave, to a bad frame): it gets half a second until
/// there is one, then the time of a farewell. Writing to one that is gone fails and ends that time early.
static void on_end(iso__stream *stream, bool orderly)
{
    bool is_ending = stream->state != ISO__STREAM_OPEN;
    if (!orderly || stream->shutdown_done || (!is_ending && !stream->server->handler.ended(stream->server->handler.user, stream))) {
        iso__stream_close(stream);
        return;
    }
    stream->peer_ended = true;
    if (stream->state != ISO__STREAM_FINISHING)
        stream->finish_begun_ns = iso__clock_now();
    uv_read_stop((uv_stream_t *)&stream->tcp);
}

static void on_read(uv_stream_t *tcp, ssize_t size, const uv_buf_t *buffer)
{
    iso__stream *stream = tcp->data;
    (void)buffer;
    if (size == 0)
        return;
    if (size < 0) {
        on_end(stream, size == UV_EOF);
        return;
    }
    stream->bytes_in += (uint64_t)size;
    if (stream->state != ISO__STREAM_OPEN)
        return;
    stream->in_begin = 0;
    stream->in_end = (size_t)size;
    consume(stream);
}

void iso__stream_read_start(iso__stream *stream)
{
    if (uv_read_start((uv_stream_t *)&stream->tcp, on_alloc, on_read) != 0)
        iso__stream_close(stream);
}

void iso__stream_resume(iso__stream *stream)
{
    if (!stream->paused || stream->state != ISO__STREAM_OPEN)
        return;
    stream->paused = false;
    if (stream->held != NULL) {
        const uint8_t *frame = stream->held;
        stream->held = NULL;
        if (!offer(stream, frame, stream->held_size))
            return;
    }
    consume(stream);
    if (!stream->paused && stream->state != ISO__STREAM_CLOSING)
        iso__stream_read_start(stream);
}
