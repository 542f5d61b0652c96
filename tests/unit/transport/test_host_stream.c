/// A stream's queue: its bound, its order, its farewell.
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "transport/tcp.h"
#include "unit/address_util.h"

#define FRAME_TIMEOUT_NS  UINT64_C(200000000)
#define STREAM_MAX        4u
#define FINISH_TIMEOUT_NS UINT64_C(300000000)

typedef struct stream_fixture {
    uv_loop_t loop;
    iso__tcp_listener server;
    iso__stream *stream;
    iso__tcp_stream *tcp; // the same
    int fd;               // the peer's end
    unsigned closed_count, failed_count, refusals, full_count;
    iso_status failed_with;
    size_t queued_max;
    uint8_t frames[64]; // the first byte of each frame that came
    unsigned frame_count;
} stream_fixture;

static bool on_admits(void *user) {
    (void)user;
    return true;
}

static bool on_opened(void *user, iso__stream *stream) {
    stream_fixture *fixture = user;
    fixture->stream = stream;
    fixture->tcp = (iso__tcp_stream *)stream;
    stream->id = 1;
    return true;
}

static void on_full(void *user, iso__stream *stream) {
    stream_fixture *fixture = user;
    iso__buffer *buffer = iso__buffer_create(4);
    memcpy(buffer->bytes, "full", 4);
    buffer->size = 4;
    if (stream != NULL) {
        iso__stream_send(stream, buffer, true);
    }
    iso__buffer_release(buffer);
    ++fixture->full_count;
}

static bool on_frame(void *user, iso__stream *stream, const uint8_t *bytes, size_t size) {
    stream_fixture *fixture = user;
    (void)stream;
    (void)size;
    if (fixture->refusals > 0) {
        --fixture->refusals;
        return false;
    }
    fixture->frames[fixture->frame_count++ % 64] = bytes[0];
    return true;
}

static void on_failed(void *user, iso__stream *stream, iso_status status) {
    stream_fixture *fixture = user;
    (void)stream;
    ++fixture->failed_count;
    fixture->failed_with = status;
}

static bool on_ended(void *user, iso__stream *stream) {
    (void)user;
    (void)stream;
    return true;
}

static void on_queued(void *user, iso__stream *stream, size_t queued) {
    stream_fixture *fixture = user;
    (void)stream;
    if (queued > fixture->queued_max) {
        fixture->queued_max = queued;
    }
}

static void on_closed(void *user, iso__stream *stream) {
    stream_fixture *fixture = user;
    (void)stream;
    ++fixture->closed_count;
    fixture->stream = NULL;
}

static void turn(stream_fixture *fixture) {
    uv_run(&fixture->loop, UV_RUN_NOWAIT);
}

/// Turns until this is so. What a peer has sent may come late: a busy kernel delivers it from a thread of its own.
#define TURN_UNTIL(fixture, condition)                             \
    do {                                                           \
        for (int wait = 0; !(condition) && wait < 20000; ++wait) { \
            turn(fixture);                                         \
            poll(NULL, 0, 1);                                      \
        }                                                          \
        assert_true(condition);                                    \
    } while (0)

static int setup(void **state) {
    stream_fixture *fixture = calloc(1, sizeof *fixture);
    uv_loop_init(&fixture->loop);
    const iso__address address = read_address("127.0.0.1", 0);
    const iso__listener_config config = {
        .stream_max = STREAM_MAX,
        .frame_timeout_ns = FRAME_TIMEOUT_NS,
        .finish_timeout_ns = FINISH_TIMEOUT_NS,
        .handler = {on_admits, on_opened, on_full, on_frame, on_failed, on_ended, on_queued, on_closed, fixture, NULL,
                    NULL},
    };
    iso__listener *listener = iso__tcp_listener_init(&fixture->server);
    if (iso__listener_open(listener, &fixture->loop, &address, &config) != 0 || iso__listener_listen(listener) != 0) {
        return -1;
    }
    struct sockaddr_in name;
    int size = sizeof name, receive_buffer = 4096;
    uv_tcp_getsockname(&fixture->server.tcp, (struct sockaddr *)&name, &size);
    fixture->fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fixture->fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (connect(fixture->fd, (struct sockaddr *)&name, sizeof name) != 0) {
        return -1;
    }
    while (fixture->stream == NULL) {
        turn(fixture);
    }
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    stream_fixture *fixture = *state;
    iso__listener_close(&fixture->server.base);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    int leaked = uv_loop_close(&fixture->loop);
    close(fixture->fd);
    free(fixture);
    return leaked;
}

static iso__buffer *make_buffer(uint8_t value, size_t size) {
    iso__buffer *buffer = iso__buffer_create(size);
    memset(buffer->bytes, value, size);
    buffer->size = size;
    return buffer;
}

static void send_value(stream_fixture *fixture, uint8_t value, size_t size, bool farewell) {
    iso__buffer *buffer = make_buffer(value, size);
    iso__stream_send(fixture->stream, buffer, farewell);
    iso__buffer_release(buffer);
    iso__listener_flush(&fixture->server.base);
}

