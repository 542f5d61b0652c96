/// Messages between server and client, as plain structs.
///
/// Session and client library use only these structs; the hosts encode and decode them with isostep/proto/codec.h.
/// proto/WIRE.md specifies what each message means, when it is sent and which message answers it. This header is usable
/// without a C library.
///
/// Lifetimes: a message holds pointers only where a comment says "borrowed". In a message to be
/// encoded they point to the caller's memory and are read during the call. In a decoded message they
/// point into the decoder's memory and are valid until that memory is used to decode the next message.
#ifndef ISOSTEP_PROTO_MESSAGES_H
#define ISOSTEP_PROTO_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/proto/version.h"
#include "isostep/snapshot.h"
#include "isostep/status.h"
#include "isostep/tick.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_INPUT_COMMANDS_MAX  64    // commands in one INPUT
#define ISO_SESSION_NAME_MAX    63    // bytes, [a-z0-9-]
#define ISO_MEMBER_NAME_MAX     31    // bytes of UTF-8 without control characters
#define ISO_BUILD_TEXT_MAX      63    // bytes, informative
#define ISO_PASSWORD_MAX        63    // bytes
#define ISO_NOTICE_TEXT_MAX     400   // bytes
#define ISO_DETAIL_TEXT_MAX     120   // bytes
#define ISO_EXPECTED_TEXT_MAX   200   // bytes
#define ISO_CONTROL_LAYOUT_MAX  63    // bytes
#define ISO_SESSION_UID_SIZE    16    // bytes
#define ISO_SECRET_SIZE         16    // bytes
#define ISO_SESSION_LIST_MAX    256   // sessions in one SESSION_LIST
#define ISO_SPECTATORS_TOLD_MAX 64    // spectators in the list of members
#define ISO_MEMBERS_MAX         96    // ISO_SLOT_COUNT_MAX and spectators: in the list of members, and in one MEMBERS
#define ISO_NAME_MAX            87    // bytes of the name of a scene's body or joint
#define ISO_NAMES_MAX           1024  // in NAMES
#define ISO_NAMES_TEXT_MAX      49152 // bytes of all names in NAMES together: then they fit into a frame
#define ISO_STATUS_RESULTS_MAX  128
#define ISO_SNAPSHOT_CHUNK_SIZE 16384        // bytes; the last chunk of a snapshot may be shorter
#define ISO_SNAPSHOT_WINDOW     4            // maximum number of unacknowledged chunks
#define ISO_SNAPSHOT_SIZE_MAX   (256u << 20) // bytes, before and after compression

/// Largest frames [bytes], without the length in front.
#define ISO_FRAME_MAX_CLIENT 4096  // client to server
#define ISO_FRAME_MAX_HELLO  1280  // client to server before WELCOME was sent
#define ISO_FRAME_MAX_SERVER 65536 // server to client

/// Ticks and sequences are below this, so that a double represents them exactly in every language.
#define ISO_TICK_END ((uint64_t)1 << 53)

/// The slot of a client that has none.
#define ISO_SLOT_NONE 255

/// The kinds of messages. X(name, number, snake)
/// The number is the field number of the envelope's oneof.
#define ISO_MESSAGE_KIND_LIST(X)          \
    /* The hot path. */                   \
    X(INPUT, 1, input)                    \
    X(TICK, 2, tick)                      \
    X(STATUS, 3, status)                  \
    X(PING, 4, ping)                      \
    X(PONG, 5, pong)                      \
    X(CONFIRM, 6, confirm)                \
    X(REJECT, 7, reject)                  \
    /* The session. */                    \
    X(HELLO, 16, hello)                   \
    X(WELCOME, 17, welcome)               \
    X(REFUSAL, 18, refusal)               \
    X(SNAPSHOT_BEGIN, 19, snapshot_begin) \
    X(SNAPSHOT_CHUNK, 20, snapshot_chunk) \
    X(SNAPSHOT_ACK, 21, snapshot_ack)     \
    X(CAUGHT_UP, 22, caught_up)           \
    X(ACTIVATE, 23, activate)             \
    X(LEAVE, 24, leave)                   \
    X(BYE, 25, bye)                       \
    X(REWIND, 26, rewind)                 \
    X(REWIND_ANSWER, 27, rewind_answer)   \
    X(STATE_NOTICE, 28, state_notice)     \
    X(LIST, 29, list)                     \
    X(SESSION_LIST, 30, session_list)     \
    X(MEMBERS, 31, members)               \
    X(NAMES, 32, names)                   \
    X(NOTICE, 36, notice)                 \
    /* Forensics. */                      \
    X(DESYNC_REPORT, 64, desync_report)   \
    X(DESYNC_NOTICE, 65, desync_notice)

