/// The codec on valid messages: what is encoded comes back, in the same bytes, within the stated memory.
#include "test_codec_util.h"

typedef struct fixture {
    test_storage storage;
    _Alignas(16) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
    _Alignas(16) uint8_t decode_memory[ISO_DECODE_MEMORY_FROM_SERVER];
    uint8_t bytes[ISO_FRAME_MAX_SERVER];
    uint8_t again[ISO_FRAME_MAX_SERVER];
} fixture;

static int setup(void **state) {
    *state = calloc(1, sizeof(fixture));
    return *state == NULL;
}

static int teardown(void **state) {
    free(*state);
    return 0;
}

static size_t encode(fixture *f, const iso_message *message) {
    size_t size = 0;
    iso_status status =
        iso_message_encode(message, f->encode_memory, sizeof(f->encode_memory), f->bytes, sizeof(f->bytes), &size);
    if (status != ISO_OK) {
        fail_msg("%s: %s", iso_message_kind_name(message->kind), iso_status_name(status));
    }
    return size;
}

static void decode(fixture *f, size_t size, iso_message *message) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    memset(message, 0xA5, sizeof(*message));
    iso_status status =
        iso_message_decode(f->bytes, size, &limits, f->decode_memory, sizeof(f->decode_memory), message);
    if (status != ISO_OK) {
        fail_msg("%s", iso_status_name(status));
    }
}

static void test_codec_returns_every_field_of_every_kind(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < MESSAGE_KIND_COUNT; ++k) {
        uint64_t seed = message_kinds[k];
        for (int i = 0; i < 300; ++i) {
            iso_message message = random_message(&seed, message_kinds[k], &f->storage);
            iso_message back;
            decode(f, encode(f, &message), &back);
            assert_messages_equal(&message, &back);
        }
    }
}

static void test_codec_returns_every_kind_of_command(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < COMMAND_KIND_COUNT; ++k) {
        uint64_t seed = command_kinds[k];
        for (int i = 0; i < 300; ++i) {
            f->storage.sealed[0] =
                (iso_sealed_command){.slot = 31, .sequence = 7, .command = random_command(&seed, command_kinds[k])};
            iso_message message = {.kind = ISO_MESSAGE_TICK,
                                   .as.tick = {.tick = 1, .commands = f->storage.sealed, .command_count = 1}};
            iso_message back;
            decode(f, encode(f, &message), &back);
            assert_messages_equal(&message, &back);
        }
    }
}

/// What was decoded encodes to the bytes it came from: a server may hand on what it has received.
static void test_codec_gives_equal_messages_equal_bytes(void **state) {
    fixture *f = *state;
    uint64_t seed = 5;
    for (int i = 0; i < 2000; ++i) {
        iso_message message = random_message(&seed, message_kinds[(size_t)i % MESSAGE_KIND_COUNT], &f->storage);
        size_t size = encode(f, &message);
        iso_message back;
        decode(f, size, &back);
        size_t size_again = 0;
        assert_int_equal(iso_message_encode(&back, f->encode_memory, sizeof(f->encode_memory), f->again,
                                            sizeof(f->again), &size_again),
                         ISO_OK);
        assert_int_equal(size, size_again);
        assert_memory_equal(f->bytes, f->again, size);
    }
}

/// The command whose wire form is the largest for each kind.
static iso_command largest_command(uint8_t kind) {
    uint64_t seed = kind;
    iso_command largest = random_command(&seed, kind);
    size_t size_max = 0;
    for (int i = 0; i < 200; ++i) {
        uint8_t bytes[ISO_COMMAND_SIZE_MAX];
        iso_command command = random_command(&seed, kind);
        size_t size = iso_command_encode(&command, bytes, sizeof(bytes));
        if (size > size_max) {
            size_max = size;
            largest = command;
        }
    }
    return largest;
}

