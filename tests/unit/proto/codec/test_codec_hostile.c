/// The codec on bytes from an enemy: always an answer, the right one, and never memory beyond the caller's.
#include "test_codec_hand.h"

// The sanitizers bring a malloc of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS_ALLOCATIONS 0
#endif
#endif
#if defined(COUNTS_ALLOCATIONS)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
#endif

#if COUNTS_ALLOCATIONS
// The program's own malloc, which the shared protobuf-c then calls too.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
static unsigned long allocation_count;
void *malloc(size_t size) {
    ++allocation_count;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    ++allocation_count;
    return __libc_calloc(count, size);
}
void *realloc(void *pointer, size_t size) {
    ++allocation_count;
    return __libc_realloc(pointer, size);
}
#endif

static void put_ping(fixture *f) {
    size_t start = f->size;
    put_number(f, 1, 5);
    wrap(f, start, ISO_MESSAGE_PING);
}

static void test_codec_refuses_every_truncation(void **state) {
    fixture *f = *state;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    uint64_t seed = 21;
    for (size_t k = 0; k < MESSAGE_KIND_COUNT; ++k) {
        for (int round = 0; round < 5; ++round) {
            iso_message message = random_message(&seed, message_kinds[k], &f->storage);
            size_t full = 0;
            assert_int_equal(iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), f->bytes,
                                                sizeof(f->bytes), &full),
                             ISO_OK);
            // The envelope's only field has a length, so no beginning of it is a whole message.
            for (f->size = 0; f->size < full; ++f->size) {
                iso_message cut;
                assert_int_equal(decode_limited(f, &limits, &cut), ISO_ERR_MALFORMED);
            }
        }
    }
}

/// Whatever passes has valid content: it can be encoded, and comes back as it was.
static void test_codec_survives_mutation(void **state) {
    fixture *f = *state;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    uint64_t seed = 77;
    uint8_t *first = malloc(ISO_FRAME_MAX_SERVER);
    unsigned accepted = 0;
    for (int i = 0; i < ISO_TEST_MANY(60000); ++i) {
        iso_message message = random_message(&seed, message_kinds[(size_t)i % MESSAGE_KIND_COUNT], &f->storage);
        if (message.kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
            message.as.snapshot_chunk.size %= 64;
            message.as.snapshot_chunk.size += 1;
        }
        assert_int_equal(iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), f->bytes,
                                            sizeof(f->bytes), &f->size),
                         ISO_OK);
        for (uint64_t n = 1 + random_u64(&seed) % 3; n > 0; --n) {
            size_t at = (size_t)(random_u64(&seed) % f->size);
            uint64_t replaced = random_u64(&seed);
            uint64_t flipped = f->bytes[at] ^ (UINT64_C(1) << (random_u64(&seed) % 8));
            f->bytes[at] = (uint8_t)(random_u64(&seed) % 2 == 0 ? replaced : flipped);
        }
        iso_message mutant;
        if (decode_limited(f, &limits, &mutant) != ISO_OK) {
            continue;
        }
        ++accepted;
        size_t size = 0;
        assert_int_equal(
            iso_message_encode(&mutant, f->encode_memory, sizeof(f->encode_memory), first, ISO_FRAME_MAX_SERVER, &size),
            ISO_OK);
        memcpy(f->bytes, first, size);
        f->size = size;
        iso_message back;
        assert_int_equal(decode_limited(f, &limits, &back), ISO_OK);
        assert_int_equal(
            iso_message_encode(&back, f->encode_memory, sizeof(f->encode_memory), f->bytes, sizeof(f->bytes), &f->size),
            ISO_OK);
        assert_int_equal(f->size, size);
        assert_memory_equal(f->bytes, first, size);
    }
    free(first);
    assert_true(accepted > 1000);
}

