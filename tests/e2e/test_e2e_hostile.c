/// Peers that break the rules: each gets an answer that names the rule, and the server lives.
#include "e2e.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static e2e_server server;

static int start(void **state) {
    (void)state;
    e2e_server_start(&server, NULL);
    return 0;
}

static int stop(void **state) {
    (void)state;
    return e2e_server_stop(&server, SIGTERM);
}

static void expect_server_serves(void) {
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
}

/// A REFUSAL with this code, then the end of the stream.
static void expect_refusal(e2e_link *link, iso_status code, uint64_t timeout_ms) {
    iso_message message;
    assert_true(e2e_link_read(link, &message, timeout_ms));
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    assert_int_equal(message.as.refusal.code, code);
    assert_true(e2e_link_wait_end(link, 3000));
    e2e_link_close(link);
}

static void send_message(e2e_link *link, const iso_message *message) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    e2e_link_write(link, bytes, e2e_encode(message, bytes, sizeof bytes));
}

/// A connection that the server has welcomed.
static e2e_link *open_welcomed(void) {
    e2e_link *link = e2e_link_open(server.port, 0);
    iso_message message = e2e_hello();
    send_message(link, &message);
    if (!e2e_link_read(link, &message, 3000) || message.kind != ISO_MESSAGE_WELCOME) {
        fail_msg("the hello was answered by %s", iso_message_kind_name(message.kind));
    }
    return link;
}

static void expect_bye(e2e_link *link, iso_status code) {
    iso_message message;
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_BYE, &message, 3000));
    assert_int_equal(message.as.bye.code, code);
    assert_true(e2e_link_wait_end(link, 3000));
    e2e_link_close(link);
}

static void test_garbage_is_malformed(void **state) {
    (void)state;
    // A frame of 16 bytes that are no protobuf: a field of the wire type 7.
    const uint8_t garbage[] = {16, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    e2e_link *link = e2e_link_open(server.port, 0);
    e2e_link_write(link, garbage, sizeof garbage);
    expect_refusal(link, ISO_ERR_MALFORMED, 3000);

    // A size that is no varint of at most five bytes.
    const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    link = e2e_link_open(server.port, 0);
    e2e_link_write(link, endless, sizeof endless);
    expect_refusal(link, ISO_ERR_MALFORMED, 3000);
    expect_server_serves();
}

static void test_another_protocol_is_refused(void **state) {
    (void)state;
    const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    e2e_link *link = e2e_link_open(server.port, 0);
    e2e_link_write(link, request, sizeof request - 1);
    iso_message message;
    // 'G' is a frame of 71 bytes that never gets whole: a time limit answers.
    assert_true(e2e_link_read(link, &message, 8000));
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    assert_int_equal(message.as.refusal.code, ISO_ERR_TIMEOUT);
    e2e_link_close(link);
    expect_server_serves();
}

static void test_oversize_frames_are_named(void **state) {
    (void)state;
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    // Only the size is sent: it must be judged before the frame comes.
    e2e_link *link = e2e_link_open(server.port, 0);
    e2e_link_write(link, header, iso_frame_header_write(header, ISO_FRAME_MAX_HELLO + 1));
    expect_refusal(link, ISO_ERR_FRAME_TOO_LARGE, 3000);

    link = open_welcomed();
    e2e_link_write(link, header, iso_frame_header_write(header, ISO_FRAME_MAX_CLIENT + 1));
    expect_bye(link, ISO_ERR_FRAME_TOO_LARGE);
    expect_server_serves();
}

static void test_frames_of_4_kib_are_read_after_the_welcome(void **state) {
    (void)state;
    // Its size is allowed, its content is not: the answer shows that it was read to its end.
    static uint8_t frame[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_CLIENT];
    size_t header_size = iso_frame_header_write(frame, ISO_FRAME_MAX_CLIENT);
    memset(frame + header_size, 0xFF, ISO_FRAME_MAX_CLIENT);
    e2e_link *link = open_welcomed();
    e2e_link_write(link, frame, header_size + ISO_FRAME_MAX_CLIENT);
    expect_bye(link, ISO_ERR_MALFORMED);
}

/// Sends Envelope { kind { `part` … count times } }.
static void send_repeated(e2e_link *link, uint8_t kind, const uint8_t *part, size_t part_size, size_t count) {
    static uint8_t frame[4096];
    size_t body = part_size * count;
    size_t size = iso_frame_header_write(frame, (uint32_t)(3 + body));
    frame[size++] = (uint8_t)(kind << 3 | 2);
    frame[size++] = (uint8_t)(0x80 | (body & 0x7F));
    frame[size++] = (uint8_t)(body >> 7);
    for (size_t i = 0; i < count; ++i, size += part_size) {
        memcpy(frame + size, part, part_size);
    }
    e2e_link_write(link, frame, size);
}

static void test_too_many_fields_exceed_the_budget(void **state) {
    (void)state;
    // A field that no version knows, again and again.
    const uint8_t unknown[] = {15 << 3 | 0, 0};
    e2e_link *link = open_welcomed();
    send_repeated(link, ISO_MESSAGE_PING, unknown, sizeof unknown, 1500);
    expect_bye(link, ISO_ERR_DECODE_BUDGET);

    // Commands { set_control {} }, one more than an INPUT may have: before ACTIVATE that does not matter.
    const uint8_t command[] = {E2E_INPUT_COMMANDS_FIELD << 3 | 2, 2, 1 << 3 | 2, 0};
    link = open_welcomed();
    send_repeated(link, ISO_MESSAGE_INPUT, command, sizeof command, ISO_INPUT_COMMANDS_MAX + 1);
    expect_bye(link, ISO_ERR_STATE);
    expect_server_serves();
}

static void test_anything_before_hello_is_out_of_place(void **state) {
    (void)state;
    e2e_link *link = e2e_link_open(server.port, 0);
    send_message(link, &(iso_message){.kind = ISO_MESSAGE_PING, .as.ping = {.id = 1}});
    expect_refusal(link, ISO_ERR_STATE, 3000);
}

static void test_server_messages_are_not_taken_from_clients(void **state) {
    (void)state;
    const uint8_t bytes[64] = {1};
    e2e_link *link = open_welcomed();
    send_message(link, &(iso_message){.kind = ISO_MESSAGE_SNAPSHOT_CHUNK,
                                      .as.snapshot_chunk = {.bytes = bytes, .size = sizeof bytes}});
    expect_bye(link, ISO_ERR_STATE);
    expect_server_serves();
}

static void test_other_fingerprint_is_told_what_was_expected(void **state) {
    (void)state;
    iso_message message = e2e_hello();
    message.as.hello.fingerprint.arithmetic ^= 1;
    e2e_link *link = e2e_link_open(server.port, 0);
    send_message(link, &message);
    assert_true(e2e_link_read(link, &message, 3000));
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    assert_int_equal(message.as.refusal.code, ISO_ERR_FINGERPRINT);
    assert_true(message.as.refusal.expected[0] != '\0');
    e2e_link_close(link);
}

static void test_silence_is_a_timeout(void **state) {
    (void)state;
    e2e_link *link = e2e_link_open(server.port, 0);
    uint64_t begun = e2e_now_ns();
    expect_refusal(link, ISO_ERR_TIMEOUT, 8000);
    assert_true(e2e_now_ns() - begun > 4 * E2E_S);
}

static void test_flood_of_messages_is_ended(void **state) {
    (void)state;
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 5000));
    e2e_link *link = open_welcomed();
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    size_t size = 0;
    while (size < 60000) {
        size += e2e_encode(&(iso_message){.kind = ISO_MESSAGE_PING, .as.ping = {.id = 1}}, bytes + size,
                           sizeof bytes - size);
    }
    for (int i = 0; i < 4; ++i) {
        e2e_link_write(link, bytes, size);
    }
    expect_bye(link, ISO_ERR_RATE);

    e2e_players_run_for(&player, 1, 500);
    assert_false(player->has_ended);
    assert_true(player->gap_max_ns < 3500 * E2E_MS);
    e2e_player_destroy(player);
}