typedef enum iso_message_kind {
#define ISO_MESSAGE_KIND_ENUM(name, number, snake) ISO_MESSAGE_##name = (number),
    ISO_MESSAGE_KIND_LIST(ISO_MESSAGE_KIND_ENUM)
#undef ISO_MESSAGE_KIND_ENUM
} iso_message_kind;

typedef enum iso_role {
    ISO_ROLE_PLAYER = 1,    // has a slot, sends inputs, steps the world
    ISO_ROLE_SPECTATOR = 2, // steps the world, has no slot and sends no inputs
} iso_role;

typedef enum iso_compression {
    ISO_COMPRESSION_NONE = 1,
    ISO_COMPRESSION_ZSTD = 2, // one frame
} iso_compression;

/// What one side understands or sends beyond the first messages of this version: bits of HELLO's and WELCOME's
/// `features`, which have their numbers in WIRE.md. A message of a feature is sent only to who has set its bit.
typedef enum iso_feature {
    ISO_FEATURE_NOTICES = 1u << 3, // NOTICE, to the client
} iso_feature;

/// What happens to commands whose target tick is already sealed.
typedef enum iso_late_policy {
    ISO_LATE_MOVE = 1,   // sealed in the next tick
    ISO_LATE_DROP = 2,   // rejected with TICK_LATE
    ISO_LATE_STRICT = 3, // the clock waits briefly for late members; then as DROP
} iso_late_policy;

/// The states of a session. X(name, number, word)
///   WAITING   no player is present; ticks pass
///   PAUSED    no tick passes
///   DRAINING  it ends
#define ISO_SESSION_STATE_LIST(X) \
    X(WAITING, 1, "waiting")      \
    X(RUNNING, 2, "running")      \
    X(PAUSED, 3, "paused")        \
    X(DRAINING, 4, "draining")    \
    X(CLOSED, 5, "closed")

typedef enum iso_session_state {
#define ISO_SESSION_STATE_ENUM(name, number, word) ISO_SESSION_##name = (number),
    ISO_SESSION_STATE_LIST(ISO_SESSION_STATE_ENUM)
#undef ISO_SESSION_STATE_ENUM
} iso_session_state;

/// How a session continues for the client that receives WELCOME.
typedef enum iso_resumed {
    ISO_RESUMED_NEW = 1,      // as a new member: a snapshot, then the ticks after it
    ISO_RESUMED_TICKS = 2,    // the ticks after the client's last one
    ISO_RESUMED_SNAPSHOT = 3, // a snapshot, then the ticks after it
    ISO_RESUMED_REWIND = 4,   // REWIND follows
} iso_resumed;

/// What the server does after a desync.
typedef enum iso_desync_action {
    ISO_DESYNC_HEAL = 1,   // a snapshot replaces the client's world
    ISO_DESYNC_KICK = 2,   // the connection ends
    ISO_DESYNC_PAUSE = 3,  // the session is paused
    ISO_DESYNC_IGNORE = 4, // nothing
} iso_desync_action;

/// Client to server, once per tick from ACTIVATE on: the commands for one tick, or none.
typedef struct iso_message_input {
    uint64_t target_tick;        // the target tick of the commands; never below that of the previous INPUT
    uint64_t first_sequence;     // sequence of the first command, the others follow by one; ignored without commands
    uint64_t ack_tick;           // the last tick that the client has stepped
    const iso_command *commands; // borrowed
    uint32_t command_count;      // 0 to ISO_INPUT_COMMANDS_MAX
} iso_message_input;

/// Server to all: a sealed tick. The same bytes for every member.
typedef struct iso_message_tick {
    uint32_t epoch;
    uint64_t tick;                      // 1, 2, … without a gap
    const iso_change *changes;          // borrowed; applied in this order, before the commands
    uint32_t change_count;              // 0 to ISO_TICK_CHANGES_MAX
    const iso_sealed_command *commands; // borrowed; strictly rising by (slot, sequence)
    uint32_t command_count;             // 0 to ISO_TICK_COMMANDS_MAX
    uint64_t hashed_tick;               // at most `tick`; usually tick - 1, since a tick is sent before it is stepped
    uint64_t root;                      // iso_world_root after hashed_tick
} iso_message_tick;

/// The result of a member's sealed command, for clients without a world.
typedef struct iso_member_result {
    uint64_t sequence; // 1 to 2^53 - 1
    iso_status code;   // ISO_OK or a state-dependent refusal
    uint64_t id;       // of what it created (iso_id_pack), otherwise 0
} iso_member_result;

