/// A listener for HTTP on fake sockets with one connection, and what its handlers were told.
#ifndef ISO_TESTS_WEB_RIG_H
#define ISO_TESTS_WEB_RIG_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_socket.h"
#include "transport/web.h"
#include "unit/address_util.h"

#define MS FAKE_NS_PER_MS

static uv_loop_t loop;
static iso__web_listener server;
static iso__listener *const listener = &server.tcp.base;
static fake_socket *peer;
static iso__stream *stream; // after the upgrade
static iso__web_stream *web;
static bool admits, opens, opens_web;
static uint32_t refusals; // messages that are not taken now
static uint32_t requests, known, opened, failed, closed, refused[5], queued_over;
static iso_status failed_with;
static uint8_t heard[8192];
static size_t heard_size;
static iso__web_body body; // that the next answer has
static uint64_t body_size;
static size_t upgrade_size; // [bytes] of the answer to the upgrade

static unsigned allocations, fail_at; // 0: never

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size) {
    // The fake socket's own memory is there.
    return size != FAKE_SENT_MAX && ++allocations == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return ++allocations == fail_at ? NULL : __real_calloc(count, size);
}

static bool on_admits(void *user) {
    (void)user;
    return admits;
}

static bool on_opened(void *user, iso__stream *s) {
    (void)user;
    stream = s;
    ++opened;
    return opens;
}

static void on_full(void *user, iso__stream *s) {
    (void)user;
    assert_null(s); // there was no memory for it
}

static bool finishes_on_frame;

static bool on_frame(void *user, iso__stream *s, const uint8_t *bytes, size_t size) {
    (void)user;
    if (refusals > 0) {
        --refusals;
        return false;
    }
    memcpy(heard + heard_size, bytes, size);
    heard_size += size;
    if (finishes_on_frame) {
        iso__stream_finish(s);
    }
    return true;
}

static void on_failed(void *user, iso__stream *s, iso_status status) {
    (void)user;
    ++failed;
    failed_with = status;
    s->end_status = status;
    iso__stream_finish(s);
}

static bool on_ended(void *user, iso__stream *s) {
    (void)user;
    (void)s;
    return true;
}

static void on_queued(void *user, iso__stream *s, size_t size) {
    (void)user;
    (void)s;
    queued_over += size > ISO__STREAM_QUEUED_MAX;
}

static void on_closed(void *user, iso__stream *s) {
    (void)user;
    (void)s;
    ++closed;
}

static bool on_web_opened(void *user, iso__web_stream *s) {
    (void)user;
    web = s;
    known += opens_web;
    return opens_web;
}

static void on_request(void *user, iso__web_stream *s, const iso__http_request *request) {
    (void)user;
    ++requests;
    if (strcmp(request->target, "/v1/socket") == 0) {
        iso__web_upgrade(s, request);
        return;
    }
    if (strcmp(request->target, "/later") == 0) {
        iso__web_defer(s, true);
        return;
    }
    iso__http_head head = {.status = 200, .size = body_size};
    iso__web_answer(s, &head, &body, request->method != ISO__HTTP_HEAD);
}

static void on_refused(void *user, iso__web_stream *s, iso__web_refusal why) {
    (void)user;
    (void)s;
    ++refused[why];
}

static void on_web_closed(void *user, iso__web_stream *s) {
    (void)user;
    (void)s;
    --known;
}

static const iso__listener_config config = {
    .stream_max = 3,
    .frame_timeout_ns = 5000 * MS,
    .finish_timeout_ns = 3000 * MS,
    .handler = {on_admits, on_opened, on_full, on_frame, on_failed, on_ended, on_queued, on_closed, NULL, NULL, NULL},
};

