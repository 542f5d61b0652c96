/// A TCP listener on fake sockets with one connection, and what its handler was told.
#ifndef ISO_TESTS_STREAM_RIG_H
#define ISO_TESTS_STREAM_RIG_H

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_socket.h"
#include "transport/tcp.h"
#include "unit/address_util.h"

#define FRAME_TIMEOUT_NS  (UINT64_C(5000) * FAKE_NS_PER_MS)
#define FINISH_TIMEOUT_NS (UINT64_C(3000) * FAKE_NS_PER_MS)
#define ENDED_TIMEOUT_NS  (UINT64_C(500) * FAKE_NS_PER_MS)
#define STREAM_MAX        3u
#define QUARTER           (ISO__STREAM_QUEUED_MAX / 4)

static uv_loop_t loop;
static iso__tcp_listener server;
static iso__listener *const listener = &server.base;
static iso__stream *stream;  // of the connection that came last
static iso__tcp_stream *tcp; // the same
static fake_socket *peer;
static bool admits, opens, waits_for_answer;
static uint32_t refusals; // frames that are not taken now
static uint32_t opened_count, full_count, failed_count, closed_count, ended_count, queued_count;
static iso_status failed_with;
static size_t queued[64];
static uint8_t heard[1 << 16];
static size_t heard_size, heard_frames;
static bool finishes_on_frame;

static bool on_admits(void *user) {
    (void)user;
    return admits;
}

static bool on_opened(void *user, iso__stream *s) {
    (void)user;
    stream = s;
    tcp = (iso__tcp_stream *)s;
    s->id = ++opened_count;
    return opens;
}

static inline iso__buffer *make_buffer(const void *bytes, size_t size) {
    iso__buffer *buffer = iso__buffer_create(size);
    memcpy(buffer->bytes, bytes, size);
    buffer->size = size;
    return buffer;
}

static void on_full(void *user, iso__stream *s) {
    (void)user;
    ++full_count;
    if (s == NULL) {
        return;
    }
    iso__buffer *buffer = make_buffer("full", 4);
    iso__stream_send(s, buffer, true);
    iso__buffer_release(buffer);
}

static bool on_frame(void *user, iso__stream *s, const uint8_t *bytes, size_t size) {
    (void)user;
    if (refusals > 0) {
        --refusals;
        return false;
    }
    memcpy(heard + heard_size, bytes, size);
    heard_size += size;
    ++heard_frames;
    if (finishes_on_frame) {
        iso__stream_finish(s);
    }
    return true;
}

static void on_failed(void *user, iso__stream *s, iso_status status) {
    (void)user;
    (void)s;
    ++failed_count;
    failed_with = status;
}

static bool on_ended(void *user, iso__stream *s) {
    (void)user;
    (void)s;
    ++ended_count;
    return waits_for_answer;
}

static void on_queued(void *user, iso__stream *s, size_t size) {
    (void)user;
    (void)s;
    queued[queued_count++ % 64] = size;
}

static void on_closed(void *user, iso__stream *s) {
    (void)user;
    (void)s;
    ++closed_count;
}

static const iso__listener_config listener_config = {
    .stream_max = STREAM_MAX,
    .frame_timeout_ns = FRAME_TIMEOUT_NS,
    .finish_timeout_ns = FINISH_TIMEOUT_NS,
    .handler = {on_admits, on_opened, on_full, on_frame, on_failed, on_ended, on_queued, on_closed, NULL, NULL, NULL},
};

static int set_up(void **state) {
    (void)state;
    fake_sockets_begin();
    uv_loop_init(&loop);
    admits = opens = waits_for_answer = true;
    finishes_on_frame = false;
    refusals = opened_count = full_count = failed_count = closed_count = ended_count = queued_count = 0;
    heard_size = heard_frames = 0;
    const iso__address address = read_address("127.0.0.1", 0);
    iso__tcp_listener_init(&server);
    assert_int_equal(iso__listener_open(listener, &loop, &address, &listener_config), 0);
    assert_string_equal(listener->address, "127.0.0.1:7790");
    assert_int_equal(iso__listener_listen(listener), 0);
    peer = fake_connect();
    assert_non_null(peer);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iso__listener_close(listener);
    iso__listener_close(listener); // does no harm
    fake_sockets_end();
    assert_int_equal(listener->stream_count, 0);
    assert_null(listener->first);
    assert_null(server.dirty);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}

/// Time passes as it does for a process that runs.
#define PASS_STEP_NS (UINT64_C(500) * FAKE_NS_PER_MS)
static void pass(uint64_t ns) {
    for (uint64_t left = ns; left > 0;) {
        const uint64_t step = left < PASS_STEP_NS ? left : PASS_STEP_NS;
        fake_now_ns += step;
        left -= step;
        fake_run_timers();
    }
}

/// Queues bytes that no two places have alike.
static void send_bytes(size_t from, size_t size, bool farewell) {
    iso__buffer *buffer = iso__buffer_create(size);
    for (size_t i = 0; i < size; ++i) {
        buffer->bytes[i] = (uint8_t)((from + i) * 2654435761u >> 24);
    }
    buffer->size = size;
    iso__stream_send(stream, buffer, farewell);
    iso__buffer_release(buffer);
}

static void expect_sent(size_t from, size_t to, size_t at) {
    assert_true(peer->sent_size >= at + to - from);
    for (size_t i = from; i < to; ++i) {
        assert_int_equal(peer->sent[at + i - from], (uint8_t)(i * 2654435761u >> 24));
    }
}

static void flush(void) {
    iso__listener_flush(listener);
}

#endif
