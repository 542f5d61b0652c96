/// The program's streams on real sockets of this machine: the test holds the server's end in its hands.
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"
#include "transport/stream.h"
#include "transport/tcp.h"

#define PATIENCE_TURNS 5000 // of a millisecond

typedef enum call { NEVER, CONNECTED, FRAME, FAILED, ENDED } call;

/// A stream and what it has told.
typedef struct listener {
    iso__uv_stream *stream;
    iso_status failed_with;
    int error;
    iso__uv_stream_state failed_in;
    uint32_t connected_count, failed_count, ended_count, closed_count;
    uint32_t refusals;  // frames that are not taken now
    bool is_one_by_one; // each frame that is taken is followed by one that is not
    call cuts_in;       // the call in which the stream is cut
    bool finishes_on_end;
    uint64_t bytes_in, bytes_out;
    uint8_t heard[1 << 17];
    size_t heard_size, heard_frames;
} listener;

static uv_loop_t loop;
static iso__uv_dialer *dialer;
static int server;    // listens
static char port[16]; // there
static int peer;      // the server's end of the connection that came last
static listener one, other;

static struct sockaddr_in in_list[3];
static struct addrinfo list[3];

int __real_uv_getaddrinfo(uv_loop_t *l, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints);
int __wrap_uv_getaddrinfo(uv_loop_t *l, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints);
void __real_uv_freeaddrinfo(struct addrinfo *addresses);
void __wrap_uv_freeaddrinfo(struct addrinfo *addresses);

/// The host "listed" has the addresses of `list`.
int __wrap_uv_getaddrinfo(uv_loop_t *l, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints) {
    if (strcmp(host, "listed") != 0) {
        return __real_uv_getaddrinfo(l, request, done, host, service, hints);
    }
    request->addrinfo = list;
    return 0;
}

void __wrap_uv_freeaddrinfo(struct addrinfo *addresses) {
    if (addresses != list) {
        __real_uv_freeaddrinfo(addresses);
    }
}

static void cut_in(listener *l, call now) {
    if (l->cuts_in == now) {
        iso__uv_stream_cut(l->stream);
    }
}

static void on_connected(iso__uv_stream *stream) {
    listener *l = stream->user;
    assert_int_equal(stream->state, ISO__UV_STREAM_OPEN);
    ++l->connected_count;
    cut_in(l, CONNECTED);
}

static bool on_frame(iso__uv_stream *stream, const uint8_t *bytes, size_t size) {
    listener *l = stream->user;
    if (l->refusals > 0) {
        --l->refusals;
        return false;
    }
    l->refusals = l->is_one_by_one;
    assert_true(l->heard_size + size <= sizeof(l->heard));
    memcpy(l->heard + l->heard_size, bytes, size);
    l->heard_size += size;
    ++l->heard_frames;
    cut_in(l, FRAME);
    return true;
}

static void on_failed(iso__uv_stream *stream, iso_status status) {
    listener *l = stream->user;
    ++l->failed_count;
    l->failed_with = status;
    l->failed_in = stream->state;
    l->error = stream->error;
    assert_false(iso__uv_stream_send(stream, (const uint8_t *)"x", 1));
    cut_in(l, FAILED);
}

static void on_ended(iso__uv_stream *stream) {
    listener *l = stream->user;
    ++l->ended_count;
    if (l->finishes_on_end) {
        assert_true(iso__uv_stream_send(stream, (const uint8_t *)"bye", 3));
        iso__uv_stream_finish(stream);
    }
    cut_in(l, ENDED);
}

static void on_closed(iso__uv_stream *stream) {
    listener *l = stream->user;
    assert_ptr_equal(stream, l->stream);
    ++l->closed_count;
    l->bytes_in = stream->bytes_in;
    l->bytes_out = stream->bytes_out;
    l->stream = NULL;
}

static void turn(void) {
    uv_run(&loop, UV_RUN_NOWAIT);
    poll(NULL, 0, 1);
}

static void turn_for(int turns) {
    for (int i = 0; i < turns; ++i) {
        turn();
    }
}

#define TURN_UNTIL(condition)                                                     \
    do {                                                                          \
        for (int turns_ = 0; turns_ < PATIENCE_TURNS && !(condition); ++turns_) { \
            turn();                                                               \
        }                                                                         \
        assert_true(condition);                                                   \
    } while (0)

