/// The lobby: what connections are told that name no session, ask for the list, say nothing or come too many, on
/// sockets and a clock of the test's own.
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/transport/fake_socket.h"
#include "host/peers/peers.h"
#include "isostep/proto/codec.h"
#include "transport/tcp.h"
#include "unit/address_util.h"

#define SESSIONS   70u
#define SECOND     (UINT64_C(1000) * FAKE_NS_PER_MS)
#define LISTED_MAX 80u

static uv_loop_t loop;
static uv_async_t outbound_filled;
static iso__worker worker;
static iso__counters counters;
static iso__hosted sessions[SESSIONS];
static iso__directory directory;
static iso__peers peers;
static iso__tcp_listener tcp;
static fake_socket *peer;
static size_t read_to;

/// Time passes as it does for a process that runs.
static void pass(uint64_t ns) {
    for (uint64_t left = ns, step; left > 0; left -= step) {
        step = left < SECOND / 2 ? left : SECOND / 2;
        fake_now_ns += step;
        fake_run_timers();
    }
}

/// Sessions s69 to s0, in that order.
static void open_with(uint32_t session_count, const char *peer_address) {
    const iso__address address = read_address("127.0.0.1", 0);
    memset(&counters, 0, sizeof counters);
    memset(sessions, 0, sizeof sessions);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_async_init(&loop, &outbound_filled, NULL), 0);
    assert_true(iso__worker_init(&worker, SESSIONS, &outbound_filled, &counters));
    assert_true(iso__directory_init(&directory, SESSIONS));
    for (uint32_t i = 0; i < session_count; ++i) {
        snprintf(sessions[i].name, sizeof sessions[i].name, "s%02u", session_count - 1 - i);
        pthread_mutex_init(&sessions[i].info_mutex, NULL);
        memcpy(sessions[i].info.name, sessions[i].name, sizeof sessions[i].name);
        sessions[i].info.state = ISO_SESSION_RUNNING;
        sessions[i].info.slots = 32;
        sessions[i].info.tick_rate_hz = 60;
        iso__worker_add(&worker, &sessions[i]);
        iso__directory_add(&directory, &sessions[i]);
    }
    const iso__peers_config config = {
        .listener = iso__tcp_listener_init(&tcp),
        .directory = &directory,
        .workers = &worker,
        .worker_count = 1,
        .counters = &counters,
        .stream_max = 40,
        .unauthenticated_max = 10,
        .address = {.connections_max = 2, .accepts_per_second = 200},
    };
    fake_sockets_begin();
    the_sockets.peer_address = peer_address;
    assert_int_equal(iso__peers_open(&peers, &loop, &address, &config), 0);
    assert_int_equal(iso__peers_listen(&peers), 0);
}

static int set_up(void **state) {
    (void)state;
    open_with(3, "127.0.0.1");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iso__peers_close(&peers);
    fake_sockets_end();
    uv_close((uv_handle_t *)&outbound_filled, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__peers_term(&peers);
    iso__directory_term(&directory);
    iso__worker_term(&worker);
    return uv_loop_close(&loop);
}

static void open_anew(uint32_t session_count, const char *peer_address) {
    void *state;
    assert_int_equal(tear_down(&state), 0);
    open_with(session_count, peer_address);
}

static void connect_peer(void) {
    peer = fake_connect();
    assert_non_null(peer);
    read_to = 0;
}

static void say(const iso_message *message) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t body[512], frame[600];
    size_t size = 0;
    assert_int_equal(iso_message_encode(message, memory, sizeof memory, body, sizeof body, &size), ISO_OK);
    const size_t head = iso_frame_header_write(frame, (uint32_t)size);
    memcpy(frame + head, body, size);
    fake_say(peer, frame, head + size);
    iso__listener_flush(peers.listener);
}

static iso_message make_hello(const char *session, uint8_t role) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO,
                           .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                        .protocol_max = ISO_PROTOCOL_VERSION,
                                        .role = role,
                                        .compressions = 1}};
    strcpy(message.as.hello.session, session);
    return message;
}

static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];

/// The next message that the peer got. @return false: there is none
static bool hear(iso_message *message) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    size_t size = 0, head = 0;
    iso__listener_flush(peers.listener);
    if (read_to == peer->sent_size) {
        return false;
    }
    do {
        size |= (size_t)(peer->sent[read_to + head] & 0x7F) << (7 * head);
    } while (peer->sent[read_to + head++] >= 0x80);
    assert_true(read_to + head + size <= peer->sent_size);
    assert_int_equal(iso_message_decode(peer->sent + read_to + head, size, &limits, memory, sizeof memory, message),
                     ISO_OK);
    read_to += head + size;
    return true;
}

