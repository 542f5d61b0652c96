/// How much work peers get the I/O thread to do, in its processor time: what costs much to check costs it no more than
/// what costs nothing. Each attack is run in turns with the same one whose Inputs are empty.
#include "e2e.h"
#ifdef E2E_HTTP
#include "e2e_web.h"
#endif

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 12, STRANGERS = 60, PEERS = 8, PEER_BYTES = 64 << 10 };
// How much more than the control run an attack may take.
#define RATIO_MAX 1.2

static e2e_server server;

static int start(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--session", "main", "--session", "space=falling3",
#ifdef E2E_HTTP
                                                    "--http", "127.0.0.1:0",
#endif
                                                    NULL});
    return 0;
}

static int stop(void **state) {
    (void)state;
    return e2e_server_stop(&server, SIGTERM);
}

/// [ns] of processor time that the server's I/O thread has used: its first thread.
static uint64_t io_thread_ns(void) {
    char path[64];
    unsigned long long used = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)server.pid, (int)server.pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &used), 1);
    fclose(file);
    return used;
}

/// A body whose shape is a hull of 32 corners: 240 bytes that take millions of instructions to check.
static iso_command make_spawn(void) {
    iso_vec3 corners[ISO_HULL_VERTICES_MAX];
    for (uint32_t i = 0; i < ISO_HULL_VERTICES_MAX; ++i) {
        const double height = 1 - (2 * i + 1.0) / ISO_HULL_VERTICES_MAX, around = 2.399963 * i;
        const double wide = sqrt(1 - height * height) * 8000;
        corners[i] = (iso_vec3){(fix16_t)(wide * cos(around)), (fix16_t)(wide * sin(around)), (fix16_t)(height * 8000)};
    }
    iso_command command = {.kind = ISO_COMMAND_SPAWN_BODY3};
    command.as.spawn_body3.body = iso_body3_def_default();
    command.as.spawn_body3.body.type = ISO_BODY_DYNAMIC;
    command.as.spawn_body3.shape = iso_shape3_def_hull(corners, ISO_HULL_VERTICES_MAX);
    assert_int_equal(iso_command_check(&command), ISO_OK);
    return command;
}

typedef struct frame {
    uint8_t bytes[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_CLIENT];
    size_t size;
} frame;

/// An Input with as many spawns as an envelope of this size has room for.
static frame full_input(size_t envelope_max) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    iso_command commands[ISO_INPUT_COMMANDS_MAX];
    frame made = {.size = 0};
    for (uint32_t count = 1;; ++count) {
        commands[count - 1] = make_spawn();
        const iso_message input = {
            .kind = ISO_MESSAGE_INPUT,
            .as.input = {.target_tick = 1, .first_sequence = 1, .commands = commands, .command_count = count}};
        const size_t size = e2e_encode(&input, bytes, sizeof bytes);
        if (size > envelope_max) {
            return made;
        }
        memcpy(made.bytes, bytes, size);
        made.size = size;
    }
}

static frame empty_input(void) {
    frame made;
    made.size = e2e_encode(&(iso_message){.kind = ISO_MESSAGE_INPUT, .as.input = {.target_tick = 1}}, made.bytes,
                           sizeof made.bytes);
    return made;
}

/// Connections that send this as their first message. @return [ns] of the I/O thread for all of them
static uint64_t run_strangers(const frame *sent) {
    const uint64_t begin = io_thread_ns();
    for (unsigned i = 0; i < STRANGERS; ++i) {
        e2e_link *link = e2e_link_open(server.port, 0);
        iso_message message;
        e2e_link_write(link, sent->bytes, sent->size);
        assert_true(e2e_link_read(link, &message, 5000));
        assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
        assert_int_equal(message.as.refusal.code, ISO_ERR_STATE);
        assert_true(e2e_link_wait_end(link, 5000));
        e2e_link_close(link);
    }
    return io_thread_ns() - begin;
}

static void send_message(e2e_link *link, const iso_message *message) {
    static uint8_t bytes[1024];
    e2e_link_write(link, bytes, e2e_encode(message, bytes, sizeof bytes));
}