static void listener_connect(listener *l) {
    static const iso__uv_stream_handler handler = {on_connected, on_frame, on_failed, on_ended, on_closed};
    assert_int_equal(iso__uv_dialer_connect(dialer, &handler, l, &l->stream), 0);
    assert_int_equal(l->stream->state, ISO__UV_STREAM_CONNECTING);
    assert_int_equal(l->connected_count + l->failed_count + l->closed_count, 0);
}

/// Connects. @return the server's end
static int listener_meet(listener *l) {
    listener_connect(l);
    TURN_UNTIL(l->connected_count > 0);
    const int end = accept(server, NULL, NULL);
    assert_true(end >= 0);
    return end;
}

static int make_server(int backlog) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&address, size) != 0 || (backlog >= 0 && listen(server, backlog) != 0) ||
        getsockname(server, (struct sockaddr *)&address, &size) != 0) {
        return -1;
    }
    snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
    return iso__uv_dialer_resolve(dialer, "127.0.0.1", port);
}

static int set_up_dialer(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    memset(&one, 0, sizeof(one));
    memset(&other, 0, sizeof(other));
    server = peer = -1;
    uv_loop_init(&loop);
    dialer = iso__uv_tcp_dialer_create(&loop);
    return dialer == NULL;
}

static int set_up(void **state) {
    return set_up_dialer(state) != 0 || make_server(8) != 0;
}

static int set_up_connected(void **state) {
    const int status = set_up(state);
    peer = status == 0 ? listener_meet(&one) : -1;
    return status;
}

static int tear_down(void **state) {
    (void)state;
    for (listener *l = &one; l != NULL; l = l == &one ? &other : NULL) {
        if (l->stream != NULL) {
            iso__uv_stream_cut(l->stream);
        }
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__uv_dialer_destroy(dialer);
    close(server);
    close(peer);
    return uv_loop_close(&loop); // busy when a stream has left something behind
}

/// The server says so, in one piece.
static void say(int end, const void *bytes, size_t size) {
    assert_int_equal(send(end, bytes, size, MSG_NOSIGNAL), size);
}

#define SAY(text) say(peer, text, sizeof(text) - 1)

static void reset_peer(void) {
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(peer);
    peer = -1;
}

/// Takes what the server has got. @return how much, with all before; -1 behind its end
static ssize_t hear(uint8_t *bytes, size_t capacity, size_t *size) {
    const ssize_t count = recv(peer, bytes + *size, capacity - *size, MSG_DONTWAIT);
    *size += count > 0 ? (size_t)count : 0;
    return count == 0 && capacity > *size ? -1 : (ssize_t)*size;
}

/// Resolves to the first `count` of three addresses.
static void list_addresses(uint32_t count) {
    in_list[0] = (struct sockaddr_in){.sin_family = AF_UNSPEC};
    in_list[1] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    in_list[2] = in_list[1];
    in_list[1].sin_port = htons(1);
    in_list[2].sin_port = htons((uint16_t)atoi(port));
    for (uint32_t i = 0; i < count; ++i) {
        list[i] = (struct addrinfo){.ai_addr = (struct sockaddr *)&in_list[i],
                                    .ai_next = i + 1 < count ? &list[i + 1] : NULL};
    }
    assert_int_equal(iso__uv_dialer_resolve(dialer, "listed", "7790"), 0);
}

// ---- connecting -----------------------------------------------------------------------------------

static void test_connects_and_sends_and_hears(void **state) {
    (void)state;
    uint8_t bytes[16];
    size_t size = 0;
    assert_true(iso__uv_stream_send(one.stream, (const uint8_t *)"abc", 3));
    assert_true(iso__uv_tcp_send_raw(one.stream, "\xff\xff", 2));
    TURN_UNTIL(hear(bytes, sizeof(bytes), &size) == 6);
    assert_memory_equal(bytes,
                        "\x03"
                        "abc\xff\xff",
                        6);
    SAY("\x02"
        "de");
    TURN_UNTIL(one.heard_frames == 1);
    assert_memory_equal(one.heard, "de", 2);
    assert_int_equal(one.connected_count, 1);
    iso__uv_stream_cut(one.stream);
    assert_int_equal(one.closed_count, 1);
    assert_int_equal(one.bytes_in, 3);
    assert_int_equal(one.bytes_out, 6);
    // A place that is left can be taken again at once.
    one.connected_count = one.closed_count = 0;
    close(peer);
    peer = listener_meet(&one);
}

static void test_refused_connection_is_told(void **state) {
    (void)state;
    assert_int_equal(make_server(-1), 0); // nobody listens
    listener_connect(&one);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_count, 1);
    assert_int_equal(one.failed_with, ISO_ERR_CONNECTION);
    assert_int_equal(one.failed_in, ISO__UV_STREAM_CONNECTING);
    assert_int_equal(one.error, UV_ECONNREFUSED);
    assert_int_equal(one.connected_count + one.ended_count, 0);
}

