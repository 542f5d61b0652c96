/// Connections between their sockets and their sessions: who gives way to whom, what is handed over and what is held
/// back, what is sent to whom, and what is counted, on sockets and a clock of the test's own.
#include "connections_rig.h"

// ---- The lobby --------------------------------------------------------------------------------------------

static void expect_gives_way(fake_socket *socket) {
    const uint64_t dropped = count(ISO__COUNTER_DROPPED);
    assert_false(socket->is_closing);
    connect_peer();
    assert_true(socket->is_closing);
    assert_int_equal(count(ISO__COUNTER_DROPPED), dropped + 1);
    assert_true(socket->sent_size > 0); // it is told why
    fake_run_closes();
    assert_int_equal(peers.unauthenticated_count, 3);
}

static void test_who_has_waited_longest_gives_way(void **state) {
    (void)state;
    fake_socket *a = connect_peer(), *b = connect_peer(), *c = connect_peer(); // the listener is the first of the list
    pass();
    expect_gives_way(a);
    fake_socket *d = &the_sockets.list[4];
    say_hello(b);
    pass();
    expect_gives_way(c); // b's answer is on its way
    fake_socket *e = &the_sockets.list[5];
    expect_event(ISO_SESSION_EVENT_OPENED);
    deliver(heard.event.connection, true); // the first in the row goes
    assert_int_equal(peers.unauthenticated_count, 2);
    fake_socket *f = connect_peer();
    leave(e); // the middle one
    fake_socket *g = connect_peer();
    leave(g); // the last one
    fake_socket *h = connect_peer();
    assert_int_equal(peers.unauthenticated_count, 3);
    assert_int_equal(count(ISO__COUNTER_DROPPED), 2);
    pass();
    expect_gives_way(d);
    pass();
    expect_gives_way(f);
    expect_gives_way(h);
    assert_false(b->is_closing);
    assert_int_equal(peers.totals.accepted, the_sockets.count - 1); // but for the listener
}

static void test_a_hello_has_a_moment_before_it_gives_way(void **state) {
    (void)state;
    fake_socket *first = connect_peer();
    connect_peer();
    connect_peer();
    turn(2);
    fake_now_ns += HELLO_NS - 1;
    assert_null(fake_connect()); // it waits in the kernel
    turn(1);
    assert_false(first->is_closing);
    fake_now_ns += 1;
    turn(1);
    assert_true(first->is_closing);
    assert_int_equal(peers.unauthenticated_count, 3);
    // Nor is anybody dropped who was not listened to yet, whatever the time.
    open_anew("127.0.0.1", 40, 3);
    first = connect_peer();
    connect_peer();
    connect_peer();
    fake_now_ns += HELLO_NS;
    turn(1);
    assert_null(fake_connect());
    assert_false(first->is_closing);
    turn(1);
    assert_true(first->is_closing);
}

static void test_who_was_refused_gives_way_at_once(void **state) {
    (void)state;
    connect_peer();
    fake_socket *second = connect_peer();
    connect_peer();
    fake_say(second, "\x02\xFF\xFF", 3);
    iso__listener_flush(peers.listener);
    const size_t told = second->sent_size;
    assert_true(told > 0 && !second->is_closing);
    connect_peer();
    assert_true(second->is_closing);
    assert_int_equal(second->sent_size, told); // once is enough
    assert_int_equal(count(ISO__COUNTER_DROPPED), 1);
}

// ---- Places -----------------------------------------------------------------------------------------------

static void test_who_finds_no_place_is_turned_away(void **state) {
    (void)state;
    static const struct { uint32_t streams, places; } cases[] = {{16, 8}, {17, 9}, {30, 22}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        open_anew("127.0.0.1", cases[i].streams, 100);
        for (uint32_t k = 0; k < cases[i].places; ++k) {
            assert_false(connect_peer()->is_closing);
        }
        fake_socket *late = connect_peer();
        assert_true(late->is_closing && late->sent_size > 0);
        assert_int_equal(count(ISO__COUNTER_TURNED_AWAY), 1);
        assert_int_equal(peers.totals.accepted, cases[i].places);
        fake_run_closes();
        leave(&the_sockets.list[1]);
        assert_false(connect_peer()->is_closing);
    }
}

