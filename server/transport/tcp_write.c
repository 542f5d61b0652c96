/// Writing: a bounded ring of shared buffers, of which libuv has one write at a time.
///
/// Only what the kernel accepts at once is handed over; when it accepts less, the rest of that write is left to libuv,
/// which reports when the kernel has room again. So all but one write stay in our ring, where they are counted, and
/// where a slow reader's can be discarded.
#include "transport/tcp_write.h"

#include <string.h>

#include "base/affinity.h"
#include "transport/tcp_close.h"
#include "transport/tcp_queue.h"

#define WRITE_COUNT_MAX 64u
#define QUEUED_STEP     (ISO__STREAM_QUEUED_MAX / 4)

/// Informs the host when a quarter of the maximum was crossed.
static void report_queued(iso__tcp_stream *stream) {
    size_t step = stream->queued / QUEUED_STEP;
    if (!stream->is_taken || step == stream->queued_step || stream->has_overflowed ||
        stream->base.state != ISO__STREAM_OPEN) {
        return;
    }
    stream->queued_step = step;
    iso__tcp_handler(stream)->queued(iso__tcp_handler(stream)->user, &stream->base, stream->queued);
}

void iso__tcp_send(iso__stream *head, iso__buffer *buffer, bool farewell) {
    ISO__ASSERT_ON(&head->listener->io);
    iso__tcp_stream *stream = iso__tcp_of(head);
    if (stream->base.state != ISO__STREAM_OPEN && stream->base.state != ISO__STREAM_FAILED) {
        return;
    }
    const size_t size = iso__tcp_wire_size(stream, buffer);
    bool fits = stream->queued + size <= ISO__STREAM_QUEUED_MAX && stream->out_count < ISO__STREAM_QUEUED_COUNT_MAX - 1;
    if (!fits && !stream->has_overflowed) {
        // From here on the peer would see a gap, so it receives nothing more but a last message.
        stream->has_overflowed = true;
        if (stream->is_taken) {
            iso__tcp_handler(stream)->queued(iso__tcp_handler(stream)->user, head, ISO__STREAM_QUEUED_MAX + 1);
        }
    }
    if (stream->has_overflowed && !farewell) {
        return;
    }
    if (stream->has_overflowed) {
        iso__tcp_drop_queue(stream, true);
    }
    iso__tcp_push(stream, buffer);
    report_queued(stream);
}

/// Removes written bytes from the ring.
static void advance(iso__tcp_stream *stream, size_t size) {
    stream->base.bytes_out += size;
    stream->queued -= size;
    size += stream->head_sent;
    while (stream->out_count > 0 && size >= iso__tcp_wire_size(stream, iso__tcp_queue_at(stream, 0))) {
        size -= iso__tcp_wire_size(stream, iso__tcp_queue_at(stream, 0));
        iso__buffer_release(iso__tcp_queue_at(stream, 0));
        stream->out_head = (stream->out_head + 1) % ISO__STREAM_QUEUED_COUNT_MAX;
        --stream->out_count;
    }
    stream->head_sent = size;
}

static void write_some(iso__tcp_stream *stream);

static void on_written(uv_write_t *request, int status) {
    iso__tcp_stream *stream = request->data;
    stream->is_writing = false;
    if (stream->base.state == ISO__STREAM_CLOSING) {
        return;
    }
    if (status != 0) {
        iso__tcp_close(stream);
        return;
    }
    advance(stream, stream->write_size);
    report_queued(stream);
    write_some(stream);
}

/// Leaves the head to libuv, which reports when the kernel had room for it.
static void write_later(iso__tcp_stream *stream) {
    iso__buffer *buffer = iso__tcp_queue_at(stream, 0);
    const iso__tcp_wire_form form = iso__tcp_wire_form_of(stream, buffer);
    uv_buf_t rest;
    if (stream->head_sent < form.head_size) {
        memcpy(stream->write_head, form.head, form.head_size);
        rest =
            uv_buf_init((char *)stream->write_head + stream->head_sent, (unsigned)(form.head_size - stream->head_sent));
    } else {
        rest = uv_buf_init((char *)buffer->bytes + form.skipped + stream->head_sent - form.head_size,
                           (unsigned)(form.size - stream->head_sent));
    }
    stream->write_size = rest.len;
    stream->is_writing = true;
    if (uv_write(&stream->write, (uv_stream_t *)&stream->tcp, &rest, 1, on_written) != 0) {
        stream->is_writing = false;
        iso__tcp_close(stream);
    }
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    iso__tcp_stream *stream = request->data;
    stream->is_shutdown_done = true;
    // Otherwise the peer's own end, or the sweep, closes.
    if (status != 0 || stream->has_peer_ended) {
        iso__tcp_close(stream);
    }
}

