/// Peers in front of a worker that does not get round to anything: nothing is lost, nothing grows.
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/peers/peers.h"
#include "host/sessions/worker_inbox.h"
#include "isostep/proto/codec.h"
#include "transport/tcp.h"
#include "unit/address_util.h"

#define MESSAGES 3000u

static uv_loop_t loop;
static uv_async_t outbound_filled;
static iso__worker worker;
static iso__counters counters;
static iso__hosted hosted;
static iso__directory directory;
static iso__peers peers;
static iso__tcp_listener tcp;
static unsigned wakes;

static void on_outbound(uv_async_t *async) {
    (void)async;
    ++wakes;
}

static int open_all(void **state) {
    (void)state;
    const iso__address address = read_address("127.0.0.1", 0);
    wakes = 0;
    memset(&counters, 0, sizeof counters);
    uv_loop_init(&loop);
    uv_async_init(&loop, &outbound_filled, on_outbound);
    hosted = (iso__hosted){.name = "main"};
    if (!iso__worker_init(&worker, 1, &outbound_filled, &counters)) {
        return -1;
    }
    iso__worker_add(&worker, &hosted);
    assert_true(iso__directory_init(&directory, 1));
    iso__directory_add(&directory, &hosted);
    iso__peers_config config = {
        .listener = iso__tcp_listener_init(&tcp),
        .directory = &directory,
        .workers = &worker,
        .worker_count = 1,
        .counters = &counters,
        .stream_max = 40,
        .unauthenticated_max = 3,
        .address = {.connections_max = 8, .accepts_per_second = 200, .is_loopback = *state != NULL},
    };
    int error = iso__peers_open(&peers, &loop, &address, &config);
    return error != 0 ? error : iso__peers_listen(&peers);
}

static int close_all(void **state) {
    (void)state;
    iso__peers_close(&peers);
    uv_close((uv_handle_t *)&outbound_filled, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__peers_term(&peers);
    iso__directory_term(&directory);
    iso__worker_term(&worker);
    return uv_loop_close(&loop);
}

static void turn(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
        uv_run(&loop, UV_RUN_NOWAIT);
    }
}

static int connect_peer(void) {
    struct sockaddr_in address;
    int size = sizeof address;
    uv_tcp_getsockname(&tcp.tcp, (struct sockaddr *)&address, &size);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(fd, (struct sockaddr *)&address, sizeof address);
    turn(5);
    return fd;
}

/// @return the bytes
static size_t make_frame(const iso_message *message, uint8_t *bytes) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t body[512];
    size_t size = 0;
    assert_int_equal(iso_message_encode(message, memory, sizeof memory, body, sizeof body, &size), ISO_OK);
    size_t header_size = iso_frame_header_write(bytes, (uint32_t)size);
    memcpy(bytes + header_size, body, size);
    return header_size + size;
}

/// PINGs with rising ids. @return their bytes
static size_t make_pings(uint8_t *bytes) {
    size_t total = 0;
    for (uint32_t i = 0; i < MESSAGES; ++i) {
        total += make_frame(&(iso_message){.kind = ISO_MESSAGE_PING, .as.ping = {.id = i, .client_time_ns = 1}},
                            bytes + total);
    }
    return total;
}

/// A connection that said hello to the session. @return its socket; its OPENED and HELLO are taken from the queue
static int connect_member(uint64_t *connection) {
    int fd = connect_peer();
    uint8_t bytes[600];
    iso_message hello = {.kind = ISO_MESSAGE_HELLO,
                         .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                      .protocol_max = ISO_PROTOCOL_VERSION,
                                      .role = ISO_ROLE_PLAYER,
                                      .compressions = 1,
                                      .session = "main"}};
    size_t size = make_frame(&hello, bytes);
    assert_int_equal(send(fd, bytes, size, 0), size);
    turn(10);
    iso__inbound item;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_OPENED);
    *connection = item.event.connection;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_MESSAGE);
    assert_int_equal(item.event.message->kind, ISO_MESSAGE_HELLO);
    free(item.block);
    atomic_store(&hosted.waiting, 0);
    return fd;
}

