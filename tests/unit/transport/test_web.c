/// Requests, answers and WebSocket streams on fake sockets: what the peer reads and when, and what the handlers are told.
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

#define MS FAKE_NS_PER_MS

static uv_loop_t loop;
static iso__web_listener server;
static iso__listener *const listener = &server.tcp.base;
static fake_socket *peer;
static iso__stream *stream; // after the upgrade
static iso__web_stream *web;
static bool admits, opens, opens_web;
static uint32_t refusals; // messages that are not taken now
static uint32_t requests, known, opened, failed, closed, refused[4], queued_over;
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

static bool on_frame(void *user, iso__stream *s, const uint8_t *bytes, size_t size) {
    (void)user;
    (void)s;
    if (refusals > 0) {
        --refusals;
        return false;
    }
    memcpy(heard + heard_size, bytes, size);
    heard_size += size;
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
    .handler = {on_admits, on_opened, on_full, on_frame, on_failed, on_ended, on_queued, on_closed, NULL},
};

static int set_up(void **state) {
    (void)state;
    fake_sockets_begin();
    uv_loop_init(&loop);
    admits = opens = opens_web = true;
    refusals = requests = known = opened = failed = closed = queued_over = 0;
    heard_size = 0;
    memset(refused, 0, sizeof refused);
    body = (iso__web_body){.memory = (const uint8_t *)"ok\n", .size = 3};
    body_size = 3;
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const iso__web_handler handler = {on_web_opened, on_request, on_refused, on_web_closed, NULL};
    iso__web_listener_init(&server, &handler, 0);
    assert_int_equal(iso__listener_open(listener, &loop, (const struct sockaddr *)&address, &config), 0);
    assert_int_equal(iso__listener_listen(listener), 0);
    peer = fake_connect();
    assert_non_null(peer);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iso__listener_close(listener);
    fake_sockets_end();
    assert_int_equal(listener->stream_count, 0);
    assert_int_equal(known, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}

static void flush(void) {
    iso__listener_flush(listener);
}

static void pass(uint64_t ns) {
    fake_now_ns += ns;
    fake_run_timers();
}

static void say(const char *text) {
    assert_true(fake_say(peer, text, strlen(text)));
    flush();
}

/// Whether the peer was sent this text behind `at`.
static bool was_sent(size_t at, const char *text) {
    return peer->sent_size > at && memmem(peer->sent + at, peer->sent_size - at, text, strlen(text)) != NULL;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define UPGRADE                                                                                                        \
    "GET /v1/socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: isostep.v1\r\n\r\n"

static void upgrade(void) {
    say(UPGRADE);
    assert_int_equal(opened, 1);
    assert_int_equal(known, 0);
    assert_true(was_sent(0, "HTTP/1.1 101 "));
    upgrade_size = peer->sent_size;
    peer->sent_size = 0;
}

/// A message as a client sends it, with a mask of zeros.
static void send_message(const void *bytes, size_t size) {
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
static void send_shared(size_t size, uint8_t fill, bool farewell) {
    iso__buffer *buffer = iso__buffer_create(size + ISO_FRAME_HEADER_SIZE_MAX);
    const size_t head = iso_frame_header_write(buffer->bytes, (uint32_t)size);
    memset(buffer->bytes + head, fill, size);
    buffer->size = head + size;
    iso__stream_send(stream, buffer, farewell);
    iso__buffer_release(buffer);
}

/// Checks the frame at `at` of what was sent. @return where the next one begins
static size_t expect_frame(size_t at, uint8_t first, size_t size, int fill) {
    uint8_t head[ISO__WEBSOCKET_HEAD_MAX];
    const size_t head_size = iso__websocket_head_write(head, first & 0x0F, size);
    assert_true(peer->sent_size >= at + head_size + size);
    assert_memory_equal(peer->sent + at, head, head_size);
    assert_int_equal(peer->sent[at], first);
    for (size_t i = 0; fill >= 0 && i < size; ++i)
        assert_int_equal(peer->sent[at + head_size + i], fill);
    return at + head_size + size;
}

static size_t expect_close(size_t at, unsigned code, const char *reason) {
    const size_t end = expect_frame(at, 0x88, 2 + strlen(reason), -1);
    assert_int_equal(peer->sent[at + 2] << 8 | peer->sent[at + 3], code);
    assert_memory_equal(peer->sent + at + 4, reason, strlen(reason));
    return end;
}

static void test_requests_are_answered_one_after_the_other(void **state) {
    (void)state;
    peer->room = 10;
    say(GET("/1") GET("/2"));
    assert_int_equal(requests, 1);
    assert_false(peer->is_reading); // the second waits behind the first answer
    fake_take(peer, 1000);
    flush();
    assert_int_equal(requests, 2);
    fake_take(peer, 1000);
    assert_true(peer->is_reading);
    assert_int_equal(known, 1);
}

static void test_large_bodies_come_in_pieces(void **state) {
    (void)state;
    enum { SIZE = 700000 };
    uint8_t *large = malloc(SIZE);
    for (size_t i = 0; i < SIZE; ++i)
        large[i] = (uint8_t)(i * 2654435761u >> 24);
    body = (iso__web_body){.memory = large, .size = SIZE};
    body_size = SIZE;
    peer->room = 0;
    say(GET("/"));
    size_t most = 0;
    for (int i = 0; i < 2000 && web->is_answering; ++i) {
        most = web->tcp.queued > most ? web->tcp.queued : most;
        fake_take(peer, 1000);
        flush();
    }
    assert_true(most <= ISO__WEB_BODY_PIECE + ISO__HTTP_ANSWER_HEAD_MAX);
    assert_memory_equal(peer->sent + peer->sent_size - SIZE, large, SIZE);
    assert_true(peer->is_reading);
    free(large);
}

static void test_files_are_read_from_their_offset_and_closed(void **state) {
    (void)state;
    char path[] = "/tmp/test_web_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    assert_int_equal(write(file, "0123456789", 10), 10);
    body = (iso__web_body){.file = file, .is_file = true, .offset = 3, .size = 4};
    body_size = 4;
    say(GET("/"));
    assert_memory_equal(peer->sent + peer->sent_size - 8, "\r\n\r\n3456", 8);
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

static void test_file_that_ends_early_cuts_the_connection(void **state) {
    (void)state;
    char path[] = "/tmp/test_web_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    body = (iso__web_body){.file = file, .is_file = true, .size = 4};
    body_size = 4;
    say(GET("/"));
    assert_true(peer->is_closing);
    fake_run_closes();
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

static void test_head_has_the_size_and_no_body(void **state) {
    (void)state;
    say("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_true(was_sent(0, "Content-Length: 3\r\n"));
    assert_false(was_sent(0, "ok\n"));
}

static void test_last_answer_ends_the_connection(void **state) {
    (void)state;
    say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" GET("/2"));
    assert_int_equal(requests, 1);
    assert_true(was_sent(0, "Connection: close\r\n"));
    assert_non_null(peer->shutdown);
    fake_take(peer, 0);
    fake_say_end(peer, UV_EOF);
    fake_run_closes();
    assert_true(peer->is_closed);
    assert_int_equal(known, 0);
}

static void test_time_limits(void **state) {
    (void)state;
    pass(ISO__WEB_REQUEST_TIMEOUT_NS - 1 * MS);
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 0);
    say("GET / HTTP/1.1\r\n"); // no new time for that
    pass(2 * MS);
    flush();
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 1);
    assert_true(was_sent(0, "HTTP/1.1 408 "));
    assert_non_null(peer->shutdown);

    // Between requests there is more, and nothing is said; a request that has begun has its own time.
    peer = fake_connect();
    say(GET("/"));
    pass(ISO__WEB_IDLE_TIMEOUT_NS - 1 * MS);
    say("GET / HTT");
    pass(ISO__WEB_REQUEST_TIMEOUT_NS - 1 * MS);
    assert_null(peer->shutdown);
    pass(2 * MS);
    flush();
    assert_true(was_sent(0, "HTTP/1.1 408 "));

    peer = fake_connect();
    say(GET("/"));
    pass(ISO__WEB_IDLE_TIMEOUT_NS + 1 * MS);
    flush();
    assert_non_null(peer->shutdown);
    assert_false(was_sent(0, "408"));
}

static void test_answer_that_is_not_read_is_given_up(void **state) {
    (void)state;
    peer->room = 10;
    say(GET("/"));
    pass(100 * MS);
    pass(ISO__WEB_STALL_TIMEOUT_NS - 1 * MS);
    assert_false(peer->is_closing);
    pass(2 * MS);
    assert_true(peer->is_closing);
}

static void test_flood_of_requests_is_ended(void **state) {
    (void)state;
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned i = 0; i < ISO__WEB_REQUESTS_MAX; ++i)
            say(GET("/"));
        assert_int_equal(requests, (round + 1) * ISO__WEB_REQUESTS_MAX);
        fake_now_ns += round == 0 ? 1000 * MS : 0;
    }
    say(GET("/"));
    assert_int_equal(requests, 2 * ISO__WEB_REQUESTS_MAX);
    assert_int_equal(refused[ISO__WEB_REFUSED_RATE], 1);
    assert_true(was_sent(0, "HTTP/1.1 429 "));
    assert_non_null(peer->shutdown);
}

static void test_garbage_is_answered_and_ended(void **state) {
    (void)state;
    say("hello\r\n\r\n");
    assert_int_equal(refused[ISO__WEB_REFUSED_FORM], 1);
    assert_true(was_sent(0, "HTTP/1.1 400 Bad Request\r\n"));
    assert_non_null(peer->shutdown);
}

static void test_connections_without_a_place_are_told(void **state) {
    (void)state;
    opens_web = false;
    fake_socket *other = fake_connect();
    assert_true(other->is_closing);
    assert_true(memmem(other->sent, other->sent_size, "HTTP/1.1 503 ", 13) != NULL);
    fake_run_closes();
    opens_web = true;
    fake_connect();
    fake_connect();
    assert_int_equal(refused[ISO__WEB_REFUSED_PLACE], 0);
    other = fake_connect();
    assert_int_equal(refused[ISO__WEB_REFUSED_PLACE], 1);
    assert_true(other->is_closing);
    assert_true(memmem(other->sent, other->sent_size, "HTTP/1.1 503 ", 13) != NULL);
}

static void test_messages_go_both_ways(void **state) {
    (void)state;
    upgrade();
    send_message("hello", 5);
    assert_memory_equal(heard, "hello", 5);
    send_shared(125, 1, false);
    send_shared(126, 2, false);
    send_shared(300, 3, false);
    send_shared(65535, 4, false);
    send_shared(65536, 5, false);
    flush();
    size_t at = expect_frame(0, 0x82, 125, 1);
    at = expect_frame(at, 0x82, 126, 2);
    at = expect_frame(at, 0x82, 300, 3);
    at = expect_frame(at, 0x82, 65535, 4);
    assert_int_equal(expect_frame(at, 0x82, 65536, 5), peer->sent_size);
    assert_int_equal(web->tcp.queued, 0);
    assert_int_equal(stream->bytes_out, upgrade_size + peer->sent_size);
}

static void test_frames_are_whole_however_they_are_written(void **state) {
    (void)state;
    upgrade();
    peer->room = 0;
    for (uint8_t i = 1; i <= 5; ++i)
        send_shared(i == 3 ? 200 : i, i, false);
    flush();
    for (int i = 0; i < 400; ++i)
        fake_take(peer, 1);
    size_t at = 0;
    for (uint8_t i = 1; i <= 5; ++i)
        at = expect_frame(at, 0x82, i == 3 ? 200 : i, i);
    assert_int_equal(at, peer->sent_size);
    assert_int_equal(web->tcp.queued, 0);
}

static void test_message_that_is_not_taken_now_is_offered_again(void **state) {
    (void)state;
    upgrade();
    refusals = 2;
    uint8_t frames[22];
    for (int i = 0; i < 2; ++i)
        memcpy(frames + 11 * i, i == 0 ? "\x82\x85\0\0\0\0hello" : "\x82\x85\0\0\0\0world", 11);
    fake_say(peer, frames, sizeof frames);
    assert_int_equal(heard_size, 0);
    assert_false(peer->is_reading);
    iso__stream_resume(stream);
    assert_int_equal(heard_size, 0);
    iso__stream_resume(stream);
    assert_int_equal(heard_size, 10);
    assert_memory_equal(heard, "helloworld", 10);
    assert_true(peer->is_reading);
}

static void test_slow_reader_gets_the_last_message_and_close(void **state) {
    (void)state;
    upgrade();
    peer->room = 1;
    for (int i = 0; i < 10; ++i) {
        send_shared(60000, (uint8_t)i, false);
        flush();
    }
    assert_int_equal(queued_over, 1);
    send_shared(10, 99, true);
    stream->end_status = ISO_ERR_SLOW_CONSUMER;
    iso__stream_finish(stream);
    flush();
    fake_take(peer, SIZE_MAX / 2);
    // The frame that was begun is whole; those behind it are gone.
    size_t at = expect_frame(0, 0x82, 60000, 0);
    at = expect_frame(at, 0x82, 10, 99);
    at = expect_close(at, 4038, "SLOW_CONSUMER");
    assert_int_equal(at, peer->sent_size);
    assert_true(peer->is_shut_down);
}

static void test_finish_closes_with_the_users_status(void **state) {
    (void)state;
    upgrade();
    send_shared(3, 7, true);
    iso__stream_finish(stream);
    flush();
    const size_t at = expect_frame(0, 0x82, 3, 7);
    assert_int_equal(expect_close(at, 1000, ""), peer->sent_size);
    assert_non_null(peer->shutdown);
    assert_int_equal(closed, 0);
    fake_take(peer, 0);
    fake_say_end(peer, UV_EOF);
    fake_run_closes();
    assert_int_equal(closed, 1);
}

static void test_cut_says_why(void **state) {
    (void)state;
    upgrade();
    stream->end_status = ISO_ERR_SERVER_FULL;
    iso__stream_cut(stream);
    assert_int_equal(expect_close(0, 1013, "SERVER_FULL"), peer->sent_size);
    assert_true(peer->is_closing);
}

static void test_stream_that_is_not_opened_is_cut(void **state) {
    (void)state;
    opens = false;
    say(UPGRADE);
    assert_int_equal(opened, 1);
    assert_true(was_sent(0, "HTTP/1.1 101 "));
    assert_true(peer->is_closing);
    fake_run_closes();
    assert_int_equal(closed, 0);
}

static void test_busy_lobby_is_503(void **state) {
    (void)state;
    admits = false;
    say(UPGRADE);
    assert_int_equal(opened, 0);
    assert_true(was_sent(0, "HTTP/1.1 503 "));
    assert_true(was_sent(0, "Retry-After: 1\r\n"));
    assert_non_null(peer->shutdown);
}

static void test_close_of_the_peer_is_answered(void **state) {
    (void)state;
    upgrade();
    fake_say(peer, "\x88\x82\0\0\0\0\x03\xE8", 8);
    send_shared(3, 7, false); // too late
    flush();
    assert_int_equal(expect_close(0, 1000, ""), peer->sent_size);
    assert_int_equal(failed, 0);
    assert_non_null(peer->shutdown);
}

static void test_nothing_that_waits_goes_behind_the_peers_close(void **state) {
    (void)state;
    upgrade();
    peer->room = 1;
    for (uint8_t i = 1; i <= 3; ++i)
        send_shared(100, i, false);
    flush();
    fake_say(peer, "\x88\x80\0\0\0\0", 6);
    flush();
    fake_take(peer, SIZE_MAX / 2);
    // One was begun; the answer to a Close without a code has none.
    assert_int_equal(expect_frame(expect_frame(0, 0x82, 100, 1), 0x88, 0, 0), peer->sent_size);
}

static void test_wrong_frame_is_a_failure(void **state) {
    (void)state;
    upgrade();
    fake_say(peer, "\x82\x05hello", 7); // no mask
    assert_int_equal(failed, 1);
    assert_int_equal(failed_with, ISO_ERR_MALFORMED);
    flush();
    expect_close(0, 1002, "MALFORMED");
    // What it says from now on is read and thrown away.
    assert_true(peer->is_reading);
    send_message("hello", 5);
    assert_int_equal(heard_size, 0);
}

static void test_message_limit_is_the_users(void **state) {
    (void)state;
    static uint8_t bytes[101];
    upgrade();
    stream->frame_max = 100;
    send_message(bytes, 100);
    assert_int_equal(heard_size, 100);
    send_message(bytes, 101);
    assert_int_equal(failed_with, ISO_ERR_FRAME_TOO_LARGE);
    flush();
    expect_close(0, 1009, "FRAME_TOO_LARGE");
}

static void test_message_that_does_not_end_is_a_timeout(void **state) {
    (void)state;
    upgrade();
    send_message("hello", 5);
    pass(6000 * MS);
    assert_int_equal(failed, 0);
    fake_say(peer, "\x82", 1);
    pass(4999 * MS);
    assert_int_equal(failed, 0);
    fake_say(peer, "\x85", 1);
    pass(2 * MS);
    assert_int_equal(failed_with, ISO_ERR_TIMEOUT);
}

static void test_silent_peer_is_pinged(void **state) {
    (void)state;
    upgrade();
    pass(ISO__WEB_PING_NS - 1 * MS);
    flush();
    assert_int_equal(peer->sent_size, 0);
    pass(1 * MS);
    flush();
    assert_int_equal(expect_frame(0, 0x89, 0, 0), peer->sent_size);
    pass(ISO__WEB_PING_NS - 1 * MS);
    flush();
    assert_int_equal(peer->sent_size, 2);
    fake_say(peer, "\x8A\x80\0\0\0\0", 6);
    pass(2 * MS);
    flush();
    assert_int_equal(peer->sent_size, 2);
}

static void test_pings_are_answered_up_to_a_limit(void **state) {
    (void)state;
    upgrade();
    for (unsigned i = 0; i < ISO__WEB_CONTROLS_MAX; ++i)
        fake_say(peer, "\x89\x81\0\0\0\0x", 7);
    flush();
    assert_int_equal(peer->sent_size, ISO__WEB_CONTROLS_MAX * 3);
    assert_int_equal(failed, 0);
    fake_now_ns += 1000 * MS;
    for (unsigned i = 0; i <= ISO__WEB_CONTROLS_MAX; ++i)
        fake_say(peer, "\x89\x81\0\0\0\0x", 7);
    assert_int_equal(failed_with, ISO_ERR_RATE);
}

/// Sends what a connection still takes.
static void say_if(fake_socket *socket, const void *bytes, size_t size) {
    if (socket != NULL && socket->is_reading)
        fake_say(socket, bytes, size);
    flush();
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    unsigned counted = 0;
    fake_now_ns += 1;
    for (unsigned n = 0; n <= counted; ++n) {
        allocations = 0;
        fail_at = n; // the first round counts
        fake_socket *socket = fake_connect();
        say_if(socket, GET("/"), sizeof GET("/") - 1);
        say_if(socket, UPGRADE, sizeof UPGRADE - 1);
        say_if(socket, "\x89\x81\0\0\0\0x", 7);
        say_if(socket, "\x88\x80\0\0\0\0", 6);
        fail_at = 0;
        counted = n == 0 ? allocations : counted;
        // One that had to wait for memory is taken now.
        fake_run_timers();
        fake_now_ns += ISO__WEB_REQUEST_TIMEOUT_NS + 1;
        fake_run_timers();
        for (iso__stream *s = listener->first; s != NULL; s = s->next)
            iso__stream_cut(s);
        fake_run_closes();
        assert_int_equal(listener->stream_count, 0);
        assert_int_equal(known, 0);
    }
    assert_true(counted > 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_requests_are_answered_one_after_the_other),
        TEST(test_large_bodies_come_in_pieces),
        TEST(test_files_are_read_from_their_offset_and_closed),
        TEST(test_file_that_ends_early_cuts_the_connection),
        TEST(test_head_has_the_size_and_no_body),
        TEST(test_last_answer_ends_the_connection),
        TEST(test_time_limits),
        TEST(test_answer_that_is_not_read_is_given_up),
        TEST(test_flood_of_requests_is_ended),
        TEST(test_garbage_is_answered_and_ended),
        TEST(test_connections_without_a_place_are_told),
        TEST(test_messages_go_both_ways),
        TEST(test_frames_are_whole_however_they_are_written),
        TEST(test_message_that_is_not_taken_now_is_offered_again),
        TEST(test_slow_reader_gets_the_last_message_and_close),
        TEST(test_finish_closes_with_the_users_status),
        TEST(test_cut_says_why),
        TEST(test_stream_that_is_not_opened_is_cut),
        TEST(test_busy_lobby_is_503),
        TEST(test_close_of_the_peer_is_answered),
        TEST(test_nothing_that_waits_goes_behind_the_peers_close),
        TEST(test_wrong_frame_is_a_failure),
        TEST(test_message_limit_is_the_users),
        TEST(test_message_that_does_not_end_is_a_timeout),
        TEST(test_silent_peer_is_pinged),
        TEST(test_pings_are_answered_up_to_a_limit),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