static void test_who_is_turned_away_does_not_count_for_its_address(void **state) {
    (void)state;
    open_anew(FOREIGN, 16, 100);
    for (unsigned i = 0; i < 8; ++i) {
        connect_peer();
    }
    for (unsigned i = 0; i < 5; ++i) {
        assert_true(connect_peer()->is_closing);
        fake_run_closes();
    }
    assert_int_equal(count(ISO__COUNTER_TURNED_AWAY), 5);
    leave(&the_sockets.list[1]);
    assert_false(connect_peer()->is_closing);
    assert_int_equal(count(ISO__COUNTER_ADDRESS_CONNECTIONS), 0);
}

static void test_an_address_has_only_so_many_connections(void **state) {
    (void)state;
    open_anew(FOREIGN, 40, 100);
    for (unsigned i = 0; i < 9; ++i) {
        assert_false(connect_peer()->is_closing);
    }
    fake_socket *tenth = connect_peer();
    assert_true(tenth->is_closing && tenth->sent_size > 0);
    assert_int_equal(count(ISO__COUNTER_ADDRESS_CONNECTIONS), 1);
    fake_run_closes();
    leave(&the_sockets.list[1]);
    assert_false(connect_peer()->is_closing);
    // And only so many in a second.
    open_anew(FOREIGN, 40, 100);
    unsigned accepted = 0;
    for (; count(ISO__COUNTER_ADDRESS_ACCEPTS) == 0 && accepted < 100; ++accepted) {
        fake_socket *socket = connect_peer();
        if (!socket->is_closing) {
            leave(socket);
        }
        fake_run_closes();
    }
    assert_in_range(accepted, 30, 62);
    assert_int_equal(count(ISO__COUNTER_ADDRESS_CONNECTIONS), 0);
}

static void test_a_connection_that_is_gone_already_is_not_counted(void **state) {
    (void)state;
    the_sockets.fails_get_name = UV_ENOTCONN;
    fake_socket *socket = connect_peer();
    assert_true(socket->is_closing && socket->sent_size == 0);
    assert_int_equal(peers.totals.accepted, 0);
    the_sockets.fails_get_name = 0;
    the_sockets.fails_accept = UV_EMFILE;
    fake_connect();
    assert_int_equal(count(ISO__COUNTER_ACCEPT_FAILED), 1);
    assert_int_equal(count(ISO__COUNTER_TURNED_AWAY), 0);
    the_sockets.fails_accept = 0;
    the_sockets.waiting = 0;
}

static void test_a_server_without_memory_is_not_opened(void **state) {
    (void)state;
    static iso__peers other;
    const iso__peers_config config = peers.config;
    malloc_fails = true;
    assert_int_equal(iso__peers_open(&other, &loop, NULL, &config), UV_ENOMEM);
    malloc_fails = false;
    iso__peers_close(&other);
    iso__peers_term(&other);
}

// ---- What is handed over ----------------------------------------------------------------------------------

static void test_an_input_waits_for_its_tick_and_the_rest_is_urgent(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *socket = join(&connection);
    activate(connection);
    iso_command commands[2] = {{.kind = ISO_COMMAND_SET_CONTROL}, {.kind = ISO_COMMAND_SET_CONTROL}};
    commands[1].as.set_control.size = 1;
    commands[1].as.set_control.bytes[0] = 77;
    const iso_message input = {
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {.target_tick = 9, .first_sequence = 1, .commands = commands, .command_count = 2}};
    say(socket, &input);
    expect_event(ISO_SESSION_EVENT_MESSAGE);
    assert_false(atomic_load(&worker.nudged));
    assert_int_equal(heard.event.connection, connection);
    assert_true(heard.event.size > 4);
    const iso_message *message = heard.event.message;
    assert_int_equal(message->as.input.target_tick, 9);
    assert_int_equal(message->as.input.command_count, 2);
    assert_int_equal(message->as.input.commands[1].as.set_control.bytes[0], 77);
    // The session may look at it when the next frame was read: it is a copy.
    assert_true((const uint8_t *)message->as.input.commands < peers.decode_memory ||
                (const uint8_t *)message->as.input.commands >= peers.decode_memory + ISO_DECODE_MEMORY_FROM_CLIENT);
    say(socket, &(iso_message){.kind = ISO_MESSAGE_CONFIRM});
    assert_false(atomic_load(&worker.nudged));
    say(socket, &(iso_message){.kind = ISO_MESSAGE_PING});
    assert_true(atomic_load(&worker.nudged));
    forget_events();
    // A session that waits for its members is told at once.
    hosted.is_strict = true;
    say(socket, &input);
    assert_true(atomic_load(&worker.nudged));
    hosted.is_strict = false;
}

