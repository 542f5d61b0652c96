/// A connection before its upgrade: requests and answers. After it: web_frames.c.
#include "transport/web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "transport/tcp_close.h"
#include "transport/tcp_internal.h"
#include "transport/tcp_read.h"
#include "transport/tcp_queue.h"
#include "transport/web_frames.h"
#include "transport/web_stream.h"

static iso__web_stream *web_of(iso__tcp_stream *stream) {
    return (iso__web_stream *)stream;
}

static const iso__web_handler *handler_of(const iso__web_stream *stream) {
    return &((const iso__web_listener *)iso__tcp_listener_of(&stream->tcp))->handler;
}

/// The handler of requests is told of the end.
static void forget(iso__web_stream *stream) {
    if (stream->is_known) {
        handler_of(stream)->closed(handler_of(stream)->user, stream);
    }
    stream->is_known = false;
}

static void drop_body(iso__web_stream *stream) {
    iso__buffer_release(stream->body.buffer);
    if (stream->body.is_file) {
        close(stream->body.file);
    }
    stream->body = (iso__web_body){0};
}

/// Copies the next piece of the body. @return false: it cannot be read
static bool read_piece(const iso__web_body *body, uint8_t *to, size_t size) {
    if (body->buffer != NULL) {
        memcpy(to, body->buffer->bytes + body->offset, size);
        return true;
    }
    if (body->memory != NULL) {
        memcpy(to, body->memory + body->offset, size);
        return true;
    }
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(body->file, to + done, size - done, (off_t)(body->offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/// Queues the next piece of the body. @return false: it cannot be had, and the peer would wait for it
static bool push_piece(iso__web_stream *stream) {
    iso__web_body *body = &stream->body;
    const size_t size = body->size < ISO__WEB_BODY_PIECE ? (size_t)body->size : ISO__WEB_BODY_PIECE;
    iso__buffer *piece = iso__buffer_create(size);
    const bool is_read = piece != NULL && read_piece(body, piece->bytes, size);
    if (is_read) {
        piece->size = size;
        piece->is_bare = true;
        iso__tcp_push(&stream->tcp, piece);
        body->offset += size;
        body->size -= size;
    }
    iso__buffer_release(piece);
    return is_read;
}

void iso__web_answer(iso__web_stream *stream, const iso__http_head *head, const iso__web_body *body, bool sends_body) {
    ISO__ASSERT_ON(&stream->tcp.base.listener->io);
    // The present request has no answer yet: none was begun, or it was to come later.
    ISO_ASSERT(!stream->has_upgraded && (!stream->is_answering || stream->is_deferred));
    char bytes[ISO__HTTP_ANSWER_HEAD_MAX];
    iso__http_head own = *head;
    own.ends = own.ends || stream->ends_after;
    stream->ends_after = own.ends;
    const size_t size = iso__http_head_write(&own, bytes);
    drop_body(stream);
    stream->is_deferred = false;
    if (body != NULL) {
        stream->body = *body;
        if (body->buffer != NULL) {
            iso__buffer_share(body->buffer);
        }
    }
    if (!sends_body) {
        stream->body.size = 0;
    }
    stream->is_answering = true;
    stream->moved_ns = stream->answered_ns = iso__clock_now();
    stream->written = stream->answered = stream->tcp.base.bytes_out;
    // Small answers are one write.
    if (size == 0 || !iso__web_push(stream, bytes, size) || (stream->body.size > 0 && !push_piece(stream))) {
        iso__tcp_close(&stream->tcp);
    }
}

void iso__web_defer(iso__web_stream *stream, bool sends_body) {
    ISO__ASSERT_ON(&stream->tcp.base.listener->io);
    ISO_ASSERT(!stream->has_upgraded && !stream->is_answering);
    stream->is_answering = stream->is_deferred = true;
    stream->sends_body = sends_body;
}

static const char *reason_of(unsigned status) {
    switch (status) {
    case 408:
        return "the request was not whole within 3 s";
    case 414:
        return "the target is longer than 2048 bytes";
    case 429:
        return "there are more than 100 requests of this connection in a second";
    case 431:
        return "there are more than 64 headers, or more than 8 KiB of them";
    case 500:
        return "out of memory";
    case ISO__HTTP_BODIES_STATUS:
        return "the bodies of requests that are being received take 32 MiB, which is all they may: try again";
    case 505:
        return "expected HTTP/1.1 or HTTP/1.0";
    default:
        return "the request is malformed";
    }
}

/// In the form of the API's answers, since of which path it would have been is not always known.
static void say_error(iso__web_stream *stream, unsigned status) {
    char text[200];
    if (status == 413) {
        snprintf(text, sizeof text, "{\"error\":\"the body is larger than %zu bytes, which this request may have\"}\n",
                 iso__http_parser_body_allowed(stream->parser));
    } else {
        snprintf(text, sizeof text, "{\"error\":\"%s\"}\n", reason_of(status));
    }
    iso__buffer *buffer = iso__buffer_create(sizeof text);
    if (buffer != NULL) {
        memcpy(buffer->bytes, text, sizeof text);
    }
    const iso__http_head head = {.status = status,
                                 .type = "application/json",
                                 .lines = status == ISO__HTTP_BODIES_STATUS ? "Retry-After: 1\r\n" : NULL,
                                 .size = buffer != NULL ? strlen(text) : 0,
                                 .ends = true};
    iso__web_answer(stream, &head, &(iso__web_body){.buffer = buffer, .size = head.size}, true);
    iso__buffer_release(buffer);
}

/// Answers what is no request, and ends.
static void refuse(iso__web_stream *stream, unsigned status, iso__web_refusal why) {
    if (stream->is_known) {
        handler_of(stream)->refused(handler_of(stream)->user, stream, why);
    }
    if (stream->tcp.base.state != ISO__STREAM_OPEN) {
        return;
    }
    say_error(stream, status);
    iso__stream_finish(&stream->tcp.base);
}

void iso__web_upgrade(iso__web_stream *stream, const iso__http_request *request) {
    ISO__ASSERT_ON(&stream->tcp.base.listener->io);
    ISO_ASSERT(!stream->has_upgraded && !stream->is_answering && stream->is_known);
    char accept[ISO__WEBSOCKET_ACCEPT_SIZE + 1], bytes[ISO__HTTP_ANSWER_HEAD_MAX];
    const char *key = iso__http_find(request, "sec-websocket-key");
    iso__tcp_stream *tcp = &stream->tcp;
    const iso__stream_handler *handler = iso__tcp_handler(tcp);
    if (!handler->admits(handler->user)) {
        const iso__http_head busy = {.status = 503, .lines = "Retry-After: 1\r\n", .ends = true};
        iso__web_answer(stream, &busy, NULL, true);
        return;
    }
    stream->socket = iso__websocket_create(tcp->frame, sizeof tcp->frame);
    if (stream->socket == NULL || key == NULL || !iso__websocket_accept(key, accept) ||
        !iso__web_push(stream, bytes, iso__http_upgrade_write(accept, bytes))) {
        iso__tcp_close(tcp);
        return;
    }
    forget(stream);
    stream->has_upgraded = true;
    stream->counted = 0;
    stream->heard_ns = iso__clock_now();
    tcp->is_taken = handler->opened(handler->user, &tcp->base);
    if (!tcp->is_taken) {
        iso__stream_cut(&tcp->base);
    }
}

/// @return false: the stream has ended, or waits for its answer to be written
static bool take_request(iso__web_stream *stream) {
    const iso__http_request *request = iso__http_parser_request(stream->parser);
    if (!iso__web_count(stream, ISO__WEB_REQUESTS_MAX)) {
        refuse(stream, 429, ISO__WEB_REFUSED_RATE);
        return false;
    }
    stream->ends_after = !request->stays_open;
    handler_of(stream)->request(handler_of(stream)->user, stream, request);
    iso__http_parser_wipe(stream->parser);
    if (stream->has_upgraded) {
        iso__http_parser_destroy(stream->parser);
        stream->parser = NULL;
    } else if (stream->is_answering && stream->tcp.base.state == ISO__STREAM_OPEN) {
        iso__tcp_pause(&stream->tcp);
    }
    return stream->has_upgraded && stream->tcp.base.state == ISO__STREAM_OPEN;
}

static void refuse_form(iso__web_stream *stream) {
    const iso__tcp_stream *tcp = &stream->tcp;
    const unsigned status = iso__http_parser_status(stream->parser);
    const bool is_tls = tcp->base.bytes_in == tcp->in_end && tcp->in[0] == 0x16;
    const bool is_of_form = (status == 400 || status == 505) && !is_tls;
    const bool is_of_bodies = status == ISO__HTTP_BODIES_STATUS;
    refuse(stream, status,
           is_of_form     ? ISO__WEB_REFUSED_FORM
           : is_of_bodies ? ISO__WEB_REFUSED_BODIES
                          : ISO__WEB_REFUSED_SIZE);
}

static void consume_requests(iso__web_stream *stream) {
    iso__tcp_stream *tcp = &stream->tcp;
    while (tcp->base.state == ISO__STREAM_OPEN && tcp->in_begin < tcp->in_end) {
        size_t consumed = 0;
        const bool was_inside = iso__http_parser_is_inside(stream->parser);
        const iso__http_event event =
            iso__http_parser_feed(stream->parser, tcp->in + tcp->in_begin, tcp->in_end - tcp->in_begin, &consumed);
        uint8_t *const fed = tcp->in + tcp->in_begin;
        tcp->in_begin += consumed;
        // Empty lines in front of a request do not begin it.
        if (!was_inside && iso__http_parser_is_inside(stream->parser) && tcp->base.bytes_out > 0) {
            stream->deadline_ns = iso__clock_now() + ISO__WEB_REQUEST_TIMEOUT_NS;
        }
        if (event == ISO__HTTP_FAILED) {
            refuse_form(stream);
        }
        explicit_bzero(fed, consumed); // the parser has its own copy, for as long as the request is judged
        if (event != ISO__HTTP_REQUEST || !take_request(stream)) {
            break;
        }
        // What was sent behind the upgrade are frames already.
        iso__web_consume_frames(stream);
        break;
    }
}

static void web_consume(iso__tcp_stream *tcp) {
    iso__web_stream *stream = web_of(tcp);
    if (stream->has_upgraded) {
        iso__web_consume_frames(stream);
    } else {
        consume_requests(stream);
    }
}

/// Goes on with the answer, then with the next request.
static void web_drained(iso__tcp_stream *tcp) {
    iso__web_stream *stream = web_of(tcp);
    if (!stream->is_answering || stream->is_deferred || stream->has_upgraded) {
        return;
    }
    if (stream->body.size > 0) {
        if (!push_piece(stream)) {
            iso__tcp_close(tcp);
        }
        return;
    }
    drop_body(stream);
    stream->is_answering = false;
    if (stream->ends_after) {
        iso__stream_finish(&tcp->base);
        return;
    }
    stream->deadline_ns = iso__clock_now() + ISO__WEB_IDLE_TIMEOUT_NS;
    iso__tcp_read_on(tcp);
}

static void sweep_answer(iso__web_stream *stream, uint64_t now) {
    if (stream->written != stream->tcp.base.bytes_out) {
        stream->written = stream->tcp.base.bytes_out;
        stream->moved_ns = now;
    }
    if (!stream->is_deferred && now > stream->moved_ns + ISO__WEB_STALL_TIMEOUT_NS) {
        iso__tcp_close(&stream->tcp);
    }
}

static void web_sweep(iso__tcp_stream *tcp, uint64_t now) {
    iso__web_stream *stream = web_of(tcp);
    if (tcp->base.state != ISO__STREAM_OPEN) {
        return;
    }
    if (stream->has_upgraded) {
        iso__web_sweep_frames(stream, now);
    } else if (stream->is_answering) {
        sweep_answer(stream, now);
    } else if (now > stream->deadline_ns && (tcp->base.bytes_out == 0 || iso__http_parser_is_inside(stream->parser))) {
        refuse(stream, 408, ISO__WEB_REFUSED_TIME);
    } else if (now > stream->deadline_ns) {
        iso__stream_finish(&tcp->base);
    }
}

static bool web_admits(iso__tcp_listener *listener) {
    // The handler of requests decides, when it is told of the connection.
    (void)listener;
    return true;
}

static void say_busy(iso__web_stream *stream) {
    char bytes[ISO__HTTP_ANSWER_HEAD_MAX];
    const char *why = stream->why != NULL ? stream->why : "too many connections\n";
    const iso__http_head head = {.status = 503,
                                 .type = "text/plain; charset=utf-8",
                                 .size = strlen(why),
                                 .lines = "Retry-After: 1\r\n",
                                 .ends = true};
    iso__web_push(stream, bytes, iso__http_head_write(&head, bytes));
    iso__web_push(stream, why, strlen(why));
}

static void web_full(iso__tcp_listener *listener, iso__tcp_stream *tcp) {
    const iso__web_handler *handler = &((const iso__web_listener *)listener)->handler;
    if (tcp == NULL) {
        listener->base.config.handler.full(listener->base.config.handler.user, NULL);
        return;
    }
    handler->refused(handler->user, NULL, ISO__WEB_REFUSED_PLACE);
    say_busy(web_of(tcp));
}

static bool web_begin(iso__tcp_stream *tcp) {
    iso__web_stream *stream = web_of(tcp);
    iso__web_listener *listener = (iso__web_listener *)iso__tcp_listener_of(tcp);
    stream->deadline_ns = iso__clock_now() + ISO__WEB_REQUEST_TIMEOUT_NS;
    stream->parser = iso__http_parser_create(listener->body_max);
    if (stream->parser != NULL) {
        iso__http_parser_share(stream->parser, &listener->bodies);
    }
    if (stream->parser != NULL && listener->handler.body_max != NULL) {
        iso__http_parser_judge(stream->parser, listener->handler.body_max, listener->handler.user);
    }
    stream->is_known = stream->parser != NULL && listener->handler.opened(listener->handler.user, stream);
    if (!stream->is_known) {
        say_busy(stream);
    }
    return stream->is_known;
}

/// An answer that is being written may be waited for.
static bool web_ended(iso__tcp_stream *tcp) {
    iso__web_stream *stream = web_of(tcp);
    if (stream->has_upgraded || !stream->is_answering) {
        return false;
    }
    stream->ends_after = true;
    return true;
}

static void web_finish(iso__tcp_stream *tcp) {
    if (web_of(tcp)->has_upgraded) {
        iso__web_say_close(web_of(tcp));
    }
}

static size_t web_head(const iso__tcp_stream *tcp, const iso__buffer *buffer, uint8_t *head, size_t *skipped) {
    return iso__web_frame_head(tcp, buffer, head, skipped);
}

static void web_free(iso__tcp_stream *tcp) {
    iso__web_stream *stream = web_of(tcp);
    forget(stream);
    drop_body(stream);
    iso__http_parser_destroy(stream->parser);
    iso__websocket_destroy(stream->socket);
}

iso__listener *iso__web_listener_init(iso__web_listener *listener, const iso__web_handler *handler, size_t body_max) {
    ISO_ASSERT(body_max <= ISO__HTTP_BODY_MAX);
    static const iso__tcp_protocol protocol = {
        .stream_size = sizeof(iso__web_stream),
        .admits = web_admits,
        .full = web_full,
        .begin = web_begin,
        .consume = web_consume,
        .head = web_head,
        .drained = web_drained,
        .ended = web_ended,
        .finish = web_finish,
        .sweep = web_sweep,
        .free = web_free,
    };
    iso__listener *head = iso__tcp_listener_init_for(&listener->tcp, &protocol);
    listener->handler = *handler;
    listener->body_max = body_max;
    listener->bodies = (iso__http_bodies){.max = ISO__WEB_BODIES_MAX};
    return head;
}
