/// Attacks on frames, messages and the handshake (griefer.h).
#include <stdio.h>
#include <string.h>

#include "griefer.h"

#define ANSWER_MS 3000

/// Sends bytes as the first ones of a connection.
static iso_status strike_first(iso__cli_griefer *g, const void *bytes, size_t size) {
    iso__cli_link *link = iso__cli_link_open(&g->links);
    const iso_status answer = link != NULL && iso__cli_link_write(link, bytes, size)
                                  ? iso__cli_griefer_end_of(g, link, ANSWER_MS, false)
                                  : ISO_ERR_CONNECTION;
    iso__cli_link_close(link);
    return answer;
}

/// Sends bytes `times` times behind a Welcome.
static iso_status strike_welcomed(iso__cli_griefer *g, const void *bytes, size_t size, uint32_t times,
                                  bool rejects_count) {
    iso__cli_link *link = iso__cli_link_open(&g->links);
    iso_message message = iso__cli_link_hello(g->session, ISO_ROLE_SPECTATOR);
    iso_status answer = ISO_ERR_CONNECTION;
    if (link != NULL && iso__cli_link_send(link, &message) && iso__cli_griefer_read(g, link, &message, ANSWER_MS) &&
        message.kind == ISO_MESSAGE_WELCOME) {
        for (uint32_t i = 0; i < times; ++i) {
            (void)iso__cli_link_write(link, bytes, size);
        }
        answer = iso__cli_griefer_end_of(g, link, ANSWER_MS, rejects_count);
    }
    iso__cli_link_close(link);
    return answer;
}

/// Sends bytes as a member: what may be sent only by one is looked at only then.
static iso_status strike_joined(iso__cli_griefer *g, const void *bytes, size_t size) {
    iso__cli_member member;
    iso_status answer = ISO_ERR_JOIN_TIMEOUT;
    if (iso__cli_member_join(g, &member, "griefer")) {
        answer = iso__cli_link_write(member.link, bytes, size) ? iso__cli_member_wait_end(g, &member, ANSWER_MS)
                                                               : ISO_ERR_CONNECTION;
    }
    iso__cli_member_leave(g, &member);
    return answer;
}

static iso_status strike_message(iso__cli_griefer *g, const iso_message *message) {
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    return strike_welcomed(g, frame, iso__cli_frame_make(message, frame, sizeof(frame)), 1, true);
}

// ---- frames -----------------------------------------------------------------------------------------

static iso_status attack_large_first_frame(iso__cli_griefer *g) {
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    return strike_first(g, header, iso_frame_header_write(header, ISO_FRAME_MAX_HELLO + 1));
}

static iso_status attack_large_frame(iso__cli_griefer *g) {
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    return strike_welcomed(g, header, iso_frame_header_write(header, ISO_FRAME_MAX_CLIENT + 1), 1, false);
}

static iso_status attack_empty_frame(iso__cli_griefer *g) {
    const uint8_t zero = 0;
    return strike_first(g, &zero, 1);
}