static void test_name_that_is_none_is_told(void **state) {
    (void)state;
    assert_int_not_equal(iso__uv_dialer_resolve(dialer, "there..is.none", "7790"), 0);
    assert_int_not_equal(iso__uv_dialer_resolve(dialer, "127.0.0.1", "no-such-service"), 0);
    assert_int_equal(iso__uv_dialer_resolve(dialer, "127.0.0.1", "7790"), 0);
}

/// Three addresses of one name: of no family, of a port where nobody listens, and of the server.
static void test_addresses_are_tried_one_after_the_other(void **state) {
    (void)state;
    list_addresses(3);
    listener_connect(&one);
    TURN_UNTIL(one.connected_count == 1);
    assert_int_equal(one.failed_count, 0);
    list_addresses(2);
    listener_connect(&other);
    TURN_UNTIL(other.closed_count == 1);
    assert_int_equal(other.failed_count, 1);
    assert_int_equal(other.error, UV_ECONNREFUSED); // of the last
    memset(&other, 0, sizeof(other));
    list_addresses(1);
    listener_connect(&other);
    TURN_UNTIL(other.closed_count == 1);
    assert_int_equal(other.failed_count, 1);
    assert_int_equal(other.error, UV_EINVAL);
}

static void test_connection_can_be_given_up_between_two_addresses(void **state) {
    (void)state;
    list_addresses(3);
    listener_connect(&one); // the first has failed at once
    iso__uv_stream_cut(one.stream);
    assert_int_equal(one.closed_count, 1);
    turn_for(5);
    assert_int_equal(one.closed_count, 1);
    assert_int_equal(one.failed_count + one.connected_count, 0);
    assert_int_equal(uv_loop_alive(&loop), 0);
}

static void test_connection_that_never_answers_can_be_given_up(void **state) {
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int crowd[8];
    assert_int_equal(make_server(0), 0);
    address.sin_port = htons((uint16_t)atoi(port));
    for (uint32_t i = 0; i < 8; ++i) { // who comes when the queue is full gets no answer
        crowd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)!connect(crowd[i], (struct sockaddr *)&address, sizeof(address));
    }
    listener_connect(&one);
    listener_connect(&other);
    turn_for(50);
    assert_int_equal(one.stream->state, ISO__UV_STREAM_CONNECTING);
    assert_false(iso__uv_stream_send(one.stream, (const uint8_t *)"x", 1));
    iso__uv_stream_cut(one.stream);
    iso__uv_stream_finish(other.stream); // has nothing to send
    assert_int_equal(one.closed_count, 1);
    assert_int_equal(other.closed_count, 1);
    turn_for(5);
    assert_int_equal(one.failed_count + one.connected_count + other.failed_count, 0);
    for (uint32_t i = 0; i < 8; ++i) {
        close(crowd[i]);
    }
}

// ---- reading --------------------------------------------------------------------------------------

static void test_frames_are_found_in_any_pieces(void **state) {
    (void)state;
    static const uint8_t bytes[] = "\x03"
                                   "abc"
                                   "\x01"
                                   "d"
                                   "\x05"
                                   "efghi";
    const size_t size = sizeof(bytes) - 1;
    for (size_t piece = 1; piece <= size; ++piece) {
        one.heard_size = one.heard_frames = 0;
        for (size_t at = 0; at < size; at += piece) {
            const uint64_t before = one.stream->bytes_in;
            const size_t part = at + piece < size ? piece : size - at;
            say(peer, bytes + at, part);
            TURN_UNTIL(one.stream->bytes_in == before + part);
        }
        assert_int_equal(one.heard_frames, 3);
        assert_memory_equal(one.heard, "abcdefghi", 9);
    }
}