/// Reads what the server sends, turning its loop, until it ends. @return bytes; the last one in *last
static size_t read_all(stream_fixture *fixture, uint8_t *last) {
    static uint8_t bytes[65536];
    size_t total = 0;
    for (int idle = 0; idle < 2000;) {
        turn(fixture);
        ssize_t size = recv(fixture->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (size == 0) {
            return total;
        }
        if (size > 0) {
            total += (size_t)size;
            *last = bytes[size - 1];
            idle = 0;
        } else {
            ++idle;
            poll(NULL, 0, 1);
        }
    }
    fail_msg("the stream did not end");
    return 0;
}

/// Different at each of many neighbouring places.
static uint8_t order_byte(unsigned at) {
    return (uint8_t)(at * 2654435761u >> 24);
}

static void test_everything_arrives_in_order(void **state) {
    stream_fixture *fixture = *state;
    // In batches, so that both several buffers in one write and writes that are cut are seen: the kernel does not take
    // all of this, and what it leaves of a buffer is sent later.
    for (unsigned i = 0; i < 30; ++i) {
        iso__buffer *buffer = make_buffer(0, 9001);
        for (unsigned k = 0; k < 9001; ++k) {
            buffer->bytes[k] = order_byte(9001 * i + k);
        }
        iso__stream_send(fixture->stream, buffer, false);
        iso__buffer_release(buffer);
        if (i % 10 == 9) {
            iso__listener_flush(&fixture->server.base);
        }
    }
    iso__stream_finish(fixture->stream);
    iso__listener_flush(&fixture->server.base);
    assert_true(fixture->tcp->is_writing && fixture->tcp->head_sent > 0);
    static uint8_t bytes[400000];
    size_t total = 0;
    for (ssize_t size = 1; size != 0;) {
        turn(fixture);
        size = recv(fixture->fd, bytes + total, sizeof bytes - total, MSG_DONTWAIT);
        total += size > 0 ? (size_t)size : 0;
    }
    assert_int_equal(total, 30 * 9001);
    for (size_t i = 0; i < total; ++i) {
        assert_int_equal(bytes[i], order_byte((unsigned)i));
    }
}

static void test_slow_reader_is_capped_and_gets_a_farewell(void **state) {
    stream_fixture *fixture = *state;
    size_t offered = 0;
    while (!fixture->tcp->has_overflowed && offered < (4u << 20)) {
        send_value(fixture, 1, 4000, false);
        offered += 4000;
        turn(fixture);
    }
    assert_true(fixture->tcp->has_overflowed);
    assert_true(fixture->queued_max > ISO__STREAM_QUEUED_MAX);
    assert_true(fixture->tcp->queued <= ISO__STREAM_QUEUED_MAX);
    // The kernel holds little more than its send buffer.
    assert_true(offered < ISO__STREAM_QUEUED_MAX + 4 * ISO__TCP_SEND_BUFFER_SIZE);

    send_value(fixture, 2, 4000, false);
    send_value(fixture, 3, 10, true);
    assert_true(fixture->tcp->queued <= 4010 + ISO__TCP_WRITE_SIZE_MAX);
    iso__stream_finish(fixture->stream);
    iso__listener_flush(&fixture->server.base);
    uint8_t last = 0;
    size_t total = read_all(fixture, &last);
    assert_int_equal(last, 3);
    // Whole buffers before the farewell: the peer's framing is intact.
    assert_int_equal(total % 4000, 10);
}

static void test_number_of_buffers_is_capped_too(void **state) {
    stream_fixture *fixture = *state;
    iso__buffer *buffer = make_buffer(1, 1);
    for (unsigned i = 0; i < ISO__STREAM_QUEUED_COUNT_MAX + 10; ++i) {
        iso__stream_send(fixture->stream, buffer, false);
    }
    assert_true(fixture->tcp->has_overflowed);
    assert_true(fixture->tcp->out_count < ISO__STREAM_QUEUED_COUNT_MAX);
    iso__buffer_release(buffer);
    iso__listener_flush(&fixture->server.base);
}

static void test_refused_frame_is_offered_again(void **state) {
    stream_fixture *fixture = *state;
    fixture->refusals = 2;
    const uint8_t frames[] = {1, 'a', 1, 'b', 1, 'c'};
    assert_int_equal(send(fixture->fd, frames, sizeof frames, 0), sizeof frames);
    TURN_UNTIL(fixture, fixture->tcp->is_paused && fixture->stream->bytes_in == sizeof frames);
    assert_int_equal(fixture->frame_count, 0);
    iso__stream_resume(fixture->stream);
    assert_int_equal(fixture->frame_count, 0);
    iso__stream_resume(fixture->stream);
    assert_int_equal(fixture->frame_count, 3);
    assert_memory_equal(fixture->frames, "abc", 3);
}

static void test_unfinished_frame_times_out(void **state) {
    stream_fixture *fixture = *state;
    assert_int_equal(send(fixture->fd, "\x05x", 2, 0), 2);
    TURN_UNTIL(fixture, fixture->failed_count > 0);
    assert_int_equal(fixture->failed_count, 1);
    assert_int_equal(fixture->failed_with, ISO_ERR_TIMEOUT);
}

static void test_peer_that_never_ends_is_cut_after_the_farewell(void **state) {
    stream_fixture *fixture = *state;
    send_value(fixture, 9, 10, true);
    iso__stream_finish(fixture->stream);
    iso__listener_flush(&fixture->server.base);
    TURN_UNTIL(fixture, fixture->closed_count > 0);
    assert_int_equal(fixture->closed_count, 1);
}

/// Whoever said nothing that is still to be answered is gone when it ends its side: the host hears of it soon.
static void test_end_of_a_silent_peer_is_noticed_soon(void **state) {
    stream_fixture *fixture = *state;
    fixture->server.base.config.finish_timeout_ns = 10 * UINT64_C(1000000000);
    shutdown(fixture->fd, SHUT_WR);
    for (int i = 0; i < 1500 && fixture->closed_count == 0; ++i) {
        turn(fixture);
        poll(NULL, 0, 1);
    }
    assert_int_equal(fixture->closed_count, 1);
}

static void test_oversize_frame_fails_once_and_the_answer_is_heard(void **state) {
    stream_fixture *fixture = *state;
    fixture->stream->frame_max = 100;
    const uint8_t frame[300] = {101};
    // It is told once, however much of the frame is still to come.
    for (int part = 0; part < 3; ++part) {
        assert_int_equal(send(fixture->fd, frame, sizeof frame, 0), sizeof frame);
        TURN_UNTIL(fixture, fixture->stream->bytes_in == ((uint64_t)part + 1) * sizeof frame);
    }
    shutdown(fixture->fd, SHUT_WR);
    TURN_UNTIL(fixture, fixture->tcp->has_peer_ended);
    assert_int_equal(fixture->failed_count, 1);
    assert_int_equal(fixture->failed_with, ISO_ERR_FRAME_TOO_LARGE);
    send_value(fixture, 7, 5, true);
    iso__stream_finish(fixture->stream);
    iso__listener_flush(&fixture->server.base);
    uint8_t last = 0;
    assert_int_equal(read_all(fixture, &last), 5);
    assert_int_equal(last, 7);
}

static void test_a_connection_too_many_is_told_so(void **state) {
    stream_fixture *fixture = *state;
    struct sockaddr_in address;
    int size = sizeof address, fds[STREAM_MAX];
    uv_tcp_getsockname(&fixture->server.tcp, (struct sockaddr *)&address, &size);
    for (unsigned i = 0; i < STREAM_MAX; ++i) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fds[i], (struct sockaddr *)&address, sizeof address), 0);
    }
    TURN_UNTIL(fixture, fixture->full_count > 0);
    // The setup has one of the places.
    assert_int_equal(fixture->full_count, 1);
    char answer[8];
    assert_int_equal(recv(fds[STREAM_MAX - 1], answer, sizeof answer, 0), 4);
    assert_memory_equal(answer, "full", 4);
    assert_int_equal(recv(fds[0], answer, sizeof answer, MSG_DONTWAIT), -1);
    for (unsigned i = 0; i < STREAM_MAX; ++i) {
        close(fds[i]);
    }
}