static iso_status attack_endless_size(iso__cli_griefer *g) {
    const uint8_t bytes[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    return strike_first(g, bytes, sizeof(bytes));
}

static iso_status attack_garbage(iso__cli_griefer *g) {
    const uint8_t bytes[] = {16, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    return strike_first(g, bytes, sizeof(bytes));
}

static iso_status attack_garbage_later(iso__cli_griefer *g) {
    const uint8_t bytes[] = {4, 0x0F, 0xFF, 0xFF, 0xFF};
    return strike_welcomed(g, bytes, sizeof(bytes), 1, false);
}

/// A whole frame around `count` copies of `part`, behind `head`.
static size_t frame_repeat(uint8_t *frame, const uint8_t *part, size_t part_size, uint32_t count) {
    const size_t header_size = iso_frame_header_write(frame, (uint32_t)(part_size * count));
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(frame + header_size + i * part_size, part, part_size);
    }
    return header_size + part_size * count;
}

static iso_status attack_many_fields(iso__cli_griefer *g) {
    // A field that no version knows, as a varint, again and again.
    static const uint8_t part[] = {0xF8, 0x7F, 1};
    uint8_t frame[ISO_FRAME_MAX_CLIENT + ISO_FRAME_HEADER_SIZE_MAX];
    return strike_welcomed(g, frame, frame_repeat(frame, part, sizeof(part), 400), 1, false);
}

static iso_status attack_deep_groups(iso__cli_griefer *g) {
    // The begin of a group, the one way to nest without end: this standard has none.
    static const uint8_t part[] = {0xFB, 0x7F};
    uint8_t frame[ISO_FRAME_MAX_CLIENT + ISO_FRAME_HEADER_SIZE_MAX];
    return strike_welcomed(g, frame, frame_repeat(frame, part, sizeof(part), 2000), 1, false);
}

static iso_status attack_many_commands(iso__cli_griefer *g) {
    // Input { commands { set_control {} } … }: 65 of them.
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    uint8_t body[3 + 65 * 4];
    size_t size = 0;
    body[size++] = 1 << 3 | 2;
    body[size++] = 0x80 | (65 * 4 & 0x7F);
    body[size++] = 65 * 4 >> 7;
    for (uint32_t i = 0; i < 65; ++i) {
        const uint8_t command[] = {4 << 3 | 2, 2, 1 << 3 | 2, 0};
        memcpy(body + size, command, sizeof(command));
        size += sizeof(command);
    }
    return strike_joined(g, frame, frame_repeat(frame, body, size, 1));
}

static iso_status attack_unknown_kind(iso__cli_griefer *g) {
    const uint8_t frame[] = {3, 0xBA, 0x3E, 0}; // field 999, empty
    return strike_welcomed(g, frame, sizeof(frame), 1, true);
}

static iso_status attack_unknown_kind_thrice(iso__cli_griefer *g) {
    const uint8_t frame[] = {3, 0xBA, 0x3E, 0};
    return strike_welcomed(g, frame, sizeof(frame), 3, false);
}

static iso_status attack_unknown_enum(iso__cli_griefer *g) {
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    const iso_message hello = iso__cli_link_hello(g->session, ISO_ROLE_PLAYER);
    const size_t size = iso__cli_frame_make(&hello, frame, sizeof(frame));
    // The one protocol as the lowest and the highest, role 1: the role becomes 9.
    static const uint8_t before[] = {0x08, ISO_PROTOCOL_VERSION, 0x10, ISO_PROTOCOL_VERSION, 0x18, 1};
    for (size_t i = 0; i + sizeof(before) <= size; ++i) {
        if (memcmp(frame + i, before, sizeof(before)) == 0) {
            frame[i + 5] = 9;
            break;
        }
    }
    return strike_first(g, frame, size);
}

// ---- the handshake ----------------------------------------------------------------------------------

static iso_status strike_hello(iso__cli_griefer *g, const iso_message *hello) {
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    return strike_first(g, frame, iso__cli_frame_make(hello, frame, sizeof(frame)));
}

static iso_status attack_unknown_session(iso__cli_griefer *g) {
    const iso_message hello = iso__cli_link_hello("there-is-no-such-session", ISO_ROLE_PLAYER);
    return strike_hello(g, &hello);
}

static iso_status attack_other_protocol(iso__cli_griefer *g) {
    iso_message hello = iso__cli_link_hello(g->session, ISO_ROLE_PLAYER);
    hello.as.hello.protocol_min = hello.as.hello.protocol_max = ISO_PROTOCOL_VERSION + 1000;
    return strike_hello(g, &hello);
}

static iso_status attack_other_arithmetic(iso__cli_griefer *g) {
    iso_message hello = iso__cli_link_hello(g->session, ISO_ROLE_PLAYER);
    const iso_world_def def = iso_world_def_default();
    iso_fingerprint_make(&def, NULL, &hello.as.hello.fingerprint);
    hello.as.hello.fingerprint.arithmetic ^= 1;
    return strike_hello(g, &hello);
}

static iso_status attack_first_is_no_hello(iso__cli_griefer *g) {
    uint8_t frame[ISO_FRAME_MAX_CLIENT];
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    return strike_first(g, frame, iso__cli_frame_make(&ping, frame, sizeof(frame)));
}

static iso_status attack_second_hello(iso__cli_griefer *g) {
    const iso_message hello = iso__cli_link_hello(g->session, ISO_ROLE_SPECTATOR);
    return strike_message(g, &hello);
}

static iso_status attack_servers_message(iso__cli_griefer *g) {
    const iso_message bye = {.kind = ISO_MESSAGE_BYE};
    return strike_message(g, &bye);
}

static iso_status attack_input_too_soon(iso__cli_griefer *g) {
    iso_message input = {.kind = ISO_MESSAGE_INPUT};
    input.as.input.target_tick = 1;
    return strike_message(g, &input);
}

/// Tries to resume as the witness, with one part of the proof wrong. @param text  of the refusal
static iso_status guess(iso__cli_griefer *g, uint32_t part, char text[ISO_DETAIL_TEXT_MAX + 1]) {
    const iso_message_welcome *welcome = iso_client_welcome(g->witness.client);
    iso__cli_link *link = iso__cli_link_open(&g->links);
    iso_message message = iso__cli_link_hello(g->session, ISO_ROLE_PLAYER);
    iso_message_hello *hello = &message.as.hello;
    iso_status answer = ISO_ERR_CONNECTION;
    hello->has_resume = true;
    memcpy(hello->resume.uid, welcome->uid, sizeof(welcome->uid));
    memcpy(hello->resume.secret, welcome->secret, sizeof(welcome->secret));
    hello->resume.slot = welcome->slot;
    hello->resume.slot_generation = welcome->slot_generation;
    hello->resume.epoch = welcome->epoch;
    hello->resume.tick = iso_client_tick(g->witness.client);
    hello->resume.secret[15] ^= part == 0;
    hello->resume.uid[0] ^= part == 1;
    hello->resume.slot ^= part == 2;
    hello->resume.slot_generation ^= part == 3;
    if (link != NULL && iso__cli_link_send(link, &message) && iso__cli_griefer_read(g, link, &message, ANSWER_MS)) {
        const bool refused = message.kind == ISO_MESSAGE_REFUSAL;
        answer = refused ? message.as.refusal.code : ISO_OK;
        snprintf(text, ISO_DETAIL_TEXT_MAX + 1, "%s", refused ? message.as.refusal.text : "");
    }
    iso__cli_link_close(link);
    return answer;
}

static iso_status attack_guess_secret(iso__cli_griefer *g) {
    char first[ISO_DETAIL_TEXT_MAX + 1] = "", text[ISO_DETAIL_TEXT_MAX + 1] = "";
    iso_status answer = guess(g, 0, first);
    for (uint32_t part = 1; part < 4; ++part) {
        const iso_status other = guess(g, part, text);
        // An answer that differs would reveal which part was right.
        if (other != answer || strcmp(text, first) != 0) {
            return other != answer ? other : ISO_OK;
        }
    }
    return answer;
}

const iso__cli_attack iso__cli_attacks_stream[] = {
    {"first frame larger than 1,280 bytes", ISO_ERR_FRAME_TOO_LARGE, ISO_ERR_FRAME_TOO_LARGE, attack_large_first_frame},
    {"frame larger than 4 KiB", ISO_ERR_FRAME_TOO_LARGE, ISO_ERR_FRAME_TOO_LARGE, attack_large_frame},
    {"empty frame", ISO_ERR_MALFORMED, ISO_ERR_MALFORMED, attack_empty_frame},
    {"size without an end", ISO_ERR_MALFORMED, ISO_ERR_MALFORMED, attack_endless_size},
    {"garbage first", ISO_ERR_MALFORMED, ISO_ERR_MALFORMED, attack_garbage},
    {"garbage after the welcome", ISO_ERR_MALFORMED, ISO_ERR_MALFORMED, attack_garbage_later},
    {"400 fields", ISO_ERR_DECODE_BUDGET, ISO_ERR_DECODE_BUDGET, attack_many_fields},
    {"65 commands in a message", ISO_ERR_DECODE_BUDGET, ISO_ERR_DECODE_BUDGET, attack_many_commands},
    {"groups, 2,000 deep", ISO_ERR_MALFORMED, ISO_ERR_DECODE_BUDGET, attack_deep_groups},
    {"unknown kind of message", ISO_ERR_UNSUPPORTED, ISO_ERR_UNSUPPORTED, attack_unknown_kind},
    {"unknown kind, three times", ISO_ERR_UNSUPPORTED, ISO_ERR_UNSUPPORTED, attack_unknown_kind_thrice},
    {"unknown enumerator", ISO_ERR_BAD_ENUM, ISO_ERR_BAD_ENUM, attack_unknown_enum},
    {"unknown session", ISO_ERR_NO_SESSION, ISO_ERR_NO_SESSION, attack_unknown_session},
    {"protocol of the future", ISO_ERR_PROTOCOL_VERSION, ISO_ERR_PROTOCOL_VERSION, attack_other_protocol},
    {"other arithmetic", ISO_ERR_FINGERPRINT, ISO_ERR_FINGERPRINT, attack_other_arithmetic},
    {"first message no HELLO", ISO_ERR_STATE, ISO_ERR_STATE, attack_first_is_no_hello},
    {"second HELLO", ISO_ERR_STATE, ISO_ERR_STATE, attack_second_hello},
    {"message that only servers send", ISO_ERR_STATE, ISO_ERR_STATE, attack_servers_message},
    {"INPUT before the membership", ISO_ERR_STATE, ISO_ERR_STATE, attack_input_too_soon},
    {"guessed resume: secret, uid, slot, generation", ISO_ERR_NO_RESUME, ISO_ERR_NO_RESUME, attack_guess_secret},
    {NULL, ISO_OK, ISO_OK, NULL},
};