static void test_largest_frame_is_heard_and_a_larger_one_is_not(void **state) {
    (void)state;
    static uint8_t bytes[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER];
    const size_t header = iso_frame_header_write(bytes, ISO_FRAME_MAX_SERVER);
    memset(bytes + header, 'x', ISO_FRAME_MAX_SERVER);
    say(peer, bytes, header + ISO_FRAME_MAX_SERVER);
    TURN_UNTIL(one.heard_frames == 1);
    assert_int_equal(one.heard_size, ISO_FRAME_MAX_SERVER);
    const size_t larger = iso_frame_header_write(bytes, ISO_FRAME_MAX_SERVER + 1);
    say(peer, bytes, larger + 10);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_count, 1);
    assert_int_equal(one.failed_with, ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(one.failed_in, ISO__UV_STREAM_OPEN);
    assert_int_equal(one.heard_frames, 1);
}

static void test_what_is_no_frame_is_told(void **state) {
    (void)state;
    SAY("\x01"
        "a"
        "\x00"
        "b");
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_with, ISO_ERR_MALFORMED);
    assert_int_equal(one.heard_frames, 1);
}

static void test_end_between_two_frames_is_an_end(void **state) {
    (void)state;
    SAY("\x01"
        "a");
    shutdown(peer, SHUT_WR);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.ended_count, 1);
    assert_int_equal(one.failed_count, 0);
    assert_int_equal(one.heard_frames, 1);
}

static void test_end_in_the_middle_of_a_frame_is_a_failure(void **state) {
    (void)state;
    SAY("\x03"
        "a");
    shutdown(peer, SHUT_WR);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.ended_count, 0);
    assert_int_equal(one.failed_with, ISO_ERR_CONNECTION);
    assert_int_equal(one.error, UV_EOF);
}

static void test_broken_connection_is_told(void **state) {
    (void)state;
    reset_peer();
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_count, 1);
    assert_int_equal(one.failed_with, ISO_ERR_CONNECTION);
    assert_int_equal(one.failed_in, ISO__UV_STREAM_OPEN);
    assert_int_equal(one.error, UV_ECONNRESET);
}

static void test_held_frame_comes_again_with_all_behind_it(void **state) {
    (void)state;
    const int second = listener_meet(&other);
    // Once a frame that came in one piece, once one that was put together from two.
    for (uint32_t round = 0; round < 2; ++round) {
        const uint64_t before = one.stream->bytes_in;
        one.heard_size = one.heard_frames = 0;
        one.refusals = 2;
        SAY("\x03"
            "ab");
        if (round == 1) {
            TURN_UNTIL(one.stream->bytes_in == before + 3);
        }
        SAY("c"
            "\x01"
            "d"
            "\x04"
            "ef");
        TURN_UNTIL(one.refusals == 1 && one.stream->bytes_in == before + 9);
        SAY("gh");
        // What others read does not touch what is held.
        say(second,
            "\x09"
            "xxxxxxxxx",
            10);
        TURN_UNTIL(other.heard_frames == round + 1);
        turn_for(5);
        assert_int_equal(one.stream->bytes_in, before + 9); // nothing is read
        iso__uv_stream_resume(one.stream);
        assert_int_equal(one.refusals, 0);
        turn_for(5);
        assert_int_equal(one.heard_frames, 0);
        assert_int_equal(one.stream->bytes_in, before + 9);
        iso__uv_stream_resume(one.stream);
        assert_int_equal(one.heard_frames, 2);
        iso__uv_stream_resume(one.stream); // nothing is held
        TURN_UNTIL(one.heard_frames == 3);
        assert_memory_equal(one.heard, "abcdefgh", 8);
    }
    close(second);
}