static inline int set_up(void **state) {
    (void)state;
    fake_sockets_begin();
    uv_loop_init(&loop);
    admits = opens = opens_web = true;
    refusals = requests = known = opened = failed = closed = queued_over = 0;
    heard_size = 0;
    memset(refused, 0, sizeof refused);
    body = (iso__web_body){.memory = (const uint8_t *)"ok\n", .size = 3};
    body_size = 3;
    const iso__address address = read_address("127.0.0.1", 0);
    const iso__web_handler handler = {on_web_opened, NULL, on_request, on_refused, on_web_closed, NULL};
    iso__web_listener_init(&server, &handler, 0);
    assert_int_equal(iso__listener_open(listener, &loop, &address, &config), 0);
    assert_int_equal(iso__listener_listen(listener), 0);
    peer = fake_connect();
    assert_non_null(peer);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    iso__listener_close(listener);
    fake_sockets_end();
    assert_int_equal(listener->stream_count, 0);
    assert_int_equal(known, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}

static inline void flush(void) {
    iso__listener_flush(listener);
}

/// Time passes as it does for a process that runs.
#define PASS_STEP_NS (500 * MS)
static inline void pass(uint64_t ns) {
    for (uint64_t left = ns; left > 0;) {
        const uint64_t step = left < PASS_STEP_NS ? left : PASS_STEP_NS;
        fake_now_ns += step;
        left -= step;
        fake_run_timers();
    }
}

static inline void say(const char *text) {
    assert_true(fake_say(peer, text, strlen(text)));
    flush();
}

/// Whether the peer was sent this text behind `at`.
static inline bool was_sent(size_t at, const char *text) {
    return peer->sent_size > at && memmem(peer->sent + at, peer->sent_size - at, text, strlen(text)) != NULL;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define UPGRADE                                                                                                        \
    "GET /v1/socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: isostep.v1\r\n\r\n"

static inline void upgrade(void) {
    say(UPGRADE);
    assert_int_equal(opened, 1);
    assert_int_equal(known, 0);
    assert_true(was_sent(0, "HTTP/1.1 101 "));
    upgrade_size = peer->sent_size;
    peer->sent_size = 0;
}

/// A message as a client sends it, with a mask of zeros.
static inline void send_message(const void *bytes, size_t size) {
    uint8_t frame[4200] = {0x82, (uint8_t)(0x80 | (size < 126 ? size : 126))};
    size_t at = 2;
    if (size >= 126) {
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    }
    memset(frame + at, 0, 4);
    memcpy(frame + at + 4, bytes, size);
    fake_say(peer, frame, at + 4 + size);
}

/// Queues a message of the session: its size in front, then as many bytes.
static inline void send_shared(size_t size, uint8_t fill, bool farewell) {
    iso__buffer *buffer = iso__buffer_create(size + ISO_FRAME_HEADER_SIZE_MAX);
    const size_t head = iso_frame_header_write(buffer->bytes, (uint32_t)size);
    memset(buffer->bytes + head, fill, size);
    buffer->size = head + size;
    iso__stream_send(stream, buffer, farewell);
    iso__buffer_release(buffer);
}

/// Checks the frame at `at` of what was sent. @return where the next one begins
static inline size_t expect_frame(size_t at, uint8_t first, size_t size, int fill) {
    uint8_t head[ISO__WEBSOCKET_HEAD_MAX];
    const size_t head_size = iso__websocket_head_write(head, first & 0x0F, size);
    assert_true(peer->sent_size >= at + head_size + size);
    assert_memory_equal(peer->sent + at, head, head_size);
    assert_int_equal(peer->sent[at], first);
    for (size_t i = 0; fill >= 0 && i < size; ++i) {
        assert_int_equal(peer->sent[at + head_size + i], fill);
    }
    return at + head_size + size;
}

static inline size_t expect_close(size_t at, unsigned code, const char *reason) {
    const size_t end = expect_frame(at, 0x88, 2 + strlen(reason), -1);
    assert_int_equal(peer->sent[at + 2] << 8 | peer->sent[at + 3], code);
    assert_memory_equal(peer->sent + at + 4, reason, strlen(reason));
    return end;
}

#endif