/// It is refused with this code, told no more, and its connection ends.
static void expect_refusal(iso_status code, const char *expected) {
    iso_message message;
    if (!hear(&message)) {
        fail_msg("there is no refusal with %s", iso_status_name(code));
    }
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    assert_int_equal(message.as.refusal.code, code);
    assert_string_equal(message.as.refusal.text, iso_status_text(code));
    assert_string_equal(message.as.refusal.expected, expected);
    assert_false(hear(&message));
    fake_take(peer, 0);
    assert_true(peer->is_shut_down || peer->is_closing);
}

static unsigned count_inbound(void) {
    unsigned count = 0;
    for (iso__inbound item; iso__queue_pop(&worker.inbound, &item); ++count) {
        free(item.block);
    }
    return count;
}

// ---- Names ------------------------------------------------------------------------------------------------

static void test_who_names_no_session_is_told_which_there_are(void **state) {
    (void)state;
    const iso_message hello = make_hello("other", ISO_ROLE_PLAYER);
    connect_peer();
    say(&hello);
    expect_refusal(ISO_ERR_NO_SESSION, "s02, s01, s00");
    // Private ones are not there.
    sessions[0].settings.is_private = sessions[2].settings.is_private = true;
    connect_peer();
    say(&hello);
    expect_refusal(ISO_ERR_NO_SESSION, "s01");
    sessions[1].settings.is_private = true;
    connect_peer();
    say(&hello);
    expect_refusal(ISO_ERR_NO_SESSION, "");
    // As far as they fit.
    open_anew(SESSIONS, "127.0.0.1");
    char expected[ISO_EXPECTED_TEXT_MAX + 1] = "s69";
    for (uint32_t i = 1; strlen(expected) + 5 + 6 <= ISO_EXPECTED_TEXT_MAX + 1; ++i) {
        sprintf(expected + strlen(expected), ", s%02u", SESSIONS - 1 - i);
    }
    strcat(expected, ", ...");
    connect_peer();
    say(&hello);
    iso_message message;
    assert_true(hear(&message));
    assert_int_equal(strlen(message.as.refusal.expected) >= ISO_EXPECTED_TEXT_MAX - 12, 1);
    assert_memory_equal(message.as.refusal.expected, expected, strlen(message.as.refusal.expected) - strlen(", ..."));
    assert_string_equal(message.as.refusal.expected + strlen(message.as.refusal.expected) - 5, ", ...");
    assert_int_equal(count_inbound(), 0);
}

static void test_the_list_has_all_sessions_in_the_order_of_their_names(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 3, 63, 64, 65, 70};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        open_anew(counts[i], "127.0.0.1");
        sessions[0].info.tick = 1234;
        for (unsigned round = 0; round < 2; ++round) {
            connect_peer();
            say(&(iso_message){.kind = ISO_MESSAGE_LIST});
            iso_message message;
            uint32_t listed = 0, parts = 0;
            for (; hear(&message); ++parts) {
                assert_int_equal(message.kind, ISO_MESSAGE_SESSION_LIST);
                for (uint32_t k = 0; k < message.as.session_list.count; ++k, ++listed) {
                    char name[16];
                    snprintf(name, sizeof name, "s%02u", listed);
                    assert_string_equal(message.as.session_list.sessions[k].name, name);
                    assert_int_equal(message.as.session_list.sessions[k].slots, 32);
                    assert_int_equal(message.as.session_list.sessions[k].tick, listed == counts[i] - 1 ? 1234 : 0);
                }
            }
            assert_int_equal(listed, counts[i]);
            assert_int_equal(parts, (counts[i] + 63) / 64);
            fake_take(peer, 0);
            assert_true(peer->is_shut_down);
        }
    }
}

static void expect_listed(uint32_t count, uint32_t first) {
    iso_message message;
    connect_peer();
    say(&(iso_message){.kind = ISO_MESSAGE_LIST});
    assert_true(hear(&message));
    assert_int_equal(message.kind, ISO_MESSAGE_SESSION_LIST);
    assert_int_equal(message.as.session_list.count, count);
    if (count > 0) {
        assert_int_equal(atoi(message.as.session_list.sessions[0].name + 1), first);
    }
    assert_false(hear(&message));
    fake_take(peer, 0);
    assert_true(peer->is_shut_down);
}