/// The code of the REFUSAL that a connection got, and nothing else behind it.
static iso_status read_refusal(int fd) {
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    uint8_t bytes[600];
    ssize_t size = -1;
    for (int i = 0; i < 1000 && size <= 0; ++i) {
        turn(1);
        size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        usleep(size <= 0 ? 1000 : 0);
    }
    // The size in front has one byte or two.
    const ssize_t head = size >= 2 && bytes[0] >= 0x80 ? 2 : 1;
    const ssize_t told = head == 2 ? (bytes[0] & 0x7F) | bytes[1] << 7 : bytes[0];
    if (size < 2 || told != size - head) {
        return ISO_OK;
    }
    iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    assert_int_equal(iso_message_decode(bytes + head, (size_t)told, &limits, memory, sizeof memory, &message), ISO_OK);
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    return message.as.refusal.code;
}

static void test_full_queue_holds_the_peer_back_and_loses_nothing(void **state) {
    (void)state;
    static uint8_t bytes[MESSAGES * 64];
    size_t size = make_pings(bytes), sent = 0;
    uint64_t connection;
    int fd = connect_member(&connection);
    iso__inbound item;
    uint32_t next = 0;
    for (int round = 0; round < 100 && next < MESSAGES; ++round) {
        for (ssize_t n = 1; sent < size && n > 0; sent += n > 0 ? (size_t)n : 0) {
            n = send(fd, bytes + sent, size - sent, MSG_NOSIGNAL);
            turn(10);
        }
        turn(10);
        assert_true(worker.inbound.count <= ISO__HOSTED_MESSAGES_MAX);
        if (round == 0) {
            assert_int_equal(worker.inbound.count, ISO__HOSTED_MESSAGES_MAX);
            assert_int_equal(peers.paused_count, 1);
            assert_true(atomic_load(&hosted.starved));
        }
        while (iso__queue_pop(&worker.inbound, &item)) {
            assert_int_equal(item.event.kind, ISO_SESSION_EVENT_MESSAGE);
            assert_int_equal(item.event.message->as.ping.id, next++);
            free(item.block);
            atomic_fetch_sub(&hosted.waiting, 1);
        }
        iso__peers_resume(&peers);
    }
    assert_int_equal(next, MESSAGES);
    close(fd);
}

static void test_the_end_of_a_connection_gets_through_a_full_queue(void **state) {
    (void)state;
    uint64_t connection;
    int fd = connect_member(&connection);
    iso__inbound item;
    while (iso__worker_offer(&worker, &(iso__inbound){.hosted = &hosted, .event = {.kind = ISO_SESSION_EVENT_TIME}},
                             true)) {
        ;
    }
    // A frame that is too large, then the end.
    send(fd, "\xFF\xFF\x03", 3, 0);
    turn(10);
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(fd);
    turn(20);
    bool bad_frame = false, gone = false;
    while (iso__queue_pop(&worker.inbound, &item)) {
        bad_frame =
            bad_frame || (item.event.kind == ISO_SESSION_EVENT_BAD_FRAME && item.event.connection == connection);
        gone = gone || (item.event.kind == ISO_SESSION_EVENT_DISCONNECTED && item.event.connection == connection);
    }
    assert_true(bad_frame);
    assert_true(gone);
}

static void test_delivery_for_an_ended_connection_finds_nobody(void **state) {
    (void)state;
    uint64_t connection, successor;
    close(connect_member(&connection));
    iso__inbound item = {0};
    for (int i = 0; i < 600 && peers.free_count < peers.peer_max; ++i) {
        turn(1);
        usleep(10000);
    }
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_DISCONNECTED);
    int second = connect_member(&successor);
    assert_int_not_equal(successor, connection);
    assert_int_equal(successor % ISO__PEER_MAX, connection % ISO__PEER_MAX);

    iso__outbound out = {
        .kind = ISO__OUTBOUND_SEND, .connection = connection, .connection_count = 1, .buffer = iso__buffer_create(1)};
    out.buffer->size = 1;
    assert_true(iso__peers_deliver(&peers, &out));
    turn(10);
    char byte;
    assert_int_equal(recv(second, &byte, 1, 0), -1);
    close(second);
}