static void test_what_is_no_message_is_told_to_the_session(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *socket = join(&connection);
    fake_say(socket, "\x02\xFF\xFF", 3);
    expect_event(ISO_SESSION_EVENT_BAD_FRAME);
    assert_int_equal(heard.event.status, ISO_ERR_MALFORMED);
    assert_int_equal(heard.event.connection, connection);
    assert_null(heard.event.message);
    assert_true(atomic_load(&worker.nudged));
    fake_say(socket, "\x02\xFF\xFF", 3); // the session ends it: nothing more is read
    assert_false(hear());
    socket = join(&connection);
    fake_say(socket, "\xFF\xFF\xFF\x7F", 4); // no client says so much
    expect_event(ISO_SESSION_EVENT_BAD_FRAME);
    assert_int_equal(heard.event.status, ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(heard.event.connection, connection);
    assert_true(atomic_load(&worker.nudged));
}

static void test_a_message_that_finds_no_memory_is_told_to_the_session(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *socket = join(&connection);
    malloc_fails = true;
    say(socket, &(iso_message){.kind = ISO_MESSAGE_PING});
    malloc_fails = false;
    expect_event(ISO_SESSION_EVENT_BAD_FRAME);
    assert_int_equal(heard.event.status, ISO_ERR_MEMORY);
    assert_int_equal(count(ISO__COUNTER_NO_MEMORY), 1);
}

static void test_a_full_session_holds_its_peers_back(void **state) {
    (void)state;
    uint64_t connection, other;
    fake_socket *socket = join(&connection), *second = join(&other);
    atomic_store(&hosted.waiting, ISO__HOSTED_MESSAGES_MAX);
    say(socket, &(iso_message){.kind = ISO_MESSAGE_PING, .as.ping.id = 5});
    assert_false(hear());
    assert_int_equal(count(ISO__COUNTER_HELD_BACK), 1);
    assert_int_equal(peers.paused_count, 1);
    iso__peers_resume(&peers); // there is no room yet
    assert_int_equal(count(ISO__COUNTER_HELD_BACK), 2);
    assert_int_equal(peers.paused_count, 1);
    say(second, &(iso_message){.kind = ISO_MESSAGE_PING, .as.ping.id = 6});
    assert_int_equal(peers.paused_count, 2);
    atomic_store(&hosted.waiting, 0);
    iso__peers_resume(&peers);
    assert_int_equal(peers.paused_count, 0);
    for (uint64_t id = 5; id <= 6; ++id) {
        expect_event(ISO_SESSION_EVENT_MESSAGE);
        assert_int_equal(heard.event.message->as.ping.id, id);
    }
    assert_false(hear());
    // Who goes while it is held back is not waited for.
    atomic_store(&hosted.waiting, ISO__HOSTED_MESSAGES_MAX);
    say(socket, &(iso_message){.kind = ISO_MESSAGE_PING});
    assert_int_equal(peers.paused_count, 1);
    iso__stream_cut(peers.listener->first->id == connection ? peers.listener->first : peers.listener->first->next);
    fake_run_closes();
    assert_int_equal(peers.paused_count, 0);
    atomic_store(&hosted.waiting, 0);
    expect_event(ISO_SESSION_EVENT_DISCONNECTED);
}

static void test_what_waits_for_a_slow_reader_is_told_and_the_cap_in_any_case(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *socket = join(&connection);
    socket->room = 0;
    iso__buffer *buffer = iso__buffer_create(100 << 10);
    buffer->size = 100 << 10;
    memset(buffer->bytes, 0, buffer->size);
    iso__stream_send(peers.listener->first, buffer, false);
    expect_event(ISO_SESSION_EVENT_QUEUED);
    assert_int_equal(heard.event.size, 100 << 10);
    assert_int_equal(heard.event.connection, connection);
    atomic_store(&hosted.waiting, ISO__HOSTED_MESSAGES_MAX); // steps are only news
    iso__stream_send(peers.listener->first, buffer, false);
    assert_false(hear());
    iso__stream_send(peers.listener->first, buffer, false);
    expect_event(ISO_SESSION_EVENT_QUEUED);
    assert_true(heard.event.size > ISO__STREAM_QUEUED_MAX);
    atomic_store(&hosted.waiting, 0);
    iso__buffer_release(buffer);
}

// ---- What is sent -----------------------------------------------------------------------------------------

static void test_what_is_for_several_reaches_those_that_are_there(void **state) {
    (void)state;
    uint64_t numbers[3];
    fake_socket *a = join(&numbers[0]), *b = join(&numbers[1]), *c = join(&numbers[2]);
    leave(b);
    forget_events();
    uint64_t successor;
    fake_socket *d = join(&successor); // in b's place, under another number
    assert_int_equal(successor % ISO__PEER_MAX, numbers[1] % ISO__PEER_MAX);
    assert_int_not_equal(successor, numbers[1]);
    uint64_t *to = malloc(sizeof numbers);
    memcpy(to, numbers, sizeof numbers);
    assert_true(iso__peers_deliver(
        &peers, &(iso__outbound){
                    .kind = ISO__OUTBOUND_SEND, .connections = to, .connection_count = 3, .buffer = make_byte(7)}));
    iso__listener_flush(peers.listener);
    assert_int_equal(a->sent_size, 2);
    assert_int_equal(c->sent_size, 2);
    assert_int_equal(a->sent[1], 7);
    assert_int_equal(d->sent_size, 1);
    assert_int_equal(b->sent_size, 1);
    assert_int_equal(peers.totals.welcomed, 4);
}

static void test_garbage_counts_against_an_address_and_nothing_else_does(void **state) {
    (void)state;
    static const struct {
        iso_status status;
        bool counts;
    } cases[] = {{ISO_ERR_MALFORMED, true},       {ISO_ERR_TIMEOUT, false}, {ISO_OK, false},
                 {ISO_ERR_FRAME_TOO_LARGE, true}, {ISO_ERR_RATE, false},    {ISO_ERR_DECODE_BUDGET, true},
                 {ISO_ERR_STATE, false},          {ISO_ERR_BAD_ENUM, true}, {ISO_ERR_DESYNC, false},
                 {ISO_ERR_UNSUPPORTED, true}};
    uint64_t connection, strikes = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        open_anew(FOREIGN, 40, 3);
        fake_socket *socket = join(&connection);
        assert_true(iso__peers_deliver(
            &peers,
            &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE, .connection = connection, .status = cases[i].status}));
        strikes += count(ISO__COUNTER_ADDRESS_STRIKES);
        assert_int_equal(count(ISO__COUNTER_ADDRESS_STRIKES), cases[i].counts);
        iso__listener_flush(peers.listener);
        fake_take(socket, 0);
        assert_true(socket->is_shut_down); // it is ended all the same
    }
    assert_int_equal(strikes, 5);
    // This machine is nobody's foe.
    open_anew("127.0.0.1", 40, 3);
    join(&connection);
    assert_true(iso__peers_deliver(
        &peers, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE, .connection = connection, .status = ISO_ERR_MALFORMED}));
    assert_int_equal(count(ISO__COUNTER_ADDRESS_STRIKES), 0);
    // Of a connection that is gone nothing is left to do.
    assert_true(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE,
                                                            .connection = connection + ISO__PEER_MAX,
                                                            .status = ISO_ERR_MALFORMED}));
    assert_false(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_COMPRESS}));
}