static void test_frames_can_be_taken_one_by_one(void **state) {
    (void)state;
    one.is_one_by_one = true;
    SAY("\x01"
        "a"
        "\x01"
        "b"
        "\x01"
        "c"
        "\x01");
    for (size_t i = 1; i <= 3; ++i) {
        TURN_UNTIL(one.heard_frames == i);
        turn_for(2);
        assert_int_equal(one.heard_frames, i);
        iso__uv_stream_resume(one.stream);
    }
    one.refusals = 0;
    SAY("d");
    TURN_UNTIL(one.heard_frames == 4);
    assert_memory_equal(one.heard, "abcd", 4);
}

// ---- writing --------------------------------------------------------------------------------------

#define MESSAGE_SIZE 60000u // [bytes], and three of its size

/// A message in which no two places are alike, and which is not like its neighbours.
static const uint8_t *message_of(size_t number) {
    static uint8_t bytes[MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof(bytes); ++i) {
        bytes[i] = (uint8_t)((number * MESSAGE_SIZE + i) * 2654435761u >> 24);
    }
    return bytes;
}

/// Sends messages until so much waits. @return how many
static size_t fill(size_t queued) {
    size_t count = 0;
    while (one.stream->queued < queued) {
        assert_true(iso__uv_stream_send(one.stream, message_of(count), MESSAGE_SIZE));
        ++count;
    }
    return count;
}

/// The server takes all until the stream's end: so many messages, and so many bytes behind them.
static void expect_messages(size_t count, size_t more) {
    static uint8_t bytes[16u << 20];
    size_t size = 0;
    TURN_UNTIL(hear(bytes, sizeof(bytes), &size) < 0);
    assert_int_equal(size, count * (MESSAGE_SIZE + 3) + more);
    for (size_t i = 0; i < count; ++i) {
        assert_memory_equal(bytes + i * (MESSAGE_SIZE + 3) + 3, message_of(i), MESSAGE_SIZE);
    }
}

static void test_finish_sends_what_is_queued(void **state) {
    (void)state;
    const size_t count = fill(400000);
    SAY("\x01"
        "z");
    iso__uv_stream_finish(one.stream);
    assert_false(iso__uv_stream_send(one.stream, (const uint8_t *)"x", 1));
    turn_for(5);
    assert_int_equal(one.closed_count, 0);
    expect_messages(count, 0);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.bytes_out, count * (MESSAGE_SIZE + 3));
    assert_int_equal(one.heard_frames + one.failed_count + one.ended_count, 0);
}

/// The server reads only when all that it has to say is taken in.
static void test_finish_of_a_stream_that_holds_throws_away_what_comes(void **state) {
    (void)state;
    one.refusals = 1;
    SAY("\x01"
        "a"
        "\x01"
        "b");
    TURN_UNTIL(one.refusals == 0);
    const size_t count = fill(400000);
    iso__uv_stream_finish(one.stream);
    iso__uv_stream_resume(one.stream);
    size_t said = 0;
    for (int i = 0; i < PATIENCE_TURNS && said < 64u << 20; ++i) {
        const ssize_t sent = send(peer, message_of(0), MESSAGE_SIZE, MSG_DONTWAIT | MSG_NOSIGNAL);
        said += sent > 0 ? (size_t)sent : 0;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    assert_true(said >= 64u << 20);
    expect_messages(count, 0);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.heard_frames, 0);
}

static void test_queue_has_a_bound(void **state) {
    (void)state;
    static uint8_t bytes[60000];
    while (iso__uv_stream_send(one.stream, bytes, sizeof(bytes))) {
        assert_true(one.stream->queued <= ISO__UV_STREAM_QUEUED_MAX);
    }
    assert_true(one.stream->is_broken);
    assert_true(one.stream->queued > ISO__UV_STREAM_QUEUED_MAX - sizeof(bytes) - 3);
    assert_int_equal(one.failed_count + one.closed_count, 0);
    // It stays so when there is room again: what was not taken is missing.
    while (one.stream->queued > 0) {
        static uint8_t away[1 << 16];
        (void)!recv(peer, away, sizeof(away), MSG_DONTWAIT);
        turn();
    }
    assert_false(iso__uv_stream_send(one.stream, bytes, 1));
}

static void test_cut_while_a_write_is_under_way(void **state) {
    (void)state;
    fill(200000);
    turn_for(2);
    iso__uv_stream_cut(one.stream);
    assert_int_equal(one.closed_count, 1);
    turn_for(5);
    assert_int_equal(one.failed_count + one.ended_count, 0);
    assert_int_equal(uv_loop_alive(&loop), 0);
}

