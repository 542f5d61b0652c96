/// A peer's frames on their way to its session: which are decoded, how far, and how many.
#include "connections_rig.h"

/// A frame of this kind that is no message: to decode it is MALFORMED.
static void say_garbage(fake_socket *socket, uint8_t kind) {
    const uint8_t frame[] = {5, (uint8_t)(0x80 | (kind << 3 & 0x7F) | 2), (uint8_t)(kind >> 4), 2, 0xFF, 0xFF};
    fake_say(socket, frame, sizeof frame);
}

static void expect_decoded(fake_socket *socket, uint8_t kind, bool is_decoded) {
    say_garbage(socket, kind);
    expect_event(ISO_SESSION_EVENT_BAD_FRAME);
    assert_int_equal(heard.event.status, is_decoded ? ISO_ERR_MALFORMED : ISO_ERR_STATE);
    leave(socket);
    forget_events();
}

static void test_only_what_a_peer_may_send_in_its_state_is_decoded(void **state) {
    (void)state;
    static const uint8_t kinds[] = {
#define KIND_ENTRY(name, number, snake) number,
        ISO_MESSAGE_KIND_LIST(KIND_ENTRY)
#undef KIND_ENTRY
    };
    static const uint8_t of_clients[] = {ISO_MESSAGE_PING,         ISO_MESSAGE_CONFIRM,       ISO_MESSAGE_SNAPSHOT_ACK,
                                         ISO_MESSAGE_CAUGHT_UP,    ISO_MESSAGE_REWIND_ANSWER, ISO_MESSAGE_LEAVE,
                                         ISO_MESSAGE_DESYNC_REPORT};
    for (size_t i = 0; i < sizeof kinds; ++i) {
        open_anew("127.0.0.1", 40, 3);
        const uint64_t before = atomic_load(&counters.answers[ISO__ANSWER_REFUSAL][-ISO_ERR_STATE]);
        say_garbage(connect_peer(), kinds[i]);
        const bool is_first = kinds[i] == ISO_MESSAGE_HELLO || kinds[i] == ISO_MESSAGE_LIST;
        assert_int_equal(atomic_load(&counters.answers[ISO__ANSWER_REFUSAL][-ISO_ERR_STATE]), before + !is_first);
        uint64_t connection;
        const bool is_of_client = memchr(of_clients, kinds[i], sizeof of_clients) != NULL;
        expect_decoded(join(&connection), kinds[i], is_of_client);
        fake_socket *active = join(&connection);
        activate(connection);
        expect_decoded(active, kinds[i], is_of_client || kinds[i] == ISO_MESSAGE_INPUT);
    }
}

static void test_a_spectators_commands_are_counted_only(void **state) {
    (void)state;
    fake_socket *socket = connect_peer();
    iso_message message = {
        .kind = ISO_MESSAGE_HELLO,
        .as.hello = {.protocol_min = 1, .protocol_max = 1, .role = ISO_ROLE_SPECTATOR, .compressions = 1}};
    strcpy(message.as.hello.session, "main");
    say(socket, &message);
    expect_event(ISO_SESSION_EVENT_OPENED);
    activate(heard.event.connection);
    forget_events();
    // Input { target_tick 9, first_sequence 3, commands: two that are none }
    const uint8_t frame[] = {14, 1 << 3 | 2, 12,   1 << 3,     9, 2 << 3, 3,   4 << 3 | 2,
                             2,  0xFF,       0xFF, 4 << 3 | 2, 2, 0xFF,   0xFF};
    fake_say(socket, frame, sizeof frame);
    expect_event(ISO_SESSION_EVENT_MESSAGE);
    const iso_message_input *input = &((const iso_message *)heard.event.message)->as.input;
    assert_int_equal(input->target_tick, 9);
    assert_int_equal(input->first_sequence, 3);
    assert_int_equal(input->command_count, 2);
    assert_null(input->commands);
}

// ---- How much of it ---------------------------------------------------------------------------------------

/// A number of Pings at once. @return their bytes
static size_t say_pings(fake_socket *socket, size_t count) {
    static uint8_t bytes[ISO__TCP_READ_SIZE];
    assert_true(count * 5 <= sizeof bytes);
    for (size_t i = 0; i < count; ++i) {
        memcpy(bytes + 5 * i, (const uint8_t[]){4, ISO_MESSAGE_PING << 3 | 2, 2, 1 << 3, 1}, 5);
    }
    fake_say(socket, bytes, 5 * count);
    return 5 * count;
}

static size_t hear_pings(void) {
    size_t count = 0;
    for (; hear(); ++count) {
        assert_int_equal(heard.event.kind, ISO_SESSION_EVENT_MESSAGE);
    }
    return count;
}