static void test_listener_is_bound_in_the_form_that_was_written(void **state) {
    stream_fixture *fixture = *state;
    static iso__tcp_listener other;
    const iso__stream *first = fixture->stream;
    iso__address address = read_address("::ffff:127.0.0.1", 0);
    address.binds_mapped = true;
    iso__listener *listener = iso__tcp_listener_init(&other);
    assert_int_equal(iso__listener_open(listener, &fixture->loop, &address, &fixture->server.base.config), 0);
    assert_int_equal(iso__listener_listen(listener), 0);
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    name.sin_port = htons((uint16_t)strtoul(strrchr(listener->address, ':') + 1, NULL, 10));
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const int error = connect(fd, (struct sockaddr *)&name, sizeof name);
    for (int wait = 0; error == 0 && fixture->stream == first && wait < 20000; ++wait) {
        turn(fixture);
        poll(NULL, 0, 1);
    }
    const bool has_come = fixture->stream != first;
    const iso__address_family family = fixture->stream->address.family;
    // What is open when a test fails is waited for at its end.
    iso__listener_close(listener);
    close(fd);
    assert_memory_equal(listener->address, "[::ffff:127.0.0.1]:", 19);
    assert_true(has_come);
    assert_int_equal(family, ISO__ADDRESS_IPV4);
}

int main(void) {
#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_everything_arrives_in_order),
        STREAM_TEST(test_slow_reader_is_capped_and_gets_a_farewell),
        STREAM_TEST(test_number_of_buffers_is_capped_too),
        STREAM_TEST(test_refused_frame_is_offered_again),
        STREAM_TEST(test_unfinished_frame_times_out),
        STREAM_TEST(test_peer_that_never_ends_is_cut_after_the_farewell),
        STREAM_TEST(test_end_of_a_silent_peer_is_noticed_soon),
        STREAM_TEST(test_a_connection_too_many_is_told_so),
        STREAM_TEST(test_listener_is_bound_in_the_form_that_was_written),
        STREAM_TEST(test_oversize_frame_fails_once_and_the_answer_is_heard),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