static void test_what_has_come_is_read_when_writing_fails(void **state) {
    (void)state;
    one.refusals = 1;
    SAY("\x01"
        "a"
        "\x01"
        "b");
    TURN_UNTIL(one.refusals == 0);
    reset_peer();
    for (int i = 0; i < 100 && iso__uv_stream_send(one.stream, (const uint8_t *)"x", 1); ++i) {
        turn();
    }
    assert_true(one.stream->is_broken);
    assert_int_equal(one.failed_count + one.closed_count, 0);
    iso__uv_stream_resume(one.stream);
    assert_int_equal(one.heard_frames, 2);
    TURN_UNTIL(one.closed_count == 1);
}

static void test_end_can_be_answered_with_a_farewell(void **state) {
    (void)state;
    one.finishes_on_end = true;
    const size_t count = fill(200000);
    shutdown(peer, SHUT_WR);
    TURN_UNTIL(one.ended_count == 1);
    expect_messages(count, 4);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_count, 0);
}

// ---- closing within a call ------------------------------------------------------------------------

static void test_stream_may_be_cut_in_each_call(void **state) {
    (void)state;
    for (call now = CONNECTED; now <= ENDED; ++now) {
        memset(&one, 0, sizeof(one));
        one.cuts_in = now;
        listener_connect(&one);
        TURN_UNTIL(one.connected_count == 1);
        peer = accept(server, NULL, NULL);
        SAY("\x01"
            "a"
            "\x01"
            "b");
        TURN_UNTIL(one.heard_frames == (now == CONNECTED ? 0 : now == FRAME ? 1 : 2));
        if (now == FAILED) {
            reset_peer();
        }
        close(peer);
        TURN_UNTIL(one.closed_count == 1);
        turn_for(3);
        assert_int_equal(one.closed_count, 1);
        assert_int_equal(one.failed_count, now == FAILED);
        assert_int_equal(one.ended_count, now == ENDED);
        assert_int_equal(uv_loop_alive(&loop), 0);
    }
    // And when there is no connection.
    memset(&one, 0, sizeof(one));
    one.cuts_in = FAILED;
    close(server);
    listener_connect(&one);
    TURN_UNTIL(one.closed_count == 1);
    assert_int_equal(one.failed_count, 1);
    server = peer = -1;
}

int main(void) {
#define STREAM_TEST(name)    cmocka_unit_test_setup_teardown(name, set_up_dialer, tear_down)
#define LISTENING_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CONNECTED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
    const struct CMUnitTest tests[] = {
        CONNECTED_TEST(test_connects_and_sends_and_hears),
        STREAM_TEST(test_refused_connection_is_told),
        STREAM_TEST(test_name_that_is_none_is_told),
        LISTENING_TEST(test_addresses_are_tried_one_after_the_other),
        LISTENING_TEST(test_connection_can_be_given_up_between_two_addresses),
        STREAM_TEST(test_connection_that_never_answers_can_be_given_up),
        CONNECTED_TEST(test_frames_are_found_in_any_pieces),
        CONNECTED_TEST(test_largest_frame_is_heard_and_a_larger_one_is_not),
        CONNECTED_TEST(test_what_is_no_frame_is_told),
        CONNECTED_TEST(test_end_between_two_frames_is_an_end),
        CONNECTED_TEST(test_end_in_the_middle_of_a_frame_is_a_failure),
        CONNECTED_TEST(test_broken_connection_is_told),
        CONNECTED_TEST(test_held_frame_comes_again_with_all_behind_it),
        CONNECTED_TEST(test_frames_can_be_taken_one_by_one),
        CONNECTED_TEST(test_finish_sends_what_is_queued),
        CONNECTED_TEST(test_finish_of_a_stream_that_holds_throws_away_what_comes),
        CONNECTED_TEST(test_queue_has_a_bound),
        CONNECTED_TEST(test_cut_while_a_write_is_under_way),
        CONNECTED_TEST(test_what_has_come_is_read_when_writing_fails),
        CONNECTED_TEST(test_end_can_be_answered_with_a_farewell),
        LISTENING_TEST(test_stream_may_be_cut_in_each_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
