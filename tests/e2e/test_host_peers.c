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

#include "host/peers.h"
#include "isostep/proto/codec.h"

#define MESSAGES 3000u

static uv_loop_t loop;
static uv_async_t outbound_filled;
static iso__worker worker;
static iso__peers peers;
static unsigned wakes;

static void on_outbound(uv_async_t *async)
{
    (void)async;
    wakes++;
}

static int open_all(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    wakes = 0;
    uv_loop_init(&loop);
    uv_async_init(&loop, &outbound_filled, on_outbound);
    if (!iso__worker_init(&worker, &outbound_filled))
        return -1;
    return iso__peers_open(&peers, &loop, (struct sockaddr *)&address, &worker);
}

static int close_all(void **state)
{
    (void)state;
    iso__stream_server_close(&peers.streams);
    uv_close((uv_handle_t *)&outbound_filled, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__peers_term(&peers);
    iso__worker_term(&worker);
    return uv_loop_close(&loop);
}

static void turn(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
}

static int connect_peer(void)
{
    struct sockaddr_in address;
    int size = sizeof address;
    uv_tcp_getsockname(&peers.streams.listener, (struct sockaddr *)&address, &size);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(fd, (struct sockaddr *)&address, sizeof address);
    turn(5);
    return fd;
}

/// PINGs with rising ids. @return their bytes
static size_t make_pings(uint8_t *bytes)
{
    static _Alignas(16) uint8_t memory[4096];
    size_t total = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        iso_message message = {.kind = ISO_MESSAGE_PING, .as.ping = {.id = i, .client_time_ns = 1}};
        uint8_t body[64];
        size_t size = 0;
        assert_int_equal(iso_message_encode(&message, memory, sizeof memory, body, sizeof body, &size), ISO_OK);
        total += iso_frame_header_write(bytes + total, (uint32_t)size);
        memcpy(bytes + total, body, size);
        total += size;
    }
    return total;
}

static void test_full_queue_holds_the_peer_back_and_loses_nothing(void **state)
{
    (void)state;
    static uint8_t bytes[MESSAGES * 64];
    size_t size = make_pings(bytes), sent = 0;
    int fd = connect_peer();
    iso__inbound item;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_OPENED);

    uint32_t next = 0;
    for (int round = 0; round < 100 && next < MESSAGES; round++) {
        for (ssize_t n = 1; sent < size && n > 0; sent += n > 0 ? (size_t)n : 0) {
            n = send(fd, bytes + sent, size - sent, MSG_NOSIGNAL);
            turn(10);
        }
        turn(10);
        assert_true(worker.inbound.count <= ISO__INBOUND_MESSAGES_MAX);
        if (round == 0) {
            assert_int_equal(worker.inbound.count, ISO__INBOUND_MESSAGES_MAX);
            assert_int_equal(peers.paused_count, 1);
            assert_true(atomic_load(&worker.starved));
        }
        while (iso__queue_pop(&worker.inbound, &item)) {
            assert_int_equal(item.event.kind, ISO_SESSION_EVENT_MESSAGE);
            assert_int_equal(item.event.message->as.ping.id, next++);
            free(item.block);
        }
        iso__peers_resume(&peers);
    }
    assert_int_equal(next, MESSAGES);
    close(fd);
}

static void test_the_end_of_a_connection_gets_through_a_full_queue(void **state)
{
    (void)state;
    int fd = connect_peer();
    iso__inbound item;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    uint64_t connection = item.event.connection;
    while (iso__worker_offer(&worker, &(iso__inbound){.event = {.kind = ISO_SESSION_EVENT_TIME}}))
        ;
    // A frame that is too large, then the end.
    send(fd, "\xFF\xFF\x03", 3, 0);
    turn(10);
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(fd);
    turn(20);
    bool bad_frame = false, gone = false;
    while (iso__queue_pop(&worker.inbound, &item)) {
        bad_frame = bad_frame || (item.event.kind == ISO_SESSION_EVENT_BAD_FRAME && item.event.connection == connection);
        gone = gone || (item.event.kind == ISO_SESSION_EVENT_DISCONNECTED && item.event.connection == connection);
    }
    assert_true(bad_frame);
    assert_true(gone);
}

static void test_delivery_for_an_ended_connection_finds_nobody(void **state)
{
    (void)state;
    int first = connect_peer();
    iso__inbound item;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    uint64_t connection = item.event.connection;
    close(first);
    for (int i = 0; i < 300 && peers.free_count < ISO__PEER_MAX; i++) {
        turn(1);
        usleep(10000);
    }
    int second = connect_peer();
    while (iso__queue_pop(&worker.inbound, &item))
        ;
    assert_int_not_equal(item.event.connection, connection);
    assert_int_equal(item.event.connection % ISO__PEER_MAX, connection % ISO__PEER_MAX);

    iso__outbound out = {.kind = ISO__OUTBOUND_SEND, .connection = connection, .connection_count = 1, .buffer = iso__buffer_create(1)};
    out.buffer->size = 1;
    assert_true(iso__peers_deliver(&peers, &out));
    iso__peers_flush(&peers);
    turn(10);
    char byte;
    assert_int_equal(recv(second, &byte, 1, 0), -1);
    close(second);
}

int main(void)
{
#define PEERS_TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        PEERS_TEST(test_full_queue_holds_the_peer_back_and_loses_nothing),
        PEERS_TEST(test_the_end_of_a_connection_gets_through_a_full_queue),
        PEERS_TEST(test_delivery_for_an_ended_connection_finds_nobody),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