/// The answer is as if they were not there: one part, and one that is empty only if nothing is left.
static void test_the_list_has_no_private_sessions(void **state) {
    (void)state;
    open_anew(SESSIONS, "127.0.0.1");
    // Of s00 to s69 the last six, then the first ones as well, in the end all.
    for (uint32_t i = 0; i < 6; ++i) {
        sessions[i].settings.is_private = true;
    }
    expect_listed(64, 0);
    sessions[SESSIONS - 1].settings.is_private = sessions[SESSIONS - 2].settings.is_private = true;
    expect_listed(62, 2);
    for (uint32_t i = 0; i < SESSIONS; ++i) {
        sessions[i].settings.is_private = true;
    }
    expect_listed(0, 0);
}

static void test_a_hello_goes_to_its_session_with_all_it_said(void **state) {
    (void)state;
    iso__inbound item;
    const iso_message hello = make_hello("s01", ISO_ROLE_SPECTATOR);
    connect_peer();
    say(&hello);
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_ptr_equal(item.hosted, &sessions[1]);
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_OPENED);
    assert_true(atomic_load(&worker.nudged));
    const uint64_t connection = item.event.connection;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    assert_int_equal(item.event.connection, connection);
    assert_int_equal(item.event.message->as.hello.role, ISO_ROLE_SPECTATOR);
    assert_string_equal(item.event.message->as.hello.session, "s01");
    assert_true(item.event.size > 0);
    free(item.block);
    assert_int_equal(peer->sent_size, 0);
    assert_int_equal(peers.unauthenticated_count, 1);
}

// ---- Refusals ---------------------------------------------------------------------------------------------

static void test_a_session_that_is_closed_takes_nobody(void **state) {
    (void)state;
    const iso_message hello = make_hello("s01", ISO_ROLE_PLAYER);
    atomic_store(&sessions[1].closed, true);
    connect_peer();
    say(&hello);
    expect_refusal(ISO_ERR_SESSION_CLOSED, "");
    assert_int_equal(count_inbound(), 0);
}

static void test_the_first_message_is_a_hello_or_a_question_for_the_list(void **state) {
    (void)state;
    connect_peer();
    say(&(iso_message){.kind = ISO_MESSAGE_PING});
    expect_refusal(ISO_ERR_STATE, "a HELLO or LIST as the first message");
    connect_peer();
    fake_say(peer, "\x02\xFF\xFF", 3);
    expect_refusal(ISO_ERR_MALFORMED, "");
    connect_peer();
    fake_say(peer, "\xFF\xFF\x03", 3); // larger than a hello may be
    expect_refusal(ISO_ERR_FRAME_TOO_LARGE, "");
    assert_int_equal(count_inbound(), 0);
}

static void test_a_full_queue_refuses_newcomers(void **state) {
    (void)state;
    const iso_message hello = make_hello("s01", ISO_ROLE_PLAYER);
    atomic_store(&sessions[1].waiting, ISO__HOSTED_MESSAGES_MAX);
    connect_peer();
    say(&hello);
    expect_refusal(ISO_ERR_SERVER_FULL, "");
    atomic_store(&sessions[1].waiting, 0);
}

static void test_an_address_has_only_so_many_connections_and_slots(void **state) {
    (void)state;
    open_anew(3, "192.0.2.7");
    const iso_message hello = make_hello("s01", ISO_ROLE_PLAYER);
    connect_peer();
    say(&hello);
    iso__inbound item;
    assert_true(iso__queue_pop(&worker.inbound, &item));
    const uint64_t origin = item.event.origin;
    assert_int_not_equal(origin, 0);
    count_inbound();
    connect_peer();
    // A slot of that address is held: the second connection may not join, and may watch.
    assert_true(
        iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_HOLD, .origin = origin, .is_held = true}));
    say(&hello);
    expect_refusal(ISO_ERR_ADDRESS_LIMIT,
                   "at most 2 connections and held slots of one address (--address-connections)");
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_ADDRESS_CONNECTIONS]), 1);
    assert_int_equal(count_inbound(), 0);
    fake_say_end(peer, UV_ECONNRESET);
    fake_run_closes();
    connect_peer();
    const iso_message spectator = make_hello("s01", ISO_ROLE_SPECTATOR);
    say(&spectator);
    assert_int_equal(count_inbound(), 2);
}