static void test_codec_survives_noise(void **state) {
    fixture *f = *state;
    const iso_decode_limits limits = iso_decode_limits_from_client();
    uint64_t seed = 99;
    for (int i = 0; i < ISO_TEST_MANY(100000); ++i) {
        f->size = (size_t)(random_u64(&seed) % 64);
        random_bytes(&seed, f->bytes, f->size);
        iso_message message;
        (void)decode_limited(f, &limits, &message);
    }
}

static void test_codec_wants_exactly_one_member(void **state) {
    fixture *f = *state;
    f->size = 0;
    expect(f, ISO_ERR_MALFORMED);
    put_ping(f);
    expect(f, ISO_OK);
    size_t one = f->size;
    put_bytes(f, ISO_MESSAGE_LEAVE, "", 0);
    expect(f, ISO_ERR_MALFORMED);
    f->size = one;
    put_ping(f);
    expect(f, ISO_ERR_MALFORMED);

    // The same inside a command: two kinds, then none.
    f->size = 0;
    put_bytes(f, ISO_COMMAND_SET_CONTROL, "", 0);
    put_bytes(f, ISO_COMMAND_CUSTOM, "", 0);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_MALFORMED);
    f->size = 0;
    put_bytes(f, 4, "", 0);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_MALFORMED);
}

static void test_codec_refuses_a_field_that_comes_twice(void **state) {
    fixture *f = *state;
    f->size = 0;
    put_number(f, 1, 5);
    put_number(f, 1, 6);
    wrap(f, 0, ISO_MESSAGE_PING);
    expect(f, ISO_ERR_MALFORMED);
}

static void test_codec_tells_unknown_kinds_from_garbage(void **state) {
    fixture *f = *state;
    f->size = 0;
    put_bytes(f, 63, "abc", 3);
    expect(f, ISO_ERR_UNSUPPORTED);
    f->size = 0;
    put_bytes(f, 1000, "abc", 3);
    expect(f, ISO_ERR_UNSUPPORTED);
    f->size = 0;
    put_tag(f, 63, 3); // a group
    put_tag(f, 63, 4);
    expect(f, ISO_ERR_MALFORMED);
    f->size = 0;
    put_tag(f, 0, 0);
    put_varint(f, 1);
    expect(f, ISO_ERR_MALFORMED);
    f->size = 0;
    put_number(f, ISO_MESSAGE_PING, 1); // the right field, not as a message
    expect(f, ISO_ERR_MALFORMED);
}

static void test_codec_ignores_eight_unknown_fields(void **state) {
    fixture *f = *state;
    for (uint32_t count = 0; count <= 9; ++count) {
        f->size = 0;
        for (uint32_t i = 0; i < count; ++i) {
            switch (i % 4) {
            case 0:
                put_number(f, 100 + i, UINT64_MAX);
                break;
            case 1:
                put_fixed64(f, 100 + i, 1);
                break;
            case 2:
                put_bytes(f, 100 + i, "xyz", 3);
                break;
            default:
                put_tag(f, 100 + i, 5);
                f->size += 4;
                break;
            }
        }
        put_number(f, 1, 5);
        wrap(f, 0, ISO_MESSAGE_PING);
        expect(f, count <= 8 ? ISO_OK : ISO_ERR_DECODE_BUDGET);
    }
}

static void test_codec_refuses_unknown_fields_in_commands_and_ticks(void **state) {
    fixture *f = *state;
    // In a command's kind.
    f->size = 0;
    put_number(f, 9, 1);
    wrap(f, 0, ISO_COMMAND_SET_CONTROL);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_MALFORMED);
    // A kind of command that does not exist.
    f->size = 0;
    put_bytes(f, 40, "", 0);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_MALFORMED);
    // Beside a command it is ignored.
    f->size = 0;
    put_bytes(f, ISO_COMMAND_SET_CONTROL, "", 0);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    put_number(f, 50, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_OK);
    // In a tick, and in a change.
    f->size = 0;
    put_number(f, 2, 1);
    put_number(f, 50, 1);
    wrap(f, 0, ISO_MESSAGE_TICK);
    expect(f, ISO_ERR_MALFORMED);
    f->size = 0;
    put_number(f, 1, ISO_CHANGE_JOIN);
    put_number(f, 4, 1);
    wrap(f, 0, 3);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_TICK);
    expect(f, ISO_ERR_MALFORMED);
}