// ---- The end of a connection ------------------------------------------------------------------------------

static void test_who_ends_in_order_may_wait_for_an_answer_if_it_asked(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *silent = connect_peer(), *member = join(&connection);
    fake_say_end(silent, UV_EOF);
    assert_true(silent->is_closing);
    fake_say_end(member, UV_EOF);
    assert_false(member->is_closing);
}

static void test_an_address_is_given_back_when_its_session_has_heard(void **state) {
    (void)state;
    open_anew(FOREIGN, 40, 100);
    uint64_t connection;
    fake_socket *member = join(&connection);
    for (unsigned i = 0; i < 8; ++i) {
        connect_peer();
    }
    leave(member);
    expect_event(ISO_SESSION_EVENT_DISCONNECTED);
    assert_int_equal(heard.event.connection, connection);
    assert_true(connect_peer()->is_closing); // it may hold a slot from now on
    fake_run_closes();
    assert_true(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_GONE, .address = heard.address}));
    assert_false(connect_peer()->is_closing);
    assert_true(connect_peer()->is_closing);
}

static void test_an_address_is_given_back_when_its_worker_is_gone(void **state) {
    (void)state;
    open_anew(FOREIGN, 40, 100);
    uint64_t connection, other;
    fake_socket *member = join(&connection), *last = join(&other);
    for (unsigned i = 0; i < 7; ++i) {
        connect_peer();
    }
    say(member, &(iso_message){.kind = ISO_MESSAGE_PING}); // what is left beside it is nobody's end
    leave(member);
    assert_false(iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_STOPPED, .worker = &worker}));
    assert_true(worker.has_stopped);
    assert_false(hear());
    assert_false(connect_peer()->is_closing);
    leave(last); // whose session hears nothing any more
    assert_false(hear());
    assert_false(connect_peer()->is_closing);
    assert_true(connect_peer()->is_closing);
}

