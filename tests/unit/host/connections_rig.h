/// Connections on sockets and a clock of the test's own, with a session that the test is.
#ifndef ISO_TESTS_CONNECTIONS_RIG_H
#define ISO_TESTS_CONNECTIONS_RIG_H

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/transport/fake_socket.h"
#include "host/peers/peers.h"
#include "isostep/proto/codec.h"
#include "transport/tcp.h"
#include "unit/address_util.h"

#define HELLO_NS (100 * FAKE_NS_PER_MS) // that a hello may take
#define FOREIGN  "192.0.2.7"

static uv_loop_t loop;
static uv_async_t outbound_filled;
static iso__worker worker;
static iso__counters counters;
static iso__hosted hosted;
static iso__directory directory;
static iso__peers peers;
static iso__tcp_listener tcp;
static iso__inbound heard;
static bool malloc_fails;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size) {
    return malloc_fails ? NULL : __real_malloc(size);
}

static inline int open_with(const char *peer_address, uint32_t stream_max, uint32_t unauthenticated_max) {
    const iso__address address = read_address("127.0.0.1", 0);
    malloc_fails = false;
    memset(&counters, 0, sizeof counters);
    hosted = (iso__hosted){.name = "main"};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_async_init(&loop, &outbound_filled, NULL), 0);
    assert_true(iso__worker_init(&worker, 1, &outbound_filled, &counters));
    iso__worker_add(&worker, &hosted);
    assert_true(iso__directory_init(&directory, 1));
    iso__directory_add(&directory, &hosted);
    const iso__peers_config config = {
        .listener = iso__tcp_listener_init(&tcp),
        .directory = &directory,
        .workers = &worker,
        .worker_count = 1,
        .counters = &counters,
        .stream_max = stream_max,
        .unauthenticated_max = unauthenticated_max,
        .address = {.connections_max = 9, .accepts_per_second = 30},
    };
    fake_sockets_begin();
    the_sockets.peer_address = peer_address;
    assert_int_equal(iso__peers_open(&peers, &loop, &address, &config), 0);
    return iso__peers_listen(&peers);
}

static inline int set_up(void **state) {
    (void)state;
    return open_with("127.0.0.1", 40, 3);
}

static inline int tear_down(void **state) {
    (void)state;
    free(heard.block);
    heard.block = NULL;
    iso__peers_close(&peers);
    fake_sockets_end();
    uv_close((uv_handle_t *)&outbound_filled, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__peers_term(&peers);
    iso__directory_term(&directory);
    iso__worker_term(&worker);
    return uv_loop_close(&loop);
}

static inline void open_anew(const char *peer_address, uint32_t stream_max, uint32_t unauthenticated_max) {
    void *state;
    assert_int_equal(tear_down(&state), 0);
    assert_int_equal(open_with(peer_address, stream_max, unauthenticated_max), 0);
}

/// Turns of the loop, of which each listens to all.
static inline void turn(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
        uv_run(&loop, UV_RUN_NOWAIT);
    }
}

/// So long that whoever has said nothing gives way.
static inline void pass(void) {
    turn(2);
    fake_now_ns += HELLO_NS;
}

static inline fake_socket *connect_peer(void) {
    fake_socket *socket = fake_connect();
    assert_non_null(socket);
    return socket;
}

static inline uint64_t count(iso__counter counter) {
    return atomic_load(&counters.counts[counter]);
}

static inline void say(fake_socket *socket, const iso_message *message) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t body[1024], frame[1100];
    size_t size = 0;
    assert_int_equal(iso_message_encode(message, memory, sizeof memory, body, sizeof body, &size), ISO_OK);
    const size_t head = iso_frame_header_write(frame, (uint32_t)size);
    memcpy(frame + head, body, size);
    fake_say(socket, frame, head + size);
}

static inline void say_hello(fake_socket *socket) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO,
                           .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                        .protocol_max = ISO_PROTOCOL_VERSION,
                                        .role = ISO_ROLE_PLAYER,
                                        .compressions = 1}};
    strcpy(message.as.hello.session, "main");
    say(socket, &message);
}

/// The next thing that the session was told, into `heard`.
static inline bool hear(void) {
    free(heard.block);
    heard.block = NULL;
    if (!iso__queue_pop(&worker.inbound, &heard)) {
        return false;
    }
    if (heard.is_counted) {
        atomic_fetch_sub(&hosted.waiting, 1);
        atomic_fetch_sub(&hosted.waiting_size, heard.block_size);
    }
    return true;
}

static inline void expect_event(iso_session_event_kind kind) {
    assert_true(hear());
    assert_int_equal(heard.event.kind, kind);
}

static inline void forget_events(void) {
    while (hear()) {
    }
    atomic_store(&worker.nudged, false);
}

static inline iso__buffer *make_byte(uint8_t byte) {
    iso__buffer *buffer = iso__buffer_create(1);
    buffer->size = 1;
    buffer->bytes[0] = byte;
    return buffer;
}

static inline void deliver(uint64_t connection, bool welcomes) {
    assert_true(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_SEND,
                                                            .connection = connection,
                                                            .connection_count = 1,
                                                            .welcomes = welcomes,
                                                            .buffer = make_byte(0)}));
}

/// Its session lets it send INPUT.
static inline void activate(uint64_t connection) {
    assert_true(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_SEND,
                                                            .connection = connection,
                                                            .connection_count = 1,
                                                            .activates = true,
                                                            .buffer = make_byte(0)}));
}

/// One that its session has welcomed. @param connection  receives its number
static inline fake_socket *join(uint64_t *connection) {
    fake_socket *socket = connect_peer();
    say_hello(socket);
    expect_event(ISO_SESSION_EVENT_OPENED);
    *connection = heard.event.connection;
    deliver(*connection, true);
    iso__listener_flush(peers.listener);
    forget_events();
    return socket;
}

/// Its connection breaks, and the session hears of it.
static inline void leave(fake_socket *socket) {
    fake_say_end(socket, UV_ECONNRESET);
    fake_run_closes();
}

#define CONNECTIONS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
