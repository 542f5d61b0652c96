/// A session: one hosted world with its members, as a pure state machine.
///
/// The host calls iso_session_handle with what happened (a message, the recorder's report, the passing
/// of time) and then takes all actions with iso_session_next_action, until there is none. The session
/// reads no clock, does no I/O, starts no thread and allocates only in iso_session_create; equal events
/// at equal times give equal actions, byte for byte.
///
/// Calls belong to one thread at a time. All pointers in an action are valid until the next call of
/// any iso_session function that is not a getter, except where an action says more.
///
/// How a tick passes: at its deadline the session takes what stands in the members' queues, steps the
/// world, and gives RECORD_TICK. When the recorder has reported it written, SEND carries it to all. Several
/// ticks may be in between; they are sent in order. Without a recording a tick is sent at once.
#ifndef ISO_SESSION_SESSION_H
#define ISO_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/allocator.h"
#include "isostep/proto/messages.h"
#include "isostep/proto/recording.h"
#include "isostep/snapshot.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_session iso_session;

/// Transport limits. None of them reaches the world.
typedef struct iso_session_config {
    char name[ISO_SESSION_NAME_MAX + 1];
    uint8_t uid[16];     // random, from the host
    uint64_t scene_hash; // informative; 0 when the world does not come from a scene
    bool recording;      // ticks wait for RECORDER_WRITTEN before they are sent

    uint32_t connection_capacity; // 1 to 1024; members, spectators and those in the handshake together
    uint32_t spectator_capacity;
    uint32_t ring_ticks;        // sealed ticks that are kept for joiners, a power of two
    uint32_t ring_bytes;        // and their canonical bytes; at least 1 MiB
    uint32_t keyframe_interval; // ticks between keyframes in the recording

    uint32_t hello_timeout_ms;
    uint32_t silence_timeout_ms;
    uint32_t join_timeout_ms;     // without progress
    uint32_t shutdown_timeout_ms; // for the recorder to seal
    uint32_t status_interval_ms;  // 100 to 250

    uint32_t commands_per_tick; // of one member, on average
    uint32_t commands_burst;
    uint32_t bytes_per_second; // of one member's messages
    uint32_t late_ticks_max;   // a command is moved by at most so many
    uint32_t future_ticks_max; // a target lies at most so far beyond the last sealed tick
    uint32_t unacked_ticks_max;
    uint32_t queued_bytes_max;   // of one connection's outgoing bytes, as the host reports them
    uint32_t catch_up_ticks_max; // more overdue ticks than that are a slip
} iso_session_config;

/// Name "main", no recording, 256 connections, 64 spectators, a ring of 4,096 ticks or 8 MiB, a keyframe
/// every 600 ticks; timeouts 5 s, 30 s, 20 s, 5 s; a status every 200 ms; 4 commands a tick, burst 32,
/// 16 KiB/s; 8 ticks late, 120 ahead, 300 unacknowledged, 256 KiB queued, 4 ticks of catch-up.
iso_session_config iso_session_config_default(void);

/// Makes a session around a world whose scene is built and that is started, or that comes from a snapshot.
/// The next tick is due one interval after `now_ns`.
///
/// @param world      belongs to the session until iso_session_destroy; its memory stays the caller's
/// @param allocator  copied; used here and in iso_session_destroy only
/// @return ISO_OK; ISO_ERR_RANGE (configuration); ISO_ERR_MEMORY.
iso_status iso_session_create(const iso_session_config *config, const iso_allocator *allocator, iso_world *world,
                              uint64_t now_ns, iso_session **session);
void iso_session_destroy(iso_session *session);