static void test_three_frames_of_garbage_put_an_address_out(void **state) {
    (void)state;
    open_anew(3, "192.0.2.7");
    for (unsigned i = 0; i < 3; ++i) {
        connect_peer();
        fake_say(peer, "\x02\xFF\xFF", 3);
        expect_refusal(ISO_ERR_MALFORMED, "");
        fake_say_end(peer, UV_EOF);
        fake_run_closes();
    }
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_ADDRESS_STRIKES]), 3);
    fake_socket *fourth = fake_connect();
    assert_true(fourth->is_closing);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_ADDRESS_OUT]), 1);
}

// ---- Patience ---------------------------------------------------------------------------------------------

/// What had come while the process was stopped is read before anybody is found to say nothing.
static void test_newcomers_have_a_grace_after_a_stop(void **state) {
    (void)state;
    const iso_message hello = make_hello("s01", ISO_ROLE_PLAYER);
    iso_message message;
    connect_peer();
    fake_socket *silent = peer;
    connect_peer();
    pass(SECOND);
    fake_now_ns += 60 * SECOND;
    fake_run_timers();
    say(&hello);
    pass(2 * SECOND - 1);
    assert_false(hear(&message));
    peer = silent;
    assert_false(hear(&message));
    pass(SECOND);
    expect_refusal(ISO_ERR_TIMEOUT, "");
}

static void test_who_says_nothing_has_five_seconds_and_whose_hello_waits_ten(void **state) {
    (void)state;
    const iso_message hello = make_hello("s01", ISO_ROLE_PLAYER);
    iso_message message;
    connect_peer();
    fake_socket *silent = peer;
    connect_peer();
    say(&hello);
    fake_socket *waiting = peer;
    pass(5 * SECOND);
    peer = silent;
    assert_false(hear(&message));
    pass(1);
    expect_refusal(ISO_ERR_TIMEOUT, "");
    peer = waiting;
    read_to = 0;
    assert_false(hear(&message));
    pass(5 * SECOND - 1);
    assert_false(hear(&message));
    pass(1);
    expect_refusal(ISO_ERR_TIMEOUT, "");
    // Who was welcomed has no such time.
    connect_peer();
    say(&hello);
    iso__inbound item;
    uint64_t connection = 0;
    while (iso__queue_pop(&worker.inbound, &item)) {
        connection = item.event.connection;
        free(item.block);
    }
    iso__outbound out = {.kind = ISO__OUTBOUND_SEND,
                         .connection = connection,
                         .connection_count = 1,
                         .welcomes = true,
                         .buffer = iso__buffer_create(1)};
    out.buffer->size = 1;
    out.buffer->bytes[0] = 0;
    const uint32_t before = peers.unauthenticated_count;
    assert_true(iso__peers_deliver(&peers, &out));
    assert_int_equal(peers.unauthenticated_count, before - 1);
    assert_int_equal(peers.totals.welcomed, 1);
    pass(60 * SECOND);
    iso__listener_flush(peers.listener);
    assert_int_equal(peer->sent_size, 1);
    assert_false(peer->is_closing);
    // Its bytes and its time are counted when it goes.
    fake_say_end(peer, UV_ECONNRESET);
    assert_int_equal(peers.totals.client_bytes_out, 1);
    assert_true(peers.totals.client_bytes_in > 10);
    assert_int_equal(peers.totals.client_ns, 60 * SECOND);
    assert_true(peers.totals.bytes_in >= 2 * peers.totals.client_bytes_in);
}

int main(void) {
#define LOBBY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LOBBY_TEST(test_who_names_no_session_is_told_which_there_are),
        LOBBY_TEST(test_the_list_has_all_sessions_in_the_order_of_their_names),
        LOBBY_TEST(test_the_list_has_no_private_sessions),
        LOBBY_TEST(test_a_hello_goes_to_its_session_with_all_it_said),
        LOBBY_TEST(test_a_session_that_is_closed_takes_nobody),
        LOBBY_TEST(test_the_first_message_is_a_hello_or_a_question_for_the_list),
        LOBBY_TEST(test_a_full_queue_refuses_newcomers),
        LOBBY_TEST(test_an_address_has_only_so_many_connections_and_slots),
        LOBBY_TEST(test_three_frames_of_garbage_put_an_address_out),
        LOBBY_TEST(test_who_says_nothing_has_five_seconds_and_whose_hello_waits_ten),
        LOBBY_TEST(test_newcomers_have_a_grace_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