/// A connection that was welcomed, and goes on until it may send INPUT, if that is wanted.
static e2e_link *open_peer(const char *session, uint8_t role, bool activates) {
    e2e_link *link = e2e_link_open(server.port, 0);
    iso_message message = e2e_hello();
    iso_message caught_up = {.kind = ISO_MESSAGE_CAUGHT_UP};
    uint32_t chunks = 0;
    message.as.hello.role = role;
    snprintf(message.as.hello.session, sizeof message.as.hello.session, "%s", session);
    send_message(link, &message);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_WELCOME, &message, 5000));
    while (activates && message.kind != ISO_MESSAGE_ACTIVATE) {
        assert_true(e2e_link_read(link, &message, 5000));
        if (message.kind == ISO_MESSAGE_SNAPSHOT_BEGIN) {
            caught_up.as.caught_up.tick = message.as.snapshot_begin.tick;
            caught_up.as.caught_up.root = message.as.snapshot_begin.root;
            chunks = message.as.snapshot_begin.chunk_count;
        } else if (message.kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
            const uint32_t index = message.as.snapshot_chunk.index;
            send_message(link, &(iso_message){.kind = ISO_MESSAGE_SNAPSHOT_ACK, .as.snapshot_ack = {.index = index}});
            if (index + 1 == chunks) {
                send_message(link, &caught_up);
            }
        }
    }
    return link;
}

/// Peers of which each sends PEER_BYTES of this at once. @return [ns] of the I/O thread until all are ended
static uint64_t run_peers(const frame *sent, uint8_t role, bool activates) {
    static uint8_t bytes[PEER_BYTES];
    e2e_link *links[PEERS];
    iso_message message;
    size_t size = 0;
    for (; size + sent->size <= sizeof bytes; size += sent->size) {
        memcpy(bytes + size, sent->bytes, sent->size);
    }
    for (unsigned i = 0; i < PEERS; ++i) {
        links[i] = open_peer("main", role, activates);
    }
    const uint64_t begin = io_thread_ns();
    for (unsigned i = 0; i < PEERS; ++i) {
        e2e_link_write(links[i], bytes, size);
    }
    for (unsigned i = 0; i < PEERS; ++i) {
        assert_true(e2e_link_read_kind(links[i], ISO_MESSAGE_BYE, &message, 5000));
        assert_true(e2e_link_wait_end(links[i], 5000));
        e2e_link_close(links[i]);
    }
    return io_thread_ns() - begin;
}

static uint64_t run_welcomed(const frame *sent) {
    return run_peers(sent, ISO_ROLE_SPECTATOR, false);
}

static uint64_t run_spectators(const frame *sent) {
    return run_peers(sent, ISO_ROLE_SPECTATOR, true);
}

static uint64_t run_members(const frame *sent) {
    return run_peers(sent, ISO_ROLE_PLAYER, true);
}

#ifdef E2E_HTTP
/// As run_strangers, over WebSocket.
static uint64_t run_web_strangers(const frame *sent) {
    const uint64_t begin = io_thread_ns();
    for (unsigned i = 0; i < STRANGERS; ++i) {
        e2e_web *web = e2e_web_open_socket(&server, 0);
        iso_message message;
        const size_t head = sent->bytes[0] < 0x80 ? 1 : 2; // the size, which stands in the WebSocket frame
        e2e_web_send(web, 0x82, sent->bytes + head, sent->size - head);
        assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_REFUSAL, &message, 5000));
        assert_int_equal(message.as.refusal.code, ISO_ERR_STATE);
        assert_int_equal(e2e_web_receive_close(web, 5000), 4000 - ISO_ERR_STATE);
        e2e_web_close(web);
    }
    return io_thread_ns() - begin;
}
#endif