static void test_codec_keeps_the_size_bound_of_sealed_commands(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < COMMAND_KIND_COUNT; ++k) {
        uint64_t seed = command_kinds[k];
        for (int i = 0; i < 500; ++i) {
            iso_sealed_command *sealed = &f->storage.sealed[0];
            *sealed = (iso_sealed_command){.slot = 31,
                                           .sequence = ISO_TICK_END - 1,
                                           .moved = 255,
                                           .command = random_command(&seed, command_kinds[k])};
            iso_message message = {.kind = ISO_MESSAGE_TICK,
                                   .as.tick = {.tick = 1, .commands = sealed, .command_count = 0}};
            size_t without = encode(f, &message);
            message.as.tick.command_count = 1;
            size_t with = encode(f, &message);
            uint8_t bytes[ISO_COMMAND_SIZE_MAX];
            size_t canonical = iso_command_encode(&sealed->command, bytes, sizeof(bytes));
            // The lengths of the tick and the envelope grow by at most two bytes each.
            assert_true(with - without <= iso_sealed_command_wire_size_max(canonical));
        }
    }
}

static void test_codec_fits_a_tick_with_all_changes_into_the_base(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < ISO_TICK_CHANGES_MAX; ++i) {
        f->storage.changes[i] = (iso_change){.kind = ISO_CHANGE_LEAVE, .slot = 31, .slot_generation = UINT32_MAX};
    }
    iso_message message = {
        .kind = ISO_MESSAGE_TICK,
        .as.tick = {.epoch = UINT32_MAX,
                    .tick = ISO_TICK_END - 1,
                    .hashed_tick = ISO_TICK_END - 1,
                    .root = UINT64_MAX,
                    .changes = f->storage.changes,
                    .change_count = ISO_TICK_CHANGES_MAX},
    };
    assert_true(encode(f, &message) <= ISO_TICK_WIRE_BASE);
}

/// Seals like a session: as many of the largest commands as the bound lets pass.
static void test_codec_encodes_and_decodes_the_fullest_ticks(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < COMMAND_KIND_COUNT; ++k) {
        iso_command command = largest_command(command_kinds[k]);
        uint8_t canonical[ISO_COMMAND_SIZE_MAX];
        size_t each = iso_sealed_command_wire_size_max(iso_command_encode(&command, canonical, sizeof(canonical)));
        uint32_t count = 0;
        while (count < ISO_TICK_COMMANDS_MAX && ISO_TICK_WIRE_BASE + (count + 1) * each <= ISO_FRAME_MAX_SERVER) {
            f->storage.sealed[count] = (iso_sealed_command){
                .slot = 31, .sequence = ISO_TICK_END - 600 + count, .moved = 8, .command = command};
            ++count;
        }
        iso_message message = {.kind = ISO_MESSAGE_TICK,
                               .as.tick = {.tick = 1, .commands = f->storage.sealed, .command_count = count}};
        iso_message back;
        decode(f, encode(f, &message), &back);
        assert_messages_equal(&message, &back);
    }
    // The smallest commands reach the limit of their number.
    for (uint32_t i = 0; i < ISO_TICK_COMMANDS_MAX; ++i) {
        f->storage.sealed[i] =
            (iso_sealed_command){.slot = (uint8_t)(i / 16), .sequence = i + 1, .command = {.kind = ISO_COMMAND_CUSTOM}};
    }
    iso_message message = {
        .kind = ISO_MESSAGE_TICK,
        .as.tick = {.tick = 1, .commands = f->storage.sealed, .command_count = ISO_TICK_COMMANDS_MAX}};
    iso_message back;
    decode(f, encode(f, &message), &back);
    assert_messages_equal(&message, &back);
}