static void test_the_lobby_answers_who_names_no_session(void **state) {
    (void)state;
    uint8_t bytes[600];
    iso_message hello = {.kind = ISO_MESSAGE_HELLO,
                         .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                      .protocol_max = ISO_PROTOCOL_VERSION,
                                      .role = ISO_ROLE_PLAYER,
                                      .compressions = 1,
                                      .session = "other"}};
    int fd = connect_peer();
    send(fd, bytes, make_frame(&hello, bytes), 0);
    assert_int_equal(read_refusal(fd), ISO_ERR_NO_SESSION);
    close(fd);
    fd = connect_peer();
    send(fd, bytes, make_frame(&(iso_message){.kind = ISO_MESSAGE_PING}, bytes), 0);
    assert_int_equal(read_refusal(fd), ISO_ERR_STATE);
    close(fd);
    // The worker has heard nothing of them.
    iso__inbound item;
    assert_false(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(atomic_load(&counters.answers[ISO__ANSWER_REFUSAL][-ISO_ERR_NO_SESSION]), 1);
}

static void test_the_oldest_of_too_many_in_the_lobby_gives_way(void **state) {
    (void)state;
    int fds[4];
    for (int i = 0; i < 4; ++i) {
        fds[i] = connect_peer();
    }
    assert_int_equal(read_refusal(fds[0]), ISO_ERR_SERVER_FULL);
    assert_int_equal(peers.unauthenticated_count, 3);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_DROPPED]), 1);
    for (int i = 0; i < 4; ++i) {
        close(fds[i]);
    }
}

static void deliver_welcome(uint64_t connection) {
    iso__outbound out = {.kind = ISO__OUTBOUND_SEND,
                         .connection = connection,
                         .connection_count = 1,
                         .welcomes = true,
                         .buffer = iso__buffer_create(1)};
    out.buffer->size = 1;
    out.buffer->bytes[0] = 0;
    assert_true(iso__peers_deliver(&peers, &out));
}

/// Everybody who lost a server comes back at once, each with its hello in its first packet: all are heard, none gives
/// way to a later one.
static void test_who_has_said_hello_gives_way_to_nobody(void **state) {
    (void)state;
    enum { COUNT = 20 };
    struct sockaddr_in address;
    int size = sizeof address, fds[COUNT];
    uint8_t bytes[600];
    iso_message hello = {.kind = ISO_MESSAGE_HELLO,
                         .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                      .protocol_max = ISO_PROTOCOL_VERSION,
                                      .role = ISO_ROLE_PLAYER,
                                      .compressions = 1,
                                      .session = "main"}};
    const size_t hello_size = make_frame(&hello, bytes);
    uv_tcp_getsockname(&tcp.tcp, (struct sockaddr *)&address, &size);
    for (int i = 0; i < COUNT; ++i) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fds[i], (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(send(fds[i], bytes, hello_size, MSG_NOSIGNAL), hello_size);
    }
    int heard = 0;
    for (int round = 0; round < 1000 && heard < COUNT; ++round) {
        iso__inbound item;
        turn(3);
        assert_true(peers.unauthenticated_count <= 3);
        while (iso__queue_pop(&worker.inbound, &item)) {
            if (item.event.kind == ISO_SESSION_EVENT_MESSAGE) {
                heard += item.event.message->kind == ISO_MESSAGE_HELLO;
                deliver_welcome(item.event.connection);
            }
            free(item.block);
        }
        atomic_store(&hosted.waiting, 0);
        usleep(1000);
    }
    assert_int_equal(heard, COUNT);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_DROPPED]), 0);
    assert_int_equal(atomic_load(&counters.answers[ISO__ANSWER_REFUSAL][-ISO_ERR_SERVER_FULL]), 0);
    for (int i = 0; i < COUNT; ++i) {
        close(fds[i]);
    }
}