/// Runs both in turns and compares the least time of each, until that is in order: a busy machine only ever adds to it.
static void compare(const char *what, uint64_t run(const frame *), const frame *attack, const frame *control) {
    uint64_t least_attack = UINT64_MAX, least_control = UINT64_MAX;
    double ratio = 0;
    for (unsigned i = 0; i < ROUNDS_MAX && (i == 0 || ratio > RATIO_MAX); ++i) {
        const uint64_t with = run(attack), without = run(control);
        least_attack = with < least_attack ? with : least_attack;
        least_control = without < least_control ? without : least_control;
        ratio = (double)least_attack / (double)least_control;
    }
    print_message("%s: %.2f ms of the I/O thread, %.2f ms with empty Inputs: %.2f times\n", what,
                  (double)least_attack / 1e6, (double)least_control / 1e6, ratio);
    if (ratio > RATIO_MAX) {
        fail_msg("%s: %.2f times the work of empty Inputs, more than %.1f", what, ratio, RATIO_MAX);
    }
}

static void test_strangers_hulls_cost_no_more_than_nothing(void **state) {
    (void)state;
    const frame attack = full_input(ISO_FRAME_MAX_HELLO), control = empty_input();
    compare("strangers", run_strangers, &attack, &control);
#ifdef E2E_HTTP
    compare("strangers over WebSocket", run_web_strangers, &attack, &control);
#endif
}

/// In a session of the plane, which has no such command.
static void test_peers_hulls_cost_no_more_than_nothing(void **state) {
    (void)state;
    const frame attack = full_input(ISO_FRAME_MAX_CLIENT), control = empty_input();
    compare("welcomed spectators", run_welcomed, &attack, &control);
    compare("active spectators", run_spectators, &attack, &control);
    compare("members", run_members, &attack, &control);
}

/// The I/O thread does not look at a member's hull, so the session has to, before the command is ordered.
static void test_a_flat_hull_is_refused_before_it_is_ordered(void **state) {
    (void)state;
    static const uint8_t height[] = {0x80, 0x7D}, flat[] = {0x80, 0x00}; // 8000 and 0 as sint32
    const iso_vec3 corners[] = {{0, 0, 0}, {7000, 0, 0}, {0, 7000, 0}, {0, 0, 8000}};
    iso_command command = make_spawn();
    command.as.spawn_body3.shape = iso_shape3_def_hull(corners, 4);
    e2e_link *link = open_peer("space", ISO_ROLE_PLAYER, true);
    iso_message message = {
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {.target_tick = 1u << 30, .first_sequence = 1, .commands = &command, .command_count = 1}};
    frame sent = {.size = e2e_encode(&message, sent.bytes, sizeof sent.bytes)};
    uint8_t *at = memmem(sent.bytes, sent.size, height, sizeof height);
    assert_non_null(at);
    // One that is not to be sealed is not looked at: its target is far ahead.
    memcpy(at, flat, sizeof flat);
    e2e_link_write(link, sent.bytes, sent.size);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REJECT, &message, 5000));
    assert_int_equal(message.as.reject.code, ISO_ERR_TICK_FUTURE);
    assert_int_equal(message.as.reject.sequence, 1);
    // The next one is for now, or is late by less than it may be.
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_TICK, &message, 5000));
    message = (iso_message){
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {
            .target_tick = message.as.tick.tick + 60, .first_sequence = 2, .commands = &command, .command_count = 1}};
    sent.size = e2e_encode(&message, sent.bytes, sizeof sent.bytes);
    at = memmem(sent.bytes, sent.size, height, sizeof height);
    assert_non_null(at);
    memcpy(at, flat, sizeof flat);
    e2e_link_write(link, sent.bytes, sent.size);
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_REJECT, &message, 5000));
    assert_int_equal(message.as.reject.code, ISO_ERR_GEOMETRY);
    assert_int_equal(message.as.reject.sequence, 0);
    e2e_link_close(link);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strangers_hulls_cost_no_more_than_nothing),
        cmocka_unit_test(test_peers_hulls_cost_no_more_than_nothing),
        cmocka_unit_test(test_a_flat_hull_is_refused_before_it_is_ordered),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, start, stop);
}