/// What is handed to the kernel at once: of each buffer what precedes it, and itself.
typedef struct gathered {
    uv_buf_t parts[2 * WRITE_COUNT_MAX];
    unsigned part_count;
    size_t size;
    iso__tcp_wire_form forms[WRITE_COUNT_MAX];
} gathered;

static void gather(const iso__tcp_stream *stream, gathered *all) {
    all->part_count = 0;
    all->size = 0;
    for (uint32_t i = 0; i < stream->out_count && i < WRITE_COUNT_MAX; ++i) {
        if (i > 0 && all->size >= ISO__TCP_WRITE_SIZE_MAX) {
            break;
        }
        const iso__buffer *buffer = iso__tcp_queue_at(stream, i);
        iso__tcp_wire_form *form = &all->forms[i];
        *form = iso__tcp_wire_form_of(stream, buffer);
        size_t sent = i == 0 ? stream->head_sent : 0;
        all->size += form->size - sent;
        if (sent < form->head_size) {
            all->parts[all->part_count++] = uv_buf_init((char *)form->head + sent, (unsigned)(form->head_size - sent));
            sent = form->head_size;
        }
        sent += form->skipped - form->head_size;
        if (sent < buffer->size) {
            all->parts[all->part_count++] = uv_buf_init((char *)buffer->bytes + sent, (unsigned)(buffer->size - sent));
        }
    }
}

/// Writes until the queue is empty or the kernel accepts no more.
static void write_some(iso__tcp_stream *stream) {
    ISO_ASSERT(stream->out_count <= ISO__STREAM_QUEUED_COUNT_MAX);
    while (stream->base.state != ISO__STREAM_CLOSING && !stream->is_writing && stream->out_count > 0) {
        gathered all;
        gather(stream, &all);
        int written = uv_try_write((uv_stream_t *)&stream->tcp, all.parts, all.part_count);
        if (written < 0 && written != UV_EAGAIN) {
            iso__tcp_close(stream);
            return;
        }
        if (written > 0) {
            advance(stream, (size_t)written);
        }
        if (written < 0 || (size_t)written < all.size) {
            write_later(stream);
        }
    }
    report_queued(stream);
    if (stream->out_count == 0 && stream->base.state == ISO__STREAM_OPEN &&
        iso__tcp_protocol_of(stream)->drained != NULL) {
        iso__tcp_protocol_of(stream)->drained(stream);
    }
    if (stream->base.state == ISO__STREAM_FINISHING && stream->out_count == 0 && !stream->is_shutdown_begun) {
        stream->is_shutdown_begun = true;
        if (uv_shutdown(&stream->shutdown, (uv_stream_t *)&stream->tcp, on_shutdown) != 0) {
            iso__tcp_close(stream);
        }
    }
}

void iso__tcp_cut(iso__stream *head) {
    ISO__ASSERT_ON(&head->listener->io);
    iso__tcp_stream *stream = iso__tcp_of(head);
    if (head->state == ISO__STREAM_CLOSING) {
        return;
    }
    if (head->state != ISO__STREAM_FINISHING && iso__tcp_protocol_of(stream)->finish != NULL) {
        iso__tcp_protocol_of(stream)->finish(stream);
    }
    write_some(stream);
    iso__tcp_close(stream);
}

/// Nothing to do: the next flush comes before the loop sleeps.
static void on_again(uv_idle_t *idle) {
    uv_idle_stop(idle);
}

void iso__tcp_flush(iso__listener *head) {
    ISO__ASSERT_ON(&head->io);
    ISO_ASSERT(((const iso__tcp_listener *)head)->flushing == NULL); // a flush does not lead to another
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    // What a stream queues because it was written (the next piece of a body, the next answer) has to wait for the
    // loop's next turn: a peer that reads as fast as it is written to would keep the thread from all others.
    listener->flushing = listener->dirty;
    listener->dirty = NULL;
    while (listener->flushing != NULL) {
        iso__tcp_stream *stream = listener->flushing;
        listener->flushing = stream->next_dirty;
        stream->is_dirty = false;
        write_some(stream);
    }
    if (listener->dirty != NULL && listener->is_open && !uv_is_closing((uv_handle_t *)&listener->again)) {
        uv_idle_start(&listener->again, on_again);
    }
}
