/// Messages as bytes: one protobuf Envelope (package isostep.v1), without the size in front.
///
/// Called by the hosts. Neither direction touches the heap, so a hostile message costs at most the
/// memory that the caller provides.
#ifndef ISOSTEP_PROTO_CODEC_H
#define ISOSTEP_PROTO_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/proto/framing.h"
#include "isostep/proto/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Memory [bytes] that suffices to encode any message.
#define ISO_ENCODE_MEMORY_SIZE (512u << 10)

/// Memory [bytes] that suffices to decode any message within the limits of its direction.
#define ISO_DECODE_MEMORY_FROM_CLIENT (128u << 10)
#define ISO_DECODE_MEMORY_FROM_SERVER (1u << 20)

/// What is done with the commands of an INPUT. Those of a TICK are always checked.
typedef enum iso_decode_commands {
    ISO_DECODE_COMMANDS_CHECKED,   // by iso_command_check
    ISO_DECODE_COMMANDS_UNCHECKED, // not by it: whoever takes the message has to, as iso_session does
    ISO_DECODE_COMMANDS_COUNTED,   // nor read, for peers that may send none: `commands` is NULL
} iso_decode_commands;

/// Limits of a message. Checked before anything is unpacked.
typedef struct iso_decode_limits {
    uint32_t size_max;    // bytes
    uint32_t depth_max;   // nested messages, the envelope included
    uint32_t field_max;   // fields in all messages together; a packed field is one
    uint32_t unknown_max; // unknown fields where they are ignored
    uint8_t commands;     // iso_decode_commands
} iso_decode_limits;

/// The limits of a server: 4 KiB, depth 8, 1,024 fields, 8 unknown ones. An INPUT with 8 commands of any kind always
/// fits, but for joints in space with the parameters of a constraint, of which 5 do. Commands are left to the session,
/// which checks them when it knows that their sender may send so many: a shape can cost thousands of times what it
/// costs to read it.
static inline iso_decode_limits iso_decode_limits_from_client(void) {
    const iso_decode_limits limits = {ISO_FRAME_MAX_CLIENT, 8, 1024, 8, ISO_DECODE_COMMANDS_UNCHECKED};
    return limits;
}

/// The limits of a client: 64 KiB, depth 8, 24,576 fields (a full tick), 8 unknown ones.
static inline iso_decode_limits iso_decode_limits_from_server(void) {
    const iso_decode_limits limits = {ISO_FRAME_MAX_SERVER, 8, 24576, 8, ISO_DECODE_COMMANDS_CHECKED};
    return limits;
}

/// Writes a message as an Envelope. Equal messages give equal bytes.
///
/// @param memory       scratch, aligned as malloc's, needed during the call only; ISO_ENCODE_MEMORY_SIZE
///                     always suffices, 4 KiB do for everything but INPUT, TICK, SESSION_LIST, MEMBERS and NAMES
/// @param size         receives the number of bytes; untouched on error
/// @return ISO_OK; ISO_ERR_BUFFER (`bytes` or `memory` is too small); ISO_ERR_BAD_ENUM (kind, role,
///         compression, kind of a change); ISO_ERR_RANGE (a count, a tick, a slot, a text without an
///         end); ISO_ERR_MALFORMED (text that is not UTF-8 or has control characters); what
///         iso_command_check returns for a command.
iso_status iso_message_encode(const iso_message *message, void *memory, size_t memory_size, uint8_t *bytes,
                              size_t capacity, size_t *size);

/// The kind of an envelope's message, by the first of its fields that this version knows; nothing behind that is looked
/// at. So a server decodes only what the peer may send in its state.
///
/// @return iso_message_kind; 0: the bytes begin with none
uint8_t iso_message_peek(const uint8_t *bytes, size_t size, const iso_decode_limits *limits);

/// Reads an Envelope.
///
/// @param memory   aligned as malloc's; the message's pointers point into it
/// @param message  unspecified on error
/// @return ISO_OK; ISO_ERR_FRAME_TOO_LARGE; ISO_ERR_DECODE_BUDGET (too deep, too many fields, too
///         many unknown ones, more commands or changes than allowed, or `memory` is used up);
///         ISO_ERR_MALFORMED (not protobuf, no member or several, a field twice, an unknown field in
///         a command or tick, text that is not UTF-8); ISO_ERR_UNSUPPORTED (a kind that this version
///         does not know; the stream can still be used); ISO_ERR_BAD_ENUM; ISO_ERR_RANGE;
///         what iso_command_check returns for a command, as far as the limits have them checked.
iso_status iso_message_decode(const uint8_t *bytes, size_t size, const iso_decode_limits *limits, void *memory,
                              size_t memory_size, iso_message *message);

/// "INPUT", or "UNKNOWN".
const char *iso_message_kind_name(uint8_t kind);

/// "running", or "unknown". @param state  iso_session_state
const char *iso_session_state_name(uint8_t state);

/// Whether a member's name is valid: at most ISO_MEMBER_NAME_MAX bytes of UTF-8 without control characters. May be
/// called from any thread.
///
/// @param name  zero-terminated; "" is valid
bool iso_member_name_is_valid(const char *name);

/// The same of a session's password: at most ISO_PASSWORD_MAX bytes.
bool iso_password_is_valid(const char *password);

#ifdef __cplusplus
}
#endif

#endif