/// Server to one member, 4 to 10 times a second: what concerns only this member.
typedef struct iso_message_status {
    uint64_t server_tick;             // the last sealed tick
    uint64_t acked_sequence;          // the member's last sequence that was accepted or rejected; 0 before the first
    int32_t margin_ticks_q8;          // 1/256 tick; the smallest since the last STATUS: how long before the sealing of
                                      // their target tick inputs arrived; negative: late; INT32_MAX: no input arrived
    uint64_t late_count;              // commands that arrived too late for their target since WELCOME
    uint64_t durable_tick;            // the last durable tick; 0 without a recording
    const iso_member_result *results; // borrowed; since the last STATUS: of commands that failed or created something
    uint32_t result_count;            // 0 to ISO_STATUS_RESULTS_MAX
    bool is_degraded;                 // nothing is recorded at present, because of a disk fault
} iso_message_status;

/// Client to server, at any time after WELCOME.
typedef struct iso_message_ping {
    uint32_t id;
    uint64_t client_time_ns; // the client's clock; echoed, never interpreted
} iso_message_ping;

/// Server to client: the answer to PING. The server's time is server_tick + fraction_q8 / 256 ticks.
typedef struct iso_message_pong {
    uint32_t id;
    uint64_t client_time_ns;
    uint64_t server_tick; // the last tick whose deadline has passed
    uint8_t fraction_q8;  // 0 to 255: the part of the next tick's time that has passed
} iso_message_pong;

/// Client to server: the root that the client computed for a tick.
typedef struct iso_message_confirm {
    uint64_t tick;
    uint64_t root;
} iso_message_confirm;

/// Server to client: a static refusal of one command, which will be in no tick.
typedef struct iso_message_reject {
    uint64_t sequence; // 0: the whole message was refused, not one command
    iso_status code;
    char detail[ISO_DETAIL_TEXT_MAX + 1]; // may be empty
} iso_message_reject;

/// A member that resumes: its identity, and the state that it has.
typedef struct iso_resume {
    uint8_t uid[ISO_SESSION_UID_SIZE];
    uint8_t slot; // 0 to 31
    uint32_t slot_generation;
    uint8_t secret[ISO_SECRET_SIZE]; // of the last WELCOME
    uint32_t epoch;                  // of the last tick
    uint64_t tick;                   // the last one that the client has stepped
    uint64_t root;                   // the client's own, of that tick
} iso_resume;

/// Client to server: the first message.
typedef struct iso_message_hello {
    uint32_t protocol_min;       // 1 or more
    uint32_t protocol_max;       // protocol_min or more
    uint8_t role;                // iso_role
    uint32_t compressions;       // bit set of iso_compression; contains ISO_COMPRESSION_NONE
    iso_fingerprint fingerprint; // an empty game: the client takes any game it knows, see WIRE.md
    char session[ISO_SESSION_NAME_MAX + 1];
    char member[ISO_MEMBER_NAME_MAX + 1]; // may be empty
    char build[ISO_BUILD_TEXT_MAX + 1];   // informative, may be empty
    bool has_resume;
    iso_resume resume;                   // read when has_resume
    uint32_t features;                   // bits of iso_feature, others are ignored
    char password[ISO_PASSWORD_MAX + 1]; // of a session that has one; may be empty
} iso_message_hello;

/// Limits for a member; exceeding them causes a rejection or ends the connection.
typedef struct iso_member_limits {
    uint32_t commands_per_tick; // on average
    uint32_t command_burst;     // at once
    uint32_t ahead_ticks_max;   // maximum of target_tick minus the last sealed tick
    uint32_t late_ticks_max;    // maximum number of ticks by which a late command is moved
    uint32_t input_bytes_per_second;
} iso_member_limits;

