/// Entry of the codec: from plain structs to an envelope's bytes and back.
///
/// Both ways go through protobuf-c's structs in the caller's memory: pack_ and unpack_ functions per
/// kind move values between them and our structs, if they fit; check.c checks every range.
#include <string.h>

#include "codec/check.h"
#include "codec/internal.h"
#include "wire/utf8.h"

const char *iso_message_kind_name(uint8_t kind) {
    switch (kind) {
#define NAME_CASE(name, number, snake) \
    case ISO_MESSAGE_##name:           \
        return #name;
        ISO_MESSAGE_KIND_LIST(NAME_CASE)
#undef NAME_CASE
    default:
        return "UNKNOWN";
    }
}

const char *iso_session_state_name(uint8_t state) {
    switch (state) {
#define STATE_CASE(name, number, word) \
    case ISO_SESSION_##name:           \
        return word;
        ISO_SESSION_STATE_LIST(STATE_CASE)
#undef STATE_CASE
    default:
        return "unknown";
    }
}

bool iso_member_name_is_valid(const char *name) {
    ISO_ASSERT(name != NULL);
    const size_t size = strlen(name);
    return size <= ISO_MEMBER_NAME_MAX && iso__utf8_is_text((const uint8_t *)name, size);
}

bool iso_password_is_valid(const char *password) {
    ISO_ASSERT(password != NULL);
    const size_t size = strlen(password);
    return size <= ISO_PASSWORD_MAX && iso__utf8_is_text((const uint8_t *)password, size);
}

#define SAME_NUMBER(name, number, snake) \
    _Static_assert((int)ISOSTEP__V1__ENVELOPE__MESSAGE_##name == (number), "numbers differ: " #name);
ISO_MESSAGE_KIND_LIST(SAME_NUMBER)
#undef SAME_NUMBER

static iso_status encode_pack(iso__codec_arena *arena, const iso_message *message, Isostep__V1__Envelope *envelope) {
    switch (message->kind) {
#define PACK_CASE(name, number, snake)                                         \
    case ISO_MESSAGE_##name:                                                   \
        envelope->message_case = (Isostep__V1__Envelope__MessageCase)(number); \
        return iso__codec_##snake##_pack(arena, &message->as.snake, envelope);
        ISO_MESSAGE_KIND_LIST(PACK_CASE)
#undef PACK_CASE
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

iso_status iso_message_encode(const iso_message *message, void *memory, size_t memory_size, uint8_t *bytes,
                              size_t capacity, size_t *size) {
    ISO_ASSERT(size != NULL && (bytes != NULL || capacity == 0));
    iso__codec_arena arena;
    iso__codec_arena_init(&arena, memory, memory_size);
    Isostep__V1__Envelope envelope;
    isostep__v1__envelope__init(&envelope);
    ISO__TRY(iso_message_check(message));
    ISO__TRY(encode_pack(&arena, message, &envelope));

    size_t needed = isostep__v1__envelope__get_packed_size(&envelope);
    if (needed > capacity) {
        return ISO_ERR_BUFFER;
    }
    *size = isostep__v1__envelope__pack(&envelope, bytes);
    ISO_ASSERT(*size == needed);
    return ISO_OK;
}

static iso_status decode_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope, iso_message *message) {
    switch ((int)envelope->message_case) {
#define UNPACK_CASE(name, number, snake)    \
    case ISO_MESSAGE_##name:                \
        message->kind = ISO_MESSAGE_##name; \
        return iso__codec_##snake##_unpack(arena, envelope, &message->as.snake);
        ISO_MESSAGE_KIND_LIST(UNPACK_CASE)
#undef UNPACK_CASE
    default:
        return ISO_ERR_UNSUPPORTED;
    }
}

iso_status iso_message_decode(const uint8_t *bytes, size_t size, const iso_decode_limits *limits, void *memory,
                              size_t memory_size, iso_message *message) {
    ISO_ASSERT(message != NULL && (bytes != NULL || size == 0) && limits->commands <= ISO_DECODE_COMMANDS_COUNTED);
    if (limits->commands == ISO_DECODE_COMMANDS_COUNTED && iso_message_peek(bytes, size, limits) == ISO_MESSAGE_INPUT) {
        return iso__codec_count(bytes, size, limits, message);
    }
    ISO__TRY(iso__codec_prescan(bytes, size, limits));

    iso__codec_arena arena;
    iso__codec_arena_init(&arena, memory, memory_size);
    ProtobufCAllocator allocator = iso__codec_arena_allocator(&arena);
    const Isostep__V1__Envelope *envelope = isostep__v1__envelope__unpack(&allocator, size, bytes);
    if (envelope == NULL) {
        return arena.is_exhausted ? ISO_ERR_DECODE_BUDGET : ISO_ERR_MALFORMED;
    }
    const iso_status status = decode_unpack(&arena, envelope, message);
    if (status != ISO_OK) {
        return status == ISO_ERR_BUFFER ? ISO_ERR_DECODE_BUDGET : status;
    }
    return limits->commands == ISO_DECODE_COMMANDS_CHECKED ? iso_message_check(message)
                                                           : iso__message_check_but_commands(message);
}