static void test_codec_checks_numbers_against_their_fields(void **state) {
    fixture *f = *state;
    f->size = 0;
    put_number(f, 1, (uint64_t)UINT32_MAX + 1); // Ping.id
    wrap(f, 0, ISO_MESSAGE_PING);
    expect(f, ISO_ERR_RANGE);
    f->size = 0;
    put_number(f, 4, 256); // Pong.fraction_q8
    wrap(f, 0, ISO_MESSAGE_PONG);
    expect(f, ISO_ERR_RANGE);
    f->size = 0;
    put_number(f, 1, ISO_TICK_END); // Confirm.tick
    wrap(f, 0, ISO_MESSAGE_CONFIRM);
    expect(f, ISO_ERR_RANGE);
    f->size = 0;
    put_number(f, 2, 2); // JointDef.collide_connected
    wrap(f, 0, 1);
    wrap(f, 0, ISO_COMMAND_CREATE_JOINT);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_RANGE);
    f->size = 0;
    memset(f->bytes, 0xFF, 16); // a number without an end
    f->bytes[0] = 0x08;
    f->size = 12;
    wrap(f, 0, ISO_MESSAGE_PING);
    expect(f, ISO_ERR_MALFORMED);
}

static void put_hello(fixture *f, uint64_t role, const char *member, size_t member_size) {
    f->size = 0;
    put_bytes(f, 5, "", 0);
    put_number(f, 1, 1);
    put_number(f, 2, 1);
    put_number(f, 3, role);
    put_number(f, 4, 1);
    put_bytes(f, 6, "main", 4);
    put_bytes(f, 7, member, member_size);
    wrap(f, 0, ISO_MESSAGE_HELLO);
}

static void test_codec_refuses_unknown_enumerators(void **state) {
    fixture *f = *state;
    const uint64_t bad[] = {0, 3, 255, 257, UINT64_C(0x100000001), UINT64_MAX};
    put_hello(f, ISO_ROLE_PLAYER, "m", 1);
    expect(f, ISO_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        put_hello(f, bad[i], "m", 1);
        expect(f, ISO_ERR_BAD_ENUM);
    }
}