/// Of joints in space whose constraints have parameters five fit into a frame, of all others eight.
static void test_codec_passes_any_eight_commands_of_a_client(void **state) {
    fixture *f = *state;
    iso_decode_limits limits = iso_decode_limits_from_client();
    for (size_t k = 0; k < COMMAND_KIND_COUNT; ++k) {
        for (size_t i = 0; i < 8; ++i) {
            f->storage.commands[i] = largest_command(command_kinds[k]);
        }
        iso_message message = {.kind = ISO_MESSAGE_INPUT,
                               .as.input = {.target_tick = ISO_TICK_END - 1,
                                            .first_sequence = ISO_TICK_END - 9,
                                            .ack_tick = ISO_TICK_END - 1,
                                            .commands = f->storage.commands,
                                            .command_count = 8}};
        size_t size = encode(f, &message);
        iso_message back;
        const bool is_long = size > ISO_FRAME_MAX_CLIENT;
        const bool is_joint3 =
            command_kinds[k] == ISO_COMMAND_CREATE_JOINT3 || command_kinds[k] == ISO_COMMAND_SET_JOINT3;
        assert_true(!is_long || (is_joint3 && 5 * size <= 8 * ISO_FRAME_MAX_CLIENT));
        limits.size_max = is_long ? ISO_FRAME_MAX_SERVER : ISO_FRAME_MAX_CLIENT; // the other limits hold for eight
        assert_int_equal(
            iso_message_decode(f->bytes, size, &limits, f->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &back),
            ISO_OK);
        assert_messages_equal(&message, &back);
    }
}

static void test_codec_tells_when_a_buffer_is_too_small(void **state) {
    fixture *f = *state;
    uint64_t seed = 11;
    for (size_t k = 0; k < MESSAGE_KIND_COUNT; ++k) {
        iso_message message = random_message(&seed, message_kinds[k], &f->storage);
        size_t size = encode(f, &message);
        for (size_t capacity = 0; capacity < size; capacity += 1 + size / 64) {
            // Of exactly this size, so that a write beyond it is seen.
            uint8_t *bytes = malloc(capacity + 1);
            size_t written = 12345;
            assert_int_equal(
                iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), bytes, capacity, &written),
                ISO_ERR_BUFFER);
            assert_int_equal(written, 12345);
            free(bytes);
        }
        for (size_t memory = 0; memory < 256; memory += 16) {
            size_t written = 0;
            iso_status status =
                iso_message_encode(&message, f->encode_memory, memory, f->bytes, sizeof(f->bytes), &written);
            assert_true(status == ISO_OK || status == ISO_ERR_BUFFER);
            assert_true(memory > 0 || status == ISO_ERR_BUFFER);
        }
    }
}

static void expect_encode(fixture *f, const iso_message *message, iso_status expected) {
    size_t size = 0;
    iso_status status =
        iso_message_encode(message, f->encode_memory, sizeof(f->encode_memory), f->bytes, sizeof(f->bytes), &size);
    assert_string_equal(iso_status_name(status), iso_status_name(expected));
}

static void expect_names_are_checked(fixture *f) {
    iso_name *names = f->storage.names;
    iso_message m = {.kind = ISO_MESSAGE_NAMES, .as.names = {names, ISO_NAMES_MAX + 1, 0}};
    expect_encode(f, &m, ISO_ERR_RANGE);
    names[0] = (iso_name){ISO_NAMED_BODY, 1048575, "a"};
    names[1] = (iso_name){ISO_NAMED_JOINT, 0, "a"}; // bodies and joints have names of their own
    m.as.names.count = 2;
    expect_encode(f, &m, ISO_OK);
    names[0].index = 1048576;
    expect_encode(f, &m, ISO_ERR_RANGE);
    names[0] = (iso_name){ISO_NAMED_JOINT, 0, "b"}; // twice
    expect_encode(f, &m, ISO_ERR_MALFORMED);
    names[0].of = 0;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    names[0].of = 3;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    names[0] = (iso_name){ISO_NAMED_BODY, 0, ""};
    expect_encode(f, &m, ISO_ERR_RANGE);
    char long_name[ISO_NAME_MAX + 2];
    memset(long_name, 'a', sizeof long_name);
    long_name[ISO_NAME_MAX + 1] = 0;
    names[0].name = long_name;
    expect_encode(f, &m, ISO_ERR_RANGE);
    long_name[ISO_NAME_MAX] = 0;
    expect_encode(f, &m, ISO_OK);
    names[0].name = "a\nb";
    expect_encode(f, &m, ISO_ERR_MALFORMED);
    // 564 names of 87 bytes are 49,068; so many and one of 84 are as many as there may be.
    for (uint32_t i = 0; i < 566; ++i) {
        names[i] = (iso_name){ISO_NAMED_BODY, i, long_name};
    }
    names[564].name = long_name + 3;
    m.as.names.count = 565;
    expect_encode(f, &m, ISO_OK);
    names[564].name = long_name + 2;
    expect_encode(f, &m, ISO_ERR_RANGE);
}

