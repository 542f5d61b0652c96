/// What a host learns of an envelope before it decides how much of it to decode.
///
/// Decoding an INPUT costs hundreds of times what an empty one does. Who may not send one, or may send no commands,
/// must not have that done for it.
#include "codec/check.h"
#include "codec/internal.h"
#include "codec/reader.h"

// The fields of Input.
#define INPUT_NUMBER_FIRST 1u
#define INPUT_NUMBER_LAST  3u
#define INPUT_COMMANDS     4u

static bool read_tag(iso__reader *r, uint32_t *field, uint32_t *wire_type) {
    uint64_t tag;
    if (!iso__read_varint(r, 5, &tag) || tag > UINT32_MAX || tag >> 3 == 0) {
        return false;
    }
    *field = (uint32_t)tag >> 3;
    *wire_type = (uint32_t)tag & 7;
    return true;
}

static bool is_kind(uint32_t field) {
    switch (field) {
#define KIND_CASE(name, number, snake) case ISO_MESSAGE_##name:
        ISO_MESSAGE_KIND_LIST(KIND_CASE)
#undef KIND_CASE
        return true;
    default:
        return false;
    }
}

uint8_t iso_message_peek(const uint8_t *bytes, size_t size, const iso_decode_limits *limits) {
    ISO_ASSERT(bytes != NULL || size == 0);
    iso__reader r = {bytes, bytes + size};
    uint32_t field, wire_type;
    for (uint32_t i = 0; i <= limits->unknown_max && r.at < r.end; ++i) {
        if (!read_tag(&r, &field, &wire_type)) {
            return 0;
        }
        if (is_kind(field)) {
            return wire_type == ISO__WIRE_BYTES ? (uint8_t)field : 0;
        }
        if (!iso__skip_value(&r, wire_type)) {
            return 0;
        }
    }
    return 0;
}

/// Reads an Input's own numbers and counts its commands.
static iso_status count_input(iso__reader r, uint32_t *unknown_left, iso_message_input *m) {
    uint64_t *const numbers[] = {NULL, &m->target_tick, &m->first_sequence, &m->ack_tick};
    uint32_t seen = 0, field, wire_type;
    iso__reader part;
    uint64_t number;
    *m = (iso_message_input){0};
    while (r.at < r.end) {
        if (!read_tag(&r, &field, &wire_type)) {
            return ISO_ERR_MALFORMED;
        }
        if (field >= INPUT_NUMBER_FIRST && field <= INPUT_NUMBER_LAST) {
            if (wire_type != ISO__WIRE_VARINT || (seen & 1u << field) != 0 ||
                !iso__read_varint(&r, 10, numbers[field])) {
                return ISO_ERR_MALFORMED;
            }
            seen |= 1u << field;
        } else if (field == INPUT_COMMANDS) {
            if (wire_type != ISO__WIRE_BYTES || !iso__read_varint(&r, 5, &number) ||
                !iso__read_bytes(&r, number, &part)) {
                return ISO_ERR_MALFORMED;
            }
            if (++m->command_count > ISO_INPUT_COMMANDS_MAX) {
                return ISO_ERR_DECODE_BUDGET;
            }
        } else if (!iso__skip_value(&r, wire_type)) {
            return ISO_ERR_MALFORMED;
        } else if ((*unknown_left)-- == 0) {
            return ISO_ERR_DECODE_BUDGET;
        }
    }
    m->first_sequence = m->command_count > 0 ? m->first_sequence : 0;
    return ISO_OK;
}

iso_status iso__codec_count(const uint8_t *bytes, size_t size, const iso_decode_limits *limits, iso_message *message) {
    ISO_ASSERT(bytes != NULL || size == 0);
    if (size > limits->size_max) {
        return ISO_ERR_FRAME_TOO_LARGE;
    }
    iso__reader r = {bytes, bytes + size}, part;
    uint32_t unknown_left = limits->unknown_max, field, wire_type;
    bool has_input = false;
    uint64_t number;
    while (r.at < r.end) {
        if (!read_tag(&r, &field, &wire_type)) {
            return ISO_ERR_MALFORMED;
        }
        if (!is_kind(field)) {
            if (!iso__skip_value(&r, wire_type)) {
                return ISO_ERR_MALFORMED;
            }
            if (unknown_left-- == 0) {
                return ISO_ERR_DECODE_BUDGET;
            }
            continue;
        }
        if (field != ISO_MESSAGE_INPUT || has_input || wire_type != ISO__WIRE_BYTES ||
            !iso__read_varint(&r, 5, &number) || !iso__read_bytes(&r, number, &part)) {
            return ISO_ERR_MALFORMED;
        }
        has_input = true;
        ISO__TRY(count_input(part, &unknown_left, &message->as.input));
    }
    message->kind = ISO_MESSAGE_INPUT;
    return has_input ? iso__message_check_but_commands(message) : ISO_ERR_MALFORMED;
}