/// Who claims to come back names itself completely.
static void test_codec_wants_a_whole_resume(void **state) {
    fixture *f = *state;
    static const uint8_t bytes[17] = {0};
    static const struct {
        size_t uid_size, secret_size;
        uint64_t slot;
        iso_status expected;
    } cases[] = {
        {16, 16, 31, ISO_OK},           {15, 16, 0, ISO_ERR_MALFORMED}, {17, 16, 0, ISO_ERR_MALFORMED},
        {16, 15, 0, ISO_ERR_MALFORMED}, {16, 0, 0, ISO_ERR_MALFORMED},  {16, 16, 32, ISO_ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        f->size = 0;
        put_bytes(f, 1, bytes, cases[i].uid_size);
        put_number(f, 2, cases[i].slot);
        put_bytes(f, 4, bytes, cases[i].secret_size);
        wrap(f, 0, 9);
        put_bytes(f, 5, "", 0);
        put_number(f, 1, 1);
        put_number(f, 2, 1);
        put_number(f, 3, ISO_ROLE_PLAYER);
        put_number(f, 4, 1);
        put_bytes(f, 6, "main", 4);
        wrap(f, 0, ISO_MESSAGE_HELLO);
        expect(f, cases[i].expected);
    }
}

static void test_codec_refuses_text_that_is_not_text(void **state) {
    fixture *f = *state;
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {
        {"a\0b", 3},
        {"\n", 1},
        {"\x7F", 1},
        {"\x80", 1},
        {"\xC3", 1},
        {"\xC0\xAF", 2},
        {"\xC1\xBF", 2},
        {"\xE0\x80\x80", 3},
        {"\xED\xA0\x80", 3},
        {"\xF4\x90\x80\x80", 4},
        {"\xF5\x80\x80\x80", 4},
        {"\xC2\x85", 2},
        {"\xE2\x82", 2},
        {"\xFF", 1},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        put_hello(f, ISO_ROLE_PLAYER, bad[i].bytes, bad[i].size);
        expect(f, ISO_ERR_MALFORMED);
    }
    static const char good[] = "Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x8E\xAE";
    put_hello(f, ISO_ROLE_PLAYER, good, sizeof(good) - 1);
    expect(f, ISO_OK);
    put_hello(f, ISO_ROLE_PLAYER, "0123456789012345678901234567890", 31);
    expect(f, ISO_OK);
    put_hello(f, ISO_ROLE_PLAYER, "01234567890123456789012345678901", 32);
    expect(f, ISO_ERR_RANGE);
}

static void test_codec_wants_required_messages(void **state) {
    fixture *f = *state;
    f->size = 0;
    put_number(f, 1, 1);
    put_number(f, 2, 1);
    put_number(f, 3, 1);
    put_number(f, 4, 1);
    put_bytes(f, 6, "main", 4);
    wrap(f, 0, ISO_MESSAGE_HELLO);
    expect(f, ISO_ERR_MALFORMED);
    const uint8_t kinds[] = {ISO_COMMAND_SPAWN_BODY, ISO_COMMAND_CREATE_SHAPE, ISO_COMMAND_CREATE_JOINT,
                             ISO_COMMAND_SET_FILTER};
    for (size_t i = 0; i < sizeof(kinds); ++i) {
        f->size = 0;
        put_bytes(f, kinds[i], "", 0);
        wrap(f, 0, 4);
        put_number(f, 2, 1);
        wrap(f, 0, ISO_MESSAGE_INPUT);
        expect(f, ISO_ERR_MALFORMED);
    }
}

static void test_codec_checks_every_command(void **state) {
    fixture *f = *state;
    uint64_t seed = 8;
    f->storage.commands[0] = random_command(&seed, ISO_COMMAND_SET_VELOCITY);
    f->storage.commands[0].as.set_velocity.velocity.x = 512 * ISO_WIDE_ONE;
    iso_message message = {
        .kind = ISO_MESSAGE_INPUT,
        .as.input = {.target_tick = 1, .first_sequence = 1, .commands = f->storage.commands, .command_count = 1}};
    assert_int_equal(
        iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), f->bytes, sizeof(f->bytes), &f->size),
        ISO_OK);
    expect(f, ISO_OK);
    f->size = 0;
    put_fixed64(f, 1, 1);
    put_number(f, 2, 2 * (uint64_t)(600 * ISO_WIDE_ONE)); // zigzag of 600 m/s
    wrap(f, 0, ISO_COMMAND_SET_VELOCITY);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_RANGE);
    // A server leaves that to the session.
    const iso_decode_limits limits = iso_decode_limits_from_client();
    assert_int_equal(decode_limited(f, &limits, &message), ISO_OK);
    assert_true(message.as.input.commands[0].as.set_velocity.velocity.x == 600 * ISO_WIDE_ONE);
    f->size = 0;
    uint8_t block[33] = {0};
    put_bytes(f, 1, block, sizeof(block));
    wrap(f, 0, ISO_COMMAND_SET_CONTROL);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    expect(f, ISO_ERR_RANGE);
}