static void test_codec_encodes_nothing_that_it_would_not_decode(void **state) {
    fixture *f = *state;
    uint64_t seed = 3;
    expect_encode(f, &(iso_message){.kind = 0}, ISO_ERR_BAD_ENUM);
    expect_encode(f, &(iso_message){.kind = 255}, ISO_ERR_BAD_ENUM);

    iso_message m = {.kind = ISO_MESSAGE_CONFIRM, .as.confirm = {.tick = ISO_TICK_END}};
    expect_encode(f, &m, ISO_ERR_RANGE);

    m = (iso_message){.kind = ISO_MESSAGE_TICK, .as.tick = {.tick = 5, .hashed_tick = 6}};
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.as.tick = (iso_message_tick){.tick = 0};
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.as.tick =
        (iso_message_tick){.tick = 1, .commands = f->storage.sealed, .command_count = ISO_TICK_COMMANDS_MAX + 1};
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.as.tick = (iso_message_tick){.tick = 1, .changes = f->storage.changes, .change_count = 1};
    f->storage.changes[0] = (iso_change){.kind = 5};
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    f->storage.changes[0] = (iso_change){.kind = ISO_CHANGE_JOIN, .slot = 32};
    expect_encode(f, &m, ISO_ERR_RANGE);

    m = random_message(&seed, ISO_MESSAGE_HELLO, &f->storage);
    m.as.hello.role = 3;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    m = random_message(&seed, ISO_MESSAGE_HELLO, &f->storage);
    memset(m.as.hello.member, 'x', sizeof(m.as.hello.member));
    expect_encode(f, &m, ISO_ERR_RANGE);
    m = random_message(&seed, ISO_MESSAGE_HELLO, &f->storage);
    m.as.hello.compressions = ISO_COMPRESSION_ZSTD;
    expect_encode(f, &m, ISO_ERR_RANGE);

    m = random_message(&seed, ISO_MESSAGE_HELLO, &f->storage);
    m.as.hello.has_resume = true;
    m.as.hello.resume.slot = ISO_SLOT_COUNT_MAX;
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.as.hello.resume.slot = 0;
    m.as.hello.resume.tick = ISO_TICK_END;
    expect_encode(f, &m, ISO_ERR_RANGE);
    m = random_message(&seed, ISO_MESSAGE_WELCOME, &f->storage);
    m.as.welcome.resumed = 5;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    m = random_message(&seed, ISO_MESSAGE_WELCOME, &f->storage);
    m.as.welcome.late_policy = 0;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    m = random_message(&seed, ISO_MESSAGE_DESYNC_NOTICE, &f->storage);
    m.as.desync_notice.action = 5;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    m = random_message(&seed, ISO_MESSAGE_STATE_NOTICE, &f->storage);
    m.as.state_notice.state = 6;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    m = (iso_message){.kind = ISO_MESSAGE_SESSION_LIST,
                      .as.session_list = {.sessions = f->storage.sessions, .count = ISO_SESSION_LIST_MAX + 1}};
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.kind = ISO_MESSAGE_MEMBERS;
    m.as.members = (iso_message_members){.members = f->storage.members, .count = ISO_MEMBERS_MAX + 1};
    expect_encode(f, &m, ISO_ERR_RANGE);
    const iso_member player = {.role = ISO_ROLE_PLAYER, .slot = 31, .presence = ISO_PRESENCE_HERE, .name = "ada"};
    const iso_member spectator = {.role = ISO_ROLE_SPECTATOR, .slot = 63, .presence = ISO_PRESENCE_GONE};
    f->storage.members[0] = player;
    f->storage.members[1] = spectator;
    m.as.members.count = 2;
    expect_encode(f, &m, ISO_OK);
    f->storage.members[0].slot = 32;
    expect_encode(f, &m, ISO_ERR_RANGE);
    f->storage.members[0] = player;
    f->storage.members[1].slot = 64;
    expect_encode(f, &m, ISO_ERR_RANGE);
    f->storage.members[1] = player; // twice
    expect_encode(f, &m, ISO_ERR_MALFORMED);
    f->storage.members[0] = spectator;
    expect_encode(f, &m, ISO_ERR_MALFORMED);
    f->storage.members[0] = player;
    f->storage.members[1] = spectator;
    f->storage.members[1].presence = 4;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    f->storage.members[1] = spectator;
    f->storage.members[1].role = 3;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
    f->storage.members[1] = spectator;
    memset(f->storage.members[0].name, 'a', sizeof(f->storage.members[0].name));
    expect_encode(f, &m, ISO_ERR_RANGE);
    f->storage.members[0] = player;
    strcpy(f->storage.members[0].name, "a\x1b[2J"); // no control character reaches a terminal
    expect_encode(f, &m, ISO_ERR_MALFORMED);

    expect_names_are_checked(f);

    m = random_message(&seed, ISO_MESSAGE_SNAPSHOT_BEGIN, &f->storage);
    ++m.as.snapshot_begin.chunk_count;
    expect_encode(f, &m, ISO_ERR_RANGE);

    f->storage.commands[0] = random_command(&seed, ISO_COMMAND_SPAWN_BODY);
    m = (iso_message){
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {.target_tick = 1, .first_sequence = 1, .commands = f->storage.commands, .command_count = 1}};
    expect_encode(f, &m, ISO_OK);
    m.as.input.first_sequence = 0;
    expect_encode(f, &m, ISO_ERR_RANGE);
    m.as.input.first_sequence = 1;
    f->storage.commands[0].as.spawn_body.body.type = 9;
    expect_encode(f, &m, ISO_ERR_BAD_ENUM);
}