/// What happened. X(name)
///   OPENED            a peer connected; `connection` is a number of the host's that it never uses again
///   MESSAGE           a peer's message was decoded
///   BAD_FRAME         a peer's bytes were not a message; `status` says why
///   DISCONNECTED      the connection is gone; no action names it any more. Not needed after CLOSE
///   QUEUED            how many bytes wait to be sent to a peer; whenever it changes much, at least on
///                     crossing queued_bytes_max
///   TIME              the deadline has passed (a call too early does no harm); at most one tick is sealed
///   RECORDER_WRITTEN  all ticks up to `tick` are written
///   RECORDER_DURABLE  all ticks up to `tick` survive a power cut
///   RECORDER_DEGRADED the recording ended early for `status`; ticks no longer wait for it
///   RECORDER_SEALED   the recording is complete
///   SNAPSHOT_ENCODED  the answer to ENCODE_SNAPSHOT
///   SHUTDOWN          say goodbye to all, seal the recording, then CLOSED
#define ISO_SESSION_EVENT_LIST(X)                                                                                      \
    X(OPENED)                                                                                                          \
    X(MESSAGE)                                                                                                         \
    X(BAD_FRAME)                                                                                                       \
    X(DISCONNECTED)                                                                                                    \
    X(QUEUED)                                                                                                          \
    X(TIME)                                                                                                            \
    X(RECORDER_WRITTEN)                                                                                                \
    X(RECORDER_DURABLE)                                                                                                \
    X(RECORDER_DEGRADED)                                                                                               \
    X(RECORDER_SEALED)                                                                                                 \
    X(SNAPSHOT_ENCODED)                                                                                                \
    X(SHUTDOWN)

typedef enum iso_session_event_kind {
#define ISO_SESSION_EVENT_ENUM(name) ISO_SESSION_EVENT_##name,
    ISO_SESSION_EVENT_LIST(ISO_SESSION_EVENT_ENUM)
#undef ISO_SESSION_EVENT_ENUM
} iso_session_event_kind;

/// Fields that an event does not use are not read.
typedef struct iso_session_event {
    uint8_t kind;               // iso_session_event_kind
    uint64_t connection;        // OPENED, MESSAGE, BAD_FRAME, DISCONNECTED, QUEUED
    const iso_message *message; // MESSAGE; copied
    uint32_t size;              // MESSAGE: of its frame; QUEUED: bytes that wait
    iso_status status;          // BAD_FRAME, RECORDER_DEGRADED
    uint64_t tick;              // RECORDER_WRITTEN, RECORDER_DURABLE, SNAPSHOT_ENCODED (the action's)
    const uint8_t *bytes;       // SNAPSHOT_ENCODED: compressed, copied; NULL when that failed
    size_t byte_count;          // SNAPSHOT_ENCODED
} iso_session_event;

/// What to do. X(name)
///   SEND              encode `message` once and send it to each of `connections`
///   CLOSE             close a connection after what was sent to it; `status` is for the log
///   RECORD_TICK       append a tick with its root, then report RECORDER_WRITTEN
///   RECORD_KEYFRAME   append a keyframe: the compressed snapshot of the state after `tick`, which was
///                     recorded before, perhaps several ticks ago. The first one is the initial state and
///                     precedes the first tick
///   RECORD_EVENT      append what happened around the simulation
///   RECORD_SEAL       finish the recording with the last tick's root, then report RECORDER_SEALED
///   ENCODE_SNAPSHOT   compress `bytes` (iso_snapshot_encode after `tick`), then report SNAPSHOT_ENCODED.
///                     The bytes stay valid until that report, so another thread may do it
///   LOG               one line for people
///   CLOSED            the last action
#define ISO_SESSION_ACTION_LIST(X)                                                                                     \
    X(SEND)                                                                                                            \
    X(CLOSE)                                                                                                           \
    X(RECORD_TICK)                                                                                                     \
    X(RECORD_KEYFRAME)                                                                                                 \
    X(RECORD_EVENT)                                                                                                    \
    X(RECORD_SEAL)                                                                                                     \
    X(ENCODE_SNAPSHOT)                                                                                                 \
    X(LOG)                                                                                                             \
    X(CLOSED)

