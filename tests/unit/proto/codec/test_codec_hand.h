/// Messages that are written by hand, byte by byte, for tests of what the codec refuses.
#ifndef TEST_CODEC_HAND_H
#define TEST_CODEC_HAND_H

#include "test_codec_util.h"

typedef struct fixture {
    test_storage storage;
    _Alignas(16) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
    _Alignas(16) uint8_t decode_memory[ISO_DECODE_MEMORY_FROM_SERVER];
    uint8_t bytes[2 * ISO_FRAME_MAX_SERVER];
    size_t size;
} fixture;

static inline int setup(void **state) {
    *state = calloc(1, sizeof(fixture));
    return *state == NULL;
}

static inline int teardown(void **state) {
    free(*state);
    return 0;
}

/// @name Writing protobuf by hand into the fixture
/// @{
static inline void put_varint(fixture *f, uint64_t value) {
    while (value >= 0x80) {
        f->bytes[f->size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    f->bytes[f->size++] = (uint8_t)value;
}

static inline void put_tag(fixture *f, uint32_t field, uint32_t wire_type) {
    put_varint(f, field << 3 | wire_type);
}

static inline void put_number(fixture *f, uint32_t field, uint64_t value) {
    put_tag(f, field, 0);
    put_varint(f, value);
}

static inline void put_fixed64(fixture *f, uint32_t field, uint64_t value) {
    put_tag(f, field, 1);
    for (int i = 0; i < 8; ++i) {
        f->bytes[f->size++] = (uint8_t)(value >> (8 * i));
    }
}

static inline void put_bytes(fixture *f, uint32_t field, const void *bytes, size_t size) {
    put_tag(f, field, 2);
    put_varint(f, size);
    if (size > 0) {
        memcpy(f->bytes + f->size, bytes, size);
    }
    f->size += size;
}

/// Puts everything written since `start` into a submessage.
static inline void wrap(fixture *f, size_t start, uint32_t field) {
    size_t size = f->size - start;
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, f->bytes + start, size);
    f->size = start;
    put_bytes(f, field, copy, size);
    free(copy);
}
/// @}

static inline iso_status decode_limited(fixture *f, const iso_decode_limits *limits, iso_message *message) {
    // A copy of exactly this size, so that a read beyond it is seen.
    uint8_t *copy = malloc(f->size + 1);
    memcpy(copy, f->bytes, f->size);
    iso_status status = iso_message_decode(copy, f->size, limits, f->decode_memory, sizeof(f->decode_memory), message);
    free(copy);
    return status;
}

/// As a server reads it, but for commands, which are checked here and by its session there.
static inline void expect(fixture *f, iso_status expected) {
    iso_decode_limits limits = iso_decode_limits_from_client();
    iso_message message;
    limits.commands = ISO_DECODE_COMMANDS_CHECKED;
    assert_string_equal(iso_status_name(decode_limited(f, &limits, &message)), iso_status_name(expected));
}

#endif