static void test_codec_limits_nesting(void **state) {
    fixture *f = *state;
    iso_decode_limits limits = iso_decode_limits_from_client();
    // Envelope, Input, Command, SpawnBody, ShapeDef, Filter: 6 deep, and no type nests deeper.
    f->size = 0;
    put_number(f, 1, 1);
    wrap(f, 0, 6);
    wrap(f, 0, 2);
    wrap(f, 0, ISO_COMMAND_SPAWN_BODY);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
    iso_message message;
    for (limits.depth_max = 0; limits.depth_max < 6; ++limits.depth_max) {
        assert_int_equal(decode_limited(f, &limits, &message), ISO_ERR_DECODE_BUDGET);
    }
    assert_int_equal(decode_limited(f, &limits, &message), ISO_ERR_MALFORMED); // no body
    // 1,000 messages in one another, in a field that nobody knows, cost nothing.
    f->size = 0;
    for (int i = 0; i < 1000; ++i) {
        wrap(f, 0, 1);
    }
    wrap(f, 0, 99);
    put_number(f, 1, 5);
    wrap(f, 0, ISO_MESSAGE_PING);
    expect(f, ISO_OK);
}

/// The frames that make a small message as expensive as it can be.
static void put_bomb(fixture *f, int kind, size_t size) {
    f->size = 0;
    switch (kind) {
    case 0: // the smallest commands
        while (f->size < size) {
            size_t start = f->size;
            put_bytes(f, ISO_COMMAND_CUSTOM, "", 0);
            wrap(f, start, 4);
        }
        wrap(f, 0, ISO_MESSAGE_INPUT);
        break;
    case 1: // empty changes
        while (f->size < size) {
            put_bytes(f, 3, "", 0);
        }
        wrap(f, 0, ISO_MESSAGE_TICK);
        break;
    case 2: // points, one by one
        while (f->size < size) {
            put_number(f, 7, 0);
        }
        wrap(f, 0, 2);
        wrap(f, 0, ISO_COMMAND_CREATE_SHAPE);
        wrap(f, 0, 4);
        wrap(f, 0, ISO_MESSAGE_INPUT);
        break;
    case 3: // points, packed
        memset(f->bytes, 0, size);
        f->size = size;
        wrap(f, 0, 7);
        wrap(f, 0, 2);
        wrap(f, 0, ISO_COMMAND_CREATE_SHAPE);
        wrap(f, 0, 4);
        put_number(f, 2, 1);
        wrap(f, 0, ISO_MESSAGE_INPUT);
        break;
    default: // small unknown fields
        while (f->size < size) {
            put_number(f, 15, 0);
        }
        wrap(f, 0, ISO_MESSAGE_PING);
        break;
    }
}

static void test_codec_answers_bombs_from_its_own_memory(void **state) {
    fixture *f = *state;
    const iso_decode_limits client = iso_decode_limits_from_client();
    const iso_decode_limits server = iso_decode_limits_from_server();
    for (int kind = 0; kind < 5; ++kind) {
        iso_message message;
        put_bomb(f, kind, 4000);
        iso_status status =
            iso_message_decode(f->bytes, f->size, &client, f->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &message);
        assert_int_equal(status, kind == 3 ? ISO_ERR_MALFORMED : ISO_ERR_DECODE_BUDGET);
        put_bomb(f, kind, 65000);
        status = iso_message_decode(f->bytes, f->size, &server, f->decode_memory, sizeof(f->decode_memory), &message);
        assert_int_equal(status, kind == 3 ? ISO_ERR_MALFORMED : ISO_ERR_DECODE_BUDGET);
        put_bomb(f, kind, ISO_FRAME_MAX_SERVER);
        status = iso_message_decode(f->bytes, f->size, &server, f->decode_memory, sizeof(f->decode_memory), &message);
        assert_int_equal(status, ISO_ERR_FRAME_TOO_LARGE);
    }
}