static void test_a_turn_has_room_for_all(void **state) {
    (void)state;
    uint64_t connection, other;
    fake_socket *loud = join(&connection), *quiet = join(&other);
    turn(1);
    say_pings(loud, 2 * ISO__PEER_FRAMES_MAX + 10);
    assert_int_equal(hear_pings(), ISO__PEER_FRAMES_MAX);
    assert_int_equal(count(ISO__COUNTER_FRAMES), 1);
    say_pings(quiet, 3);
    assert_int_equal(hear_pings(), 3);
    // The loop does not sleep over what waits.
    uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(hear_pings(), ISO__PEER_FRAMES_MAX);
    assert_true(uv_is_active((const uv_handle_t *)&peers.idle));
    turn(1);
    assert_int_equal(hear_pings(), 10);
    assert_false(uv_is_active((const uv_handle_t *)&peers.idle));
    turn(1);
    assert_int_equal(hear_pings(), 0);
    // Who goes meanwhile is not missed, nor is who comes in its place.
    say_pings(loud, ISO__PEER_FRAMES_MAX + 1);
    iso__stream_cut(peers.listener->first->next);
    assert_true(loud->is_closing && !quiet->is_closing);
    fake_run_closes();
    forget_events();
    fake_socket *next = join(&other);
    turn(1);
    say_pings(next, 2);
    assert_int_equal(hear_pings(), 2);
}

static void test_a_connection_has_only_so_much_work_done(void **state) {
    (void)state;
    enum { PER_SECOND = 4096, PING = 5 + ISO__IO_BUDGET_FRAME, PINGS = PER_SECOND * ISO__IO_BUDGET_PER_BYTE / PING };
    uint64_t connection;
    fake_socket *socket = connect_peer();
    peers.config.bytes_per_second = PER_SECOND;
    leave(socket);
    socket = join(&connection);
    size_t taken = 0, rounds = 0;
    for (; count(ISO__COUNTER_WORK) == 0 && rounds < 1000; ++rounds) {
        say_pings(socket, 100);
        while (hear()) {
            taken += heard.event.kind == ISO_SESSION_EVENT_MESSAGE;
        }
        turn(1);
    }
    assert_in_range(taken, PINGS - 100, PINGS);
    assert_int_equal(heard.event.kind, ISO_SESSION_EVENT_BAD_FRAME);
    assert_int_equal(heard.event.status, ISO_ERR_RATE);
    assert_int_equal(count(ISO__COUNTER_WORK), 1);
    // Nothing more of it is looked at.
    say_pings(socket, 100);
    assert_false(hear());
    assert_int_equal(count(ISO__COUNTER_WORK), 1);
    // Who sends in a second what a member may, in the smallest messages that clients have, never gets there.
    fake_socket *member = join(&connection);
    for (unsigned i = 0; i < 20; ++i) {
        for (size_t sent = 0; sent + 500 <= PER_SECOND / 2; sent += say_pings(member, 100)) {
            turn(1);
            assert_int_equal(hear_pings(), sent > 0 ? 100 : 0);
        }
        turn(1);
        hear_pings();
        fake_now_ns += UINT64_C(500) * FAKE_NS_PER_MS;
    }
    assert_int_equal(count(ISO__COUNTER_WORK), 1);
}

static void test_commands_that_wait_take_only_so_much_memory(void **state) {
    (void)state;
    uint64_t connection;
    fake_socket *socket = join(&connection);
    static iso_command commands[ISO_INPUT_COMMANDS_MAX];
    for (uint32_t i = 0; i < ISO_INPUT_COMMANDS_MAX; ++i) {
        commands[i].kind = ISO_COMMAND_SET_CONTROL;
    }
    const iso_message input = {
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {
            .target_tick = 9, .first_sequence = 1, .commands = commands, .command_count = ISO_INPUT_COMMANDS_MAX}};
    activate(connection);
    uint32_t sent = 0;
    for (; peers.paused_count == 0 && sent < ISO__HOSTED_MESSAGES_MAX; ++sent) {
        say(socket, &input);
    }
    assert_in_range(atomic_load(&hosted.waiting_size), ISO__HOSTED_WAITING_SIZE_MAX - 2 * ISO__HOSTED_BLOCK_MAX,
                    ISO__HOSTED_WAITING_SIZE_MAX);
    assert_true(atomic_load(&hosted.waiting) < 100);
    assert_int_equal(count(ISO__COUNTER_HELD_COMMANDS), 1);
    assert_int_equal(count(ISO__COUNTER_HELD_BACK), 1);
    expect_event(ISO_SESSION_EVENT_MESSAGE);
    iso__peers_resume(&peers);
    assert_int_equal(peers.paused_count, 0);
    forget_events();
    assert_int_equal(atomic_load(&hosted.waiting_size), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONNECTIONS_TEST(test_only_what_a_peer_may_send_in_its_state_is_decoded),
        CONNECTIONS_TEST(test_a_spectators_commands_are_counted_only),
        CONNECTIONS_TEST(test_a_turn_has_room_for_all),
        CONNECTIONS_TEST(test_a_connection_has_only_so_much_work_done),
        CONNECTIONS_TEST(test_commands_that_wait_take_only_so_much_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