static void test_at_the_end_all_are_sent_what_waits_and_nobody_comes(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *member = join(&connection), *silent = connect_peer();
    deliver(connection, false);
    iso__peers_finish(&peers);
    iso__listener_flush(peers.listener);
    fake_take(member, 0);
    fake_take(silent, 0);
    assert_int_equal(member->sent_size, 2);
    assert_true(member->is_shut_down && silent->is_shut_down);
    assert_false(peers.listener->is_listening);
    fake_say_end(member, UV_EOF);
    fake_run_closes();
    assert_int_equal(peers.totals.bytes_out, 2);
    assert_int_equal(peers.totals.client_bytes_out, 2);
    assert_int_equal(peers.totals.client_bytes_in, peers.totals.bytes_in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONNECTIONS_TEST(test_who_has_waited_longest_gives_way),
        CONNECTIONS_TEST(test_a_hello_has_a_moment_before_it_gives_way),
        CONNECTIONS_TEST(test_who_was_refused_gives_way_at_once),
        CONNECTIONS_TEST(test_who_finds_no_place_is_turned_away),
        CONNECTIONS_TEST(test_who_is_turned_away_does_not_count_for_its_address),
        CONNECTIONS_TEST(test_an_address_has_only_so_many_connections),
        CONNECTIONS_TEST(test_a_connection_that_is_gone_already_is_not_counted),
        CONNECTIONS_TEST(test_a_server_without_memory_is_not_opened),
        CONNECTIONS_TEST(test_an_input_waits_for_its_tick_and_the_rest_is_urgent),
        CONNECTIONS_TEST(test_what_is_no_message_is_told_to_the_session),
        CONNECTIONS_TEST(test_a_message_that_finds_no_memory_is_told_to_the_session),
        CONNECTIONS_TEST(test_a_full_session_holds_its_peers_back),
        CONNECTIONS_TEST(test_what_waits_for_a_slow_reader_is_told_and_the_cap_in_any_case),
        CONNECTIONS_TEST(test_what_is_for_several_reaches_those_that_are_there),
        CONNECTIONS_TEST(test_garbage_counts_against_an_address_and_nothing_else_does),
        CONNECTIONS_TEST(test_who_ends_in_order_may_wait_for_an_answer_if_it_asked),
        CONNECTIONS_TEST(test_an_address_is_given_back_when_its_session_has_heard),
        CONNECTIONS_TEST(test_an_address_is_given_back_when_its_worker_is_gone),
        CONNECTIONS_TEST(test_at_the_end_all_are_sent_what_waits_and_nobody_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