/// Whoever says nothing still gives way to who says hello, and what was answered to who waits.
static void test_the_silent_give_way_to_who_says_hello(void **state) {
    (void)state;
    int silent[3];
    uint64_t connection;
    for (int i = 0; i < 3; ++i) {
        silent[i] = connect_peer();
    }
    usleep(150000);
    turn(5);
    const int fd = connect_member(&connection);
    assert_int_equal(read_refusal(silent[0]), ISO_ERR_SERVER_FULL);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_DROPPED]), 1);
    close(fd);
    for (int i = 0; i < 3; ++i) {
        close(silent[i]);
    }
}

/// How many connections count against the one address that there is.
static uint32_t count_connections(void) {
    uint32_t count = 0;
    for (size_t i = 0; i < ISO__ADDRESS_LIMIT_SETS * ISO__ADDRESS_LIMIT_WAYS; ++i) {
        count += peers.address_limit.entries[i].connections;
    }
    return count;
}

static void wait_for_places(uint32_t free_count) {
    for (int i = 0; i < 600 && peers.free_count < free_count; ++i) {
        turn(1);
        usleep(10000);
    }
    assert_int_equal(peers.free_count, free_count);
}

/// A worker that ends may have been told of a connection's end too late to hear it: the address is given back all the
/// same.
static void test_an_address_is_given_back_when_its_worker_has_ended(void **state) {
    (void)state;
    uint64_t connection;
    const int early = connect_member(&connection), late = connect_member(&connection),
              last = connect_member(&connection);
    assert_int_equal(count_connections(), 3);
    close(early);
    wait_for_places(peers.peer_max - 2);
    // The session has closed since then; of this one it is told while its worker takes its last look.
    close(late);
    wait_for_places(peers.peer_max - 1);
    assert_int_equal(worker.inbound.count, 2);
    assert_int_equal(count_connections(), 3);
    iso__outbound stopped = {.kind = ISO__OUTBOUND_STOPPED, .worker = &worker};
    assert_false(iso__peers_deliver(&peers, &stopped));
    assert_int_equal(count_connections(), 1);
    // Nobody would hear of this one.
    close(last);
    wait_for_places(peers.peer_max);
    assert_int_equal(count_connections(), 0);
    assert_int_equal(worker.inbound.count, 0);
}

/// Three frames of garbage within a minute, and the address is out.
static void test_garbage_puts_the_address_out(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        int fd = connect_peer();
        send(fd, "\x04\xFF\xFF\xFF\xFF", 5, 0);
        assert_int_equal(read_refusal(fd), ISO_ERR_MALFORMED);
        close(fd);
        turn(20);
    }
    int fd = connect_peer();
    assert_int_equal(read_refusal(fd), ISO_ERR_ADDRESS_LIMIT);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_ADDRESS_OUT]), 1);
    close(fd);
}

static int open_limited(void **state) {
    *state = &peers;
    return open_all(state);
}

int main(void) {
#define PEERS_TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        PEERS_TEST(test_full_queue_holds_the_peer_back_and_loses_nothing),
        PEERS_TEST(test_the_end_of_a_connection_gets_through_a_full_queue),
        PEERS_TEST(test_the_lobby_answers_who_names_no_session),
        PEERS_TEST(test_the_oldest_of_too_many_in_the_lobby_gives_way),
        PEERS_TEST(test_who_has_said_hello_gives_way_to_nobody),
        PEERS_TEST(test_the_silent_give_way_to_who_says_hello),
        cmocka_unit_test_setup_teardown(test_an_address_is_given_back_when_its_worker_has_ended, open_limited,
                                        close_all),
        cmocka_unit_test_setup_teardown(test_garbage_puts_the_address_out, open_limited, close_all),
        PEERS_TEST(test_delivery_for_an_ended_connection_finds_nobody),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