/// Server to client: the answer to HELLO. `resumed` determines what follows.
typedef struct iso_message_welcome {
    uint32_t protocol; // chosen from the client's range
    char session[ISO_SESSION_NAME_MAX + 1];
    uint8_t uid[ISO_SESSION_UID_SIZE];
    uint32_t epoch;
    uint8_t role;  // iso_role
    uint8_t slot;  // reserved for a player, ISO_SLOT_NONE for a spectator
    uint64_t tick; // the last sealed tick
    uint16_t tick_rate_hz;
    iso_member_limits limits;
    uint64_t scene_hash;                             // informative; 0: unknown
    iso_fingerprint fingerprint;                     // of the session; always includes the game
    char control_layout[ISO_CONTROL_LAYOUT_MAX + 1]; // names the meaning of the control block; may be empty
    uint8_t secret[ISO_SECRET_SIZE];                 // for a player, to resume with; a spectator's is zero
    uint32_t hold_ms;                                // how long a slot is held after a disconnect; 0: not at all
    uint8_t late_policy;                             // iso_late_policy
    uint8_t state;                                   // iso_session_state
    uint8_t resumed;                                 // iso_resumed
    uint64_t last_sequence;   // the last one of the slot that was accepted or rejected; 0 for a new member
    uint32_t slot_generation; // of the slot once the client is activated; 0 for a spectator
    uint32_t silence_ms;      // how long the client waits in vain before it tries anew; 0: not told
    uint32_t features;        // bits of iso_feature, others are ignored
} iso_message_welcome;

/// Server to client: the answer to a HELLO that is not accepted. The connection ends.
typedef struct iso_message_refusal {
    iso_status code;
    char text[ISO_DETAIL_TEXT_MAX + 1];
    char expected[ISO_EXPECTED_TEXT_MAX + 1]; // what would have been accepted; may be empty
} iso_message_refusal;

/// Server to client: a snapshot follows in chunks. It replaces the client's world, if any.
typedef struct iso_message_snapshot_begin {
    uint64_t tick;
    uint32_t epoch;
    uint32_t raw_size;    // bytes of the snapshot
    uint32_t size;        // bytes of all chunks together
    uint8_t compression;  // iso_compression
    uint32_t chunk_count; // size / chunk_size, rounded up
    uint32_t chunk_size;  // bytes of each chunk but the last, 1 to ISO_SNAPSHOT_CHUNK_SIZE
    uint64_t root;        // of the state after `tick`
} iso_message_snapshot_begin;

typedef struct iso_message_snapshot_chunk {
    uint32_t index;       // 0, 1, … in order
    const uint8_t *bytes; // borrowed
    uint32_t size;        // 1 to ISO_SNAPSHOT_CHUNK_SIZE
} iso_message_snapshot_chunk;

/// Client to server: all chunks up to this one have arrived.
typedef struct iso_message_snapshot_ack {
    uint32_t index;
} iso_message_snapshot_ack;

/// Client to server: the client has stepped all ticks that it has received and asks to be activated.
typedef struct iso_message_caught_up {
    uint64_t tick;
    uint64_t root;
} iso_message_caught_up;

/// Server to client: the client is active from now on.
typedef struct iso_message_activate {
    uint8_t slot;             // ISO_SLOT_NONE for a spectator
    uint32_t slot_generation; // 0 for a spectator
    uint64_t join_tick;       // the tick with the JOIN, and the first possible target; for a spectator the
                              // last sealed tick
} iso_message_activate;

/// Client to server: the client leaves. The server answers with BYE.
typedef struct iso_message_leave {
    uint8_t unused; // an empty struct is not C; always 0, not on the wire
} iso_message_leave;

/// Server to client: the connection ends.
typedef struct iso_message_bye {
    iso_status code; // ISO_OK: after a LEAVE
    char text[ISO_DETAIL_TEXT_MAX + 1];
} iso_message_bye;

/// Server to client: the ticks that the client has stepped after `tick` are no longer part of the session.
typedef struct iso_message_rewind {
    uint64_t tick;  // at most the RESUME's
    uint64_t root;  // of the state after `tick`
    uint32_t epoch; // of all ticks after it
} iso_message_rewind;

/// Client to server: whether it has restored the state after REWIND's tick, with REWIND's root.
typedef struct iso_message_rewind_answer {
    bool is_restored; // true: the ticks after it follow; false: a snapshot
} iso_message_rewind_answer;

/// Server to client: the session's state has changed, or the late policy for this client.
typedef struct iso_message_state_notice {
    uint8_t state;       // iso_session_state
    uint64_t tick;       // the last sealed one
    uint8_t late_policy; // iso_late_policy, as it applies to this client
    iso_status code;     // why; ISO_OK: no special reason
} iso_message_state_notice;

/// Client to server, instead of HELLO: requests the list of sessions.
typedef struct iso_message_list {
    uint8_t unused; // an empty struct is not C; always 0, not on the wire
} iso_message_list;

/// Server to client, if it has ISO_FEATURE_NOTICES: what whoever runs the server tells the people who play.
typedef struct iso_message_notice {
    char text[ISO_NOTICE_TEXT_MAX + 1]; // not empty
    uint32_t deadline_ms;               // in so long, what it announces happens; 0: no such time
} iso_message_notice;