static void test_flood_drops_the_oldest_unauthenticated_and_no_member(void **state) {
    (void)state;
    enum { FLOOD = 300, KEPT = 256 };
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 5000));
    static e2e_link *links[FLOOD];
    for (size_t i = 0; i < FLOOD; ++i) {
        links[i] = e2e_link_open(server.port, 0);
    }
    e2e_players_run_for(&player, 1, 500);

    iso_message message;
    for (size_t i = 0; i < FLOOD - KEPT; ++i) {
        assert_true(e2e_link_read(links[i], &message, 1000));
        assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
        assert_int_equal(message.as.refusal.code, ISO_ERR_SERVER_FULL);
    }
    // The youngest is still there and is served.
    message = e2e_hello();
    send_message(links[FLOOD - 1], &message);
    assert_true(e2e_link_read(links[FLOOD - 1], &message, 3000));
    assert_int_equal(message.kind, ISO_MESSAGE_WELCOME);
    for (size_t i = 0; i < FLOOD; ++i) {
        e2e_link_close(links[i]);
    }

    e2e_players_run_for(&player, 1, 500);
    assert_false(player->has_ended);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    e2e_player_destroy(player);
    expect_server_serves();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garbage_is_malformed),
        cmocka_unit_test(test_another_protocol_is_refused),
        cmocka_unit_test(test_oversize_frames_are_named),
        cmocka_unit_test(test_frames_of_4_kib_are_read_after_the_welcome),
        cmocka_unit_test(test_too_many_fields_exceed_the_budget),
        cmocka_unit_test(test_anything_before_hello_is_out_of_place),
        cmocka_unit_test(test_server_messages_are_not_taken_from_clients),
        cmocka_unit_test(test_other_fingerprint_is_told_what_was_expected),
        cmocka_unit_test(test_silence_is_a_timeout),
        cmocka_unit_test(test_flood_of_messages_is_ended),
        cmocka_unit_test(test_flood_drops_the_oldest_unauthenticated_and_no_member),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, start, stop);
}
