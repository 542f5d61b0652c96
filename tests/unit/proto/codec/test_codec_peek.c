/// What of an envelope is read, and what of it is only counted or left to others.
#include "test_codec_hand.h"

/// A client has no session that would check the commands of a tick later.
static void test_codec_checks_every_sealed_command_whatever_is_done_with_inputs(void **state) {
    fixture *f = *state;
    f->size = 0;
    put_fixed64(f, 1, 1);
    put_number(f, 2, 2 * (uint64_t)(600 * ISO_WIDE_ONE));
    wrap(f, 0, ISO_COMMAND_SET_VELOCITY);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_TICK);
    for (uint8_t commands = ISO_DECODE_COMMANDS_CHECKED; commands <= ISO_DECODE_COMMANDS_COUNTED; ++commands) {
        iso_decode_limits limits = iso_decode_limits_from_server();
        iso_message message;
        limits.commands = commands;
        assert_int_equal(decode_limited(f, &limits, &message), ISO_ERR_RANGE);
    }
}

static iso_status count(fixture *f, iso_message *message) {
    iso_decode_limits limits = iso_decode_limits_from_client();
    limits.commands = ISO_DECODE_COMMANDS_COUNTED;
    return decode_limited(f, &limits, message);
}

static void put_input(fixture *f, uint32_t commands) {
    f->size = 0;
    put_number(f, 1, 900);
    put_number(f, 2, 70000);
    put_number(f, 3, 899);
    for (uint32_t i = 0; i < commands; ++i) {
        put_bytes(f, 4, (const uint8_t *)"\xFF\xFF", 2); // no command
    }
}

static void test_codec_counts_commands_without_reading_them(void **state) {
    fixture *f = *state;
    iso_message message;
    for (uint32_t commands = 0; commands <= ISO_INPUT_COMMANDS_MAX + 1; ++commands) {
        put_input(f, commands);
        put_number(f, 1000, 1); // of a newer version
        wrap(f, 0, ISO_MESSAGE_INPUT);
        put_number(f, 1001, 1);
        const iso_status status = count(f, &message);
        if (commands > ISO_INPUT_COMMANDS_MAX) {
            assert_int_equal(status, ISO_ERR_DECODE_BUDGET);
            break;
        }
        assert_int_equal(status, ISO_OK);
        assert_int_equal(message.kind, ISO_MESSAGE_INPUT);
        assert_int_equal(message.as.input.target_tick, 900);
        assert_int_equal(message.as.input.first_sequence, commands > 0 ? 70000 : 0);
        assert_int_equal(message.as.input.ack_tick, 899);
        assert_int_equal(message.as.input.command_count, commands);
        assert_null(message.as.input.commands);
    }
    // An Input says the same however it is read.
    f->storage.commands[0] = (iso_command){.kind = ISO_COMMAND_SET_CONTROL};
    const iso_message sent = {
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {
            .target_tick = 5, .first_sequence = 6, .ack_tick = 4, .commands = f->storage.commands, .command_count = 1}};
    assert_int_equal(
        iso_message_encode(&sent, f->encode_memory, sizeof(f->encode_memory), f->bytes, sizeof(f->bytes), &f->size),
        ISO_OK);
    assert_int_equal(count(f, &message), ISO_OK);
    assert_int_equal(message.as.input.target_tick, 5);
    assert_int_equal(message.as.input.first_sequence, 6);
    assert_int_equal(message.as.input.ack_tick, 4);
    assert_int_equal(message.as.input.command_count, 1);
}

static void test_codec_counts_only_what_is_an_input(void **state) {
    fixture *f = *state;
    iso_message message;
    put_input(f, 1);
    const size_t size = f->size;
    put_number(f, 1, 900); // twice
    wrap(f, 0, ISO_MESSAGE_INPUT);
    assert_int_equal(count(f, &message), ISO_ERR_MALFORMED);
    put_input(f, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    f->bytes[f->size - 3] = 100; // a command beyond the end
    assert_int_equal(count(f, &message), ISO_ERR_MALFORMED);
    put_input(f, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    const size_t end = f->size;
    put_number(f, 1, 1);
    wrap(f, end, ISO_MESSAGE_PING); // several members
    assert_int_equal(count(f, &message), ISO_ERR_MALFORMED);
    put_input(f, 0);
    for (unsigned i = 0; i < 9; ++i) {
        put_number(f, 1000 + i, 1);
    }
    wrap(f, 0, ISO_MESSAGE_INPUT);
    assert_int_equal(count(f, &message), ISO_ERR_DECODE_BUDGET);
    f->size = 0;
    put_number(f, 1, ISO_TICK_END);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    assert_int_equal(count(f, &message), ISO_ERR_RANGE);
    put_input(f, 1);
    assert_int_equal(f->size, size);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    for (size_t less = 0; less < f->size; ++less) {
        fixture *cut = f;
        const size_t whole = cut->size;
        cut->size = less;
        assert_int_not_equal(count(cut, &message), ISO_OK);
        cut->size = whole;
    }
    f->size = 5000;
    assert_int_equal(count(f, &message), ISO_ERR_FRAME_TOO_LARGE);
}

static uint8_t peek(fixture *f) {
    const iso_decode_limits limits = iso_decode_limits_from_client();
    return iso_message_peek(f->bytes, f->size, &limits);
}

static void test_codec_sees_the_kind_before_it_decodes(void **state) {
    fixture *f = *state;
#define SEES_KIND(name, number, snake)                    \
    f->size = 0;                                          \
    put_bytes(f, number, (const uint8_t *)"\xFF\xFF", 2); \
    assert_int_equal(peek(f), number);
    ISO_MESSAGE_KIND_LIST(SEES_KIND)
#undef SEES_KIND
    for (unsigned unknown = 0; unknown <= 9; ++unknown) {
        f->size = 0;
        for (unsigned i = 0; i < unknown; ++i) {
            put_number(f, 1000 + i, 1);
        }
        put_bytes(f, ISO_MESSAGE_INPUT, NULL, 0);
        assert_int_equal(peek(f), unknown <= 8 ? ISO_MESSAGE_INPUT : 0);
    }
    f->size = 0;
    assert_int_equal(peek(f), 0);
    put_number(f, 1000, 1);
    assert_int_equal(peek(f), 0);
    f->size = 0;
    put_number(f, ISO_MESSAGE_INPUT, 1); // no message
    assert_int_equal(peek(f), 0);
    memcpy(f->bytes, "\xFF\xFF\xFF\xFF\xFF\xFF", f->size = 6);
    assert_int_equal(peek(f), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec_checks_every_sealed_command_whatever_is_done_with_inputs),
        cmocka_unit_test(test_codec_counts_commands_without_reading_them),
        cmocka_unit_test(test_codec_counts_only_what_is_an_input),
        cmocka_unit_test(test_codec_sees_the_kind_before_it_decodes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