static void test_codec_names_its_kinds(void **state) {
    (void)state;
    assert_string_equal(iso_message_kind_name(ISO_MESSAGE_SNAPSHOT_ACK), "SNAPSHOT_ACK");
    assert_string_equal(iso_message_kind_name(0), "UNKNOWN");
    assert_string_equal(iso_session_state_name(ISO_SESSION_WAITING), "waiting");
    assert_string_equal(iso_session_state_name(ISO_SESSION_CLOSED), "closed");
    assert_string_equal(iso_session_state_name(0), "unknown");
    assert_string_equal(iso_session_state_name(6), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec_returns_every_field_of_every_kind),
        cmocka_unit_test(test_codec_returns_every_kind_of_command),
        cmocka_unit_test(test_codec_gives_equal_messages_equal_bytes),
        cmocka_unit_test(test_codec_keeps_the_size_bound_of_sealed_commands),
        cmocka_unit_test(test_codec_fits_a_tick_with_all_changes_into_the_base),
        cmocka_unit_test(test_codec_encodes_and_decodes_the_fullest_ticks),
        cmocka_unit_test(test_codec_passes_any_eight_commands_of_a_client),
        cmocka_unit_test(test_codec_tells_when_a_buffer_is_too_small),
        cmocka_unit_test(test_codec_encodes_nothing_that_it_would_not_decode),
        cmocka_unit_test(test_codec_names_its_kinds),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
