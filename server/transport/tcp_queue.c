#include "transport/tcp_queue.h"

#include "base/affinity.h"

iso__buffer *iso__tcp_queue_at(const iso__tcp_stream *stream, uint32_t index) {
    ISO_ASSERT(index < stream->out_count);
    return stream->out[(stream->out_head + index) % ISO__STREAM_QUEUED_COUNT_MAX];
}

iso__tcp_wire_form iso__tcp_wire_form_of(const iso__tcp_stream *stream, const iso__buffer *buffer) {
    ISO_ASSERT(buffer->size <= buffer->capacity);
    iso__tcp_wire_form form = {.size = buffer->size};
    if (iso__tcp_protocol_of(stream)->head == NULL) {
        return form;
    }
    form.head_size = iso__tcp_protocol_of(stream)->head(stream, buffer, form.head, &form.skipped);
    form.size += form.head_size - form.skipped;
    return form;
}

size_t iso__tcp_wire_size(const iso__tcp_stream *stream, const iso__buffer *buffer) {
    return iso__tcp_wire_form_of(stream, buffer).size;
}

void iso__tcp_mark_dirty(iso__tcp_stream *stream) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    if (stream->is_dirty || stream->base.state == ISO__STREAM_CLOSING) {
        return;
    }
    stream->is_dirty = true;
    iso__tcp_listener *listener = iso__tcp_listener_of(stream);
    stream->next_dirty = listener->dirty;
    listener->dirty = stream;
}

static void take_off(iso__tcp_stream **link, const iso__tcp_stream *stream) {
    while (*link != NULL && *link != stream) {
        link = &(*link)->next_dirty;
    }
    if (*link != NULL) {
        *link = stream->next_dirty;
    }
}

void iso__tcp_forget_dirty(iso__tcp_stream *stream) {
    ISO_ASSERT(stream->is_dirty);
    take_off(&iso__tcp_listener_of(stream)->dirty, stream);
    take_off(&iso__tcp_listener_of(stream)->flushing, stream);
    stream->is_dirty = false;
}

void iso__tcp_drop_queue(iso__tcp_stream *stream, bool keep_begun) {
    ISO_ASSERT(stream->out_head < ISO__STREAM_QUEUED_COUNT_MAX && stream->out_count <= ISO__STREAM_QUEUED_COUNT_MAX);
    uint32_t keep = keep_begun && stream->out_count > 0 && (stream->is_writing || stream->head_sent > 0) ? 1 : 0;
    for (uint32_t i = keep; i < stream->out_count; ++i) {
        iso__buffer *buffer = iso__tcp_queue_at(stream, i);
        stream->queued -= iso__tcp_wire_size(stream, buffer) - (i == 0 ? stream->head_sent : 0);
        iso__buffer_release(buffer);
    }
    stream->out_count = keep;
    if (keep == 0) {
        stream->head_sent = 0;
    }
}

void iso__tcp_push(iso__tcp_stream *stream, iso__buffer *buffer) {
    ISO__ASSERT_ON(&stream->base.listener->io);
    ISO_ASSERT(stream->out_count < ISO__STREAM_QUEUED_COUNT_MAX && buffer->size <= buffer->capacity);
    stream->out[(stream->out_head + stream->out_count) % ISO__STREAM_QUEUED_COUNT_MAX] = iso__buffer_share(buffer);
    ++stream->out_count;
    stream->queued += iso__tcp_wire_size(stream, buffer);
    iso__tcp_mark_dirty(stream);
}