/// The memory's end is found at every place where something is taken from it.
static void test_codec_gives_up_when_memory_ends(void **state) {
    fixture *f = *state;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    uint64_t seed = 31;
    for (size_t k = 0; k < MESSAGE_KIND_COUNT; ++k) {
        iso_message message = random_message(&seed, message_kinds[k], &f->storage);
        assert_int_equal(iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), f->bytes,
                                            sizeof(f->bytes), &f->size),
                         ISO_OK);
        iso_status status = ISO_ERR_DECODE_BUDGET;
        size_t memory_size = 0;
        while (status != ISO_OK) {
            iso_message back;
            uint8_t *memory = aligned_alloc(16, memory_size + 16);
            // Only what is promised is used: what lies behind stays as it was.
            memset(memory + memory_size, 0xEE, 16);
            status = iso_message_decode(f->bytes, f->size, &limits, memory, memory_size, &back);
            assert_true(status == ISO_OK || status == ISO_ERR_DECODE_BUDGET);
            for (int i = 0; i < 16; ++i) {
                assert_int_equal(memory[memory_size + (size_t)i], 0xEE);
            }
            if (status == ISO_OK) {
                assert_messages_equal(&message, &back);
            }
            free(memory);
            memory_size += memory_size < 4096 ? 16 : 1024;
            assert_true(memory_size <= ISO_DECODE_MEMORY_FROM_SERVER);
        }
    }
}

static void test_codec_never_touches_the_heap(void **state) {
#if !COUNTS_ALLOCATIONS
    (void)state;
    skip();
#else
    fixture *f = *state;
    const iso_decode_limits limits = iso_decode_limits_from_server();
    uint64_t seed = 41;
    free(malloc(1));
    assert_true(allocation_count > 0);
    for (int i = 0; i < 2000; ++i) {
        iso_message message = random_message(&seed, message_kinds[(size_t)i % MESSAGE_KIND_COUNT], &f->storage);
        unsigned long before = allocation_count;
        iso_message back;
        iso_status encoded = iso_message_encode(&message, f->encode_memory, sizeof(f->encode_memory), f->bytes,
                                                sizeof(f->bytes), &f->size);
        iso_status decoded =
            iso_message_decode(f->bytes, f->size, &limits, f->decode_memory, sizeof(f->decode_memory), &back);
        unsigned long after = allocation_count;
        assert_int_equal(encoded, ISO_OK);
        assert_int_equal(decoded, ISO_OK);
        assert_int_equal(after - before, 0);
    }
    for (int kind = 0; kind < 5; ++kind) {
        put_bomb(f, kind, 65000);
        unsigned long before = allocation_count;
        iso_message back;
        (void)iso_message_decode(f->bytes, f->size, &limits, f->decode_memory, sizeof(f->decode_memory), &back);
        assert_int_equal(allocation_count - before, 0);
    }
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec_refuses_every_truncation),
        cmocka_unit_test(test_codec_survives_mutation),
        cmocka_unit_test(test_codec_survives_noise),
        cmocka_unit_test(test_codec_wants_exactly_one_member),
        cmocka_unit_test(test_codec_refuses_a_field_that_comes_twice),
        cmocka_unit_test(test_codec_tells_unknown_kinds_from_garbage),
        cmocka_unit_test(test_codec_ignores_eight_unknown_fields),
        cmocka_unit_test(test_codec_refuses_unknown_fields_in_commands_and_ticks),
        cmocka_unit_test(test_codec_checks_numbers_against_their_fields),
        cmocka_unit_test(test_codec_refuses_unknown_enumerators),
        cmocka_unit_test(test_codec_wants_a_whole_resume),
        cmocka_unit_test(test_codec_refuses_text_that_is_not_text),
        cmocka_unit_test(test_codec_wants_required_messages),
        cmocka_unit_test(test_codec_checks_every_command),
        cmocka_unit_test(test_codec_limits_nesting),
        cmocka_unit_test(test_codec_answers_bombs_from_its_own_memory),
        cmocka_unit_test(test_codec_gives_up_when_memory_ends),
        cmocka_unit_test(test_codec_never_touches_the_heap),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