typedef struct iso_session_info {
    char name[ISO_SESSION_NAME_MAX + 1];
    uint8_t state;    // iso_session_state
    uint32_t members; // including held ones
    uint32_t slots;
    uint32_t spectators;
    uint64_t tick; // the last sealed one
    uint16_t tick_rate_hz;
    char game[ISO_GAME_NAME_MAX + 1]; // may be empty
} iso_session_info;

/// Server to client: the answer to LIST. Several may be sent in a row; then the connection ends.
typedef struct iso_message_session_list {
    const iso_session_info *sessions; // borrowed
    uint32_t count;                   // 0 to ISO_SESSION_LIST_MAX
} iso_message_session_list;

typedef enum iso_presence {
    ISO_PRESENCE_HERE = 1,
    ISO_PRESENCE_HELD = 2, // its connection broke, and its slot is held
    ISO_PRESENCE_GONE = 3,
} iso_presence;

/// A member or spectator. A player is identified by its slot and the slot's generation, as in the changes of a TICK.
typedef struct iso_member {
    uint8_t role;                       // iso_role
    uint8_t slot;                       // a player's; a spectator's: its position in the list, 0 to 63
    uint8_t presence;                   // iso_presence
    uint32_t slot_generation;           // of that slot or position
    char name[ISO_MEMBER_NAME_MAX + 1]; // as in its HELLO; may be empty, and equal to another's
} iso_member;

/// Server to client: the members and spectators. All of them after WELCOME, then changes, each before the TICK that
/// contains the change.
typedef struct iso_message_members {
    bool is_complete;          // true: all; false: those that changed
    uint32_t spectators;       // number of all spectators, including those that are not in the list
    const iso_member *members; // borrowed; strictly rising by (role, slot)
    uint32_t count;            // 0 to ISO_MEMBERS_MAX
} iso_message_members;

/// What has a name in a scene.
typedef enum iso_named {
    ISO_NAMED_BODY = 1,
    ISO_NAMED_JOINT = 2,
} iso_named;

/// The name of a body or joint that the scene has made: the one with this index and generation 1.
typedef struct iso_name {
    uint8_t of;       // iso_named
    uint32_t index;   // below 2^20
    const char *name; // borrowed; 1 to ISO_NAME_MAX bytes
} iso_name;

/// Server to client, once, behind WELCOME: what the scene calls its bodies and joints.
typedef struct iso_message_names {
    const iso_name *names; // borrowed; strictly rising by (of, index)
    uint32_t count;        // 0 to ISO_NAMES_MAX
    uint32_t left_out;     // names of the scene for which there was no room
} iso_message_names;

/// Client to server: a root in a TICK differs from the one that the client has computed.
typedef struct iso_message_desync_report {
    uint64_t tick;
    uint64_t root; // the client's own
} iso_message_desync_report;

/// Server to client: a root that this client has sent differs from the server's.
typedef struct iso_message_desync_notice {
    uint8_t slot; // ISO_SLOT_NONE for a spectator
    uint64_t tick;
    uint64_t expected_root; // the server's
    uint64_t actual_root;   // the client's
    uint8_t action;         // iso_desync_action
} iso_message_desync_notice;

typedef struct iso_message {
    uint8_t kind; // iso_message_kind
    union {
#define ISO_MESSAGE_MEMBER(name, number, snake) iso_message_##snake snake;
        ISO_MESSAGE_KIND_LIST(ISO_MESSAGE_MEMBER)
#undef ISO_MESSAGE_MEMBER
    } as;
} iso_message;

/// Checks the values of a message: the ranges and orders that the comments above and proto/WIRE.md give, and
/// iso_command_check of commands. iso_message_encode and iso_message_decode do it; a codec of one's own has to, before
/// the message is handed to a session or client. Texts end with a zero.
/// @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE; ISO_ERR_MALFORMED (the order of a list); what iso_command_check
///         returns.
iso_status iso_message_check(const iso_message *message);

/// Maximum number of bytes of a TICK without commands on the wire, including all its changes.
#define ISO_TICK_WIRE_BASE 1536

/// Maximum number of bytes that a sealed command adds to a TICK, given the size of its canonical form
/// (iso_command_encode). When a tick is sealed, ISO_TICK_WIRE_BASE plus the sum must be within ISO_FRAME_MAX_SERVER.
static inline size_t iso_sealed_command_wire_size_max(size_t canonical_size) {
    return canonical_size + canonical_size / 2 + 48;
}

#ifdef __cplusplus
}
#endif

#endif