typedef enum iso_session_action_kind {
#define ISO_SESSION_ACTION_ENUM(name) ISO_SESSION_ACTION_##name,
    ISO_SESSION_ACTION_LIST(ISO_SESSION_ACTION_ENUM)
#undef ISO_SESSION_ACTION_ENUM
} iso_session_action_kind;

typedef enum iso_session_log_level {
    ISO_SESSION_LOG_DEBUG,
    ISO_SESSION_LOG_INFO,
    ISO_SESSION_LOG_WARN,
    ISO_SESSION_LOG_ERROR,
} iso_session_log_level;

/// A happening, for the log. The host writes it as text.
typedef struct iso_session_note {
    uint8_t level;                        // iso_session_log_level
    uint8_t slot;                         // ISO_SLOT_NONE when it is about no member
    const char *text;                     // static, English: "joined", "left", "the clock slipped"
    uint64_t connection;                  // 0: about none
    uint64_t tick;                        // of the world when it happened
    iso_status status;                    // ISO_OK or why
    uint64_t value;                       // the text's number, else 0: milliseconds slipped, a wrong root
    uint64_t expected;                    // the text's second number, else 0: the right root
    char member[ISO_MEMBER_NAME_MAX + 1]; // the name that the peer gave itself; may be empty
} iso_session_note;

typedef struct iso_session_action {
    uint8_t kind;                // iso_session_action_kind
    iso_status status;           // CLOSE
    uint32_t connection_count;   // SEND: at least 1; CLOSE: 1
    const uint64_t *connections; // SEND, CLOSE
    const iso_message *message;  // SEND
    uint64_t tick;               // RECORD_TICK, RECORD_KEYFRAME, RECORD_SEAL, ENCODE_SNAPSHOT
    uint64_t root;               // of the same: after `tick`
    const iso_tick_input *input; // RECORD_TICK
    const uint8_t *bytes;        // RECORD_KEYFRAME (compressed), ENCODE_SNAPSHOT (plain)
    size_t byte_count;
    size_t plain_size;                // RECORD_KEYFRAME: of the snapshot before compression
    const iso_recording_event *event; // RECORD_EVENT
    const iso_session_note *note;     // LOG
} iso_session_action;

/// Takes one event. Never fails: what a peer does wrong ends that peer.
/// @param now_ns  monotonic; a value below an earlier one counts as that one
void iso_session_handle(iso_session *session, uint64_t now_ns, const iso_session_event *event);

/// The next action, in the order in which they must be done. @return false when there is none.
bool iso_session_next_action(iso_session *session, iso_session_action *action);

/// When to report TIME, at the latest; perhaps in the past. UINT64_MAX after CLOSED.
uint64_t iso_session_next_deadline(const iso_session *session);

/// The deadline of a tick [ns] as things stand: first + (tick - base) * 10^9 / rate, rounded down.
uint64_t iso_session_tick_deadline(const iso_session *session, uint64_t tick);

/// Counters since iso_session_create.
typedef struct iso_session_stats {
    uint64_t tick;         // of the last sealed one
    uint64_t written_tick; // sent up to here
    uint64_t durable_tick;
    uint64_t ticks_sealed;
    uint64_t ticks_late; // sealed more than one interval after their deadline
    uint64_t slips;      // how often the clock slipped
    uint64_t slipped_ns;
    uint64_t commands_sealed;
    uint64_t commands_moved;    // to a later tick than their target
    uint64_t commands_rejected; // before they were ordered
    uint64_t joins, leaves;
    uint64_t snapshots;                        // taken, for joiners and keyframes together
    uint64_t confirms;                         // roots of clients that were right
    uint64_t desyncs;                          // and that were wrong or reported
    uint64_t notes_lost;                       // log lines beyond what was kept between two calls
    uint32_t connections, members, spectators; // now
    bool degraded;                             // the recording ended early
} iso_session_stats;

void iso_session_get_stats(const iso_session *session, iso_session_stats *stats);

/// For reading only.
const iso_world *iso_session_get_world(const iso_session *session);

#ifdef __cplusplus
}
#endif

#endif
