/// A session: one hosted world with its members, as a pure state machine.
///
/// The host calls iso_session_handle with each event (a message, the recorder's report, the passing of time) and then
/// takes all actions with iso_session_next_action, until there is none. The session reads no clock, does no I/O, starts
/// no thread and allocates only in iso_session_create and for images of the world, within a bound that is known
/// beforehand; equal events at equal times give equal actions, byte for byte.
///
/// Calls belong to one thread at a time. All pointers in an action are valid until the next call of any iso_session
/// function that is not a getter, unless the action's description says otherwise.
///
/// How a tick is processed: at its deadline the session takes what waits in the members' queues, steps the world, and
/// gives RECORD_TICK. When the recorder has reported it written, SEND carries it to all. Several ticks may be in
/// between; they are sent in order. Without a recording a tick is sent at once.
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

/// What a session does when it has had no player for some time: since the last one left, or since it began or
/// continued.
typedef enum iso_empty_policy {
    ISO_EMPTY_RUN,
    ISO_EMPTY_PAUSE, // no tick passes until a player's HELLO is accepted
    ISO_EMPTY_CLOSE,
} iso_empty_policy;

/// Computes a member's secret: a keyed hash of `size` bytes (uid, u8 slot, u32 generation, u32 number, little endian)
/// that cannot be computed without the key, such as BLAKE2b. The same key must give the same secret in a server that
/// continues from a recording.
typedef void (*iso_session_secret_fn)(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]);

/// Maximum of a session's `run`: between it and the maximum number in recordings there is room for all its secrets.
#define ISO_SESSION_RUN_MAX (UINT32_C(1) << 30)

/// Transport limits and policies. None of them affects the world.
typedef struct iso_session_config {
    char name[ISO_SESSION_NAME_MAX + 1];
    uint8_t uid[16]; // random, from the host; the recording's when the session continues from one
    uint32_t epoch;  // at least 1; one above the recording's when the session continues from one
    uint32_t run;    // 1 to ISO_SESSION_RUN_MAX, random: joiners' secrets are numbered from it on, so that they differ
                     // from those of another run that continues from the same recording; 0 if there is never another
    uint32_t run_before;            // that of the recording that the session continues from; 0 without one
    uint64_t scene_hash;            // informative; 0 when the world does not come from a scene
    bool is_recording;              // ticks wait for RECORDER_WRITTEN before they are sent
    const iso_message_names *names; // of the scene, sent to who joins; outlives the session; NULL: there are none

    uint8_t late_policy;          // iso_late_policy
    uint8_t desync_policy;        // iso_desync_action
    uint8_t empty_policy;         // iso_empty_policy
    uint32_t empty_ms;            // without a player, until the policy takes effect
    uint32_t hold_ms;             // for which the slot of a disconnected member is held
    iso_session_secret_fn secret; // NULL: no member can resume, and no slot is held
    void *secret_user;
    uint64_t memory_max; // [bytes] of session and world together

    uint32_t connection_capacity; // 1 to 1024; members, spectators and those in the handshake together
    uint32_t spectator_capacity;  // 0: there are none
    uint32_t player_max;          // members at a time, held ones included; 0: as many as the world has slots
    uint32_t ring_ticks;          // sealed ticks that are kept for joiners, a power of two
    uint32_t ring_bytes;          // and the maximum of their canonical bytes; at least 1 MiB
    uint32_t keyframe_interval;   // ticks between keyframes in the recording

    uint32_t hello_timeout_ms;
    uint32_t silence_timeout_ms;
    uint32_t client_silence_ms;   // the client's patience with the server, as WELCOME tells it: at least 8 ticks
    uint32_t join_timeout_ms;     // without progress
    uint32_t shutdown_timeout_ms; // for the recorder to seal
    uint32_t status_interval_ms;  // 100 to 250

    uint32_t commands_per_tick; // of one member, on average
    uint32_t commands_burst;
    uint32_t bytes_per_second; // of one member's messages
    uint32_t late_ticks_max;   // a command is moved by at most this many
    uint32_t future_ticks_max; // a target is at most this far beyond the last sealed tick
    uint32_t unacked_ticks_max;
    uint32_t queued_bytes_max;   // of one connection's outgoing bytes, as the host reports them
    uint32_t catch_up_ticks_max; // more overdue ticks than this are a slip
} iso_session_config;

/// Name "main", epoch 1, no recording, late commands moved, desyncs healed, paused after 10 s without players, slots
/// held for 45 s, no secrets, 64 MiB; 256 connections, 64 spectators, a ring of 4,096 ticks or 8 MiB, a keyframe
/// every 600 ticks; timeouts 5 s, 30 s, 3 s (the client's), 20 s, 5 s; a status every 200 ms; 4 commands a tick, burst
/// 32, 16 KiB/s; 8 ticks late, 120 ahead, 300 unacknowledged, 256 KiB queued, 4 ticks of catch-up.
iso_session_config iso_session_config_default(void);

/// Maximum bytes that a session of this configuration allocates, with its world and the images of it.
/// @param game  the game that def->game names, or NULL when that is empty
/// @return 0 when configuration or definition are invalid
uint64_t iso_session_memory(const iso_session_config *config, const iso_world_def *def, const iso_game *game);

/// Of these, the bytes of images: they are allocated when they are taken, not when the session is created.
uint64_t iso_session_image_memory(const iso_world_def *def, const iso_game *game);

/// Creates a session around a world whose scene is built and that is started, or that comes from a snapshot.
/// The next tick is due one interval after `now_ns`.
///
/// @param world      belongs to the session until iso_session_destroy; its memory stays the caller's
/// @param allocator  copied; used here, in iso_session_destroy and for the images of the world, which are
///                   allocated when they are taken and released when they are no longer needed
/// @return ISO_OK; ISO_ERR_RANGE (configuration); ISO_ERR_MEMORY: memory is short, or iso_session_memory is above
///         memory_max.
iso_status iso_session_create(const iso_session_config *config, const iso_allocator *allocator, iso_world *world,
                              uint64_t now_ns, iso_session **session);
void iso_session_destroy(iso_session *session);

/// Restarts the clock: the next tick is due one interval after `now_ns`. Only before the first event.
void iso_session_begin_clock(iso_session *session, uint64_t now_ns);

/// @name Continuing from a recording
/// The session is created around the world of a keyframe, with the recording's uid, the next epoch and another run.
/// Then, before any event, it is given what the recording holds after that keyframe, in its order. Those who were
/// members at the end are held and can resume. A world that was decoded from the recording's end needs no replay.
/// @{

/// Steps a recorded tick, and keeps it for clients that resume.
/// @param root  of the state after the tick; NULL: unknown, nothing is compared
/// @return ISO_OK; ISO_ERR_DESYNC: the world's root is another; what iso_world_step returns for bad input.
///         On error the session can only be destroyed.
iso_status iso_session_replay(iso_session *session, const iso_tick_input *input, const uint64_t *root);
/// Sets the number of a member's secret, and its name, from a recorded event. To be called for those who are there at
/// the end, not for earlier holders of their slots.
void iso_session_replay_event(iso_session *session, const iso_recording_event *event);
/// @}

/// What happened. X(name)
///   OPENED            a peer connected; `connection` is a number that the host never uses again, `origin`
///                     identifies where the peer is, such as a keyed hash of its address; 0: unknown. Members of one
///                     origin share its allowances, also after joining again. `is_origin_full`: no more members may
///                     join from there. A member may resume, unless its slot counts for another origin, or for none
///                     since the server was restarted
///   MESSAGE           a peer's message was decoded
///   BAD_FRAME         a peer's bytes were not a message; `status` is the reason
///   DISCONNECTED      the connection is gone; no action names it any more. Not needed after CLOSE
///   QUEUED            how many bytes wait to be sent to a peer; whenever it changes much, at least on
///                     crossing queued_bytes_max
///   TIME              the deadline has passed (a call too early does no harm); at most one tick is sealed
///   RECORDER_WRITTEN  all ticks up to `tick` are written
///   RECORDER_DURABLE  all ticks up to `tick` are durable
///   RECORDER_DEGRADED the recording ended early with `status`; ticks no longer wait for it
///   RECORDER_RESTART  the disk may accept a recording again: the next RECORD_KEYFRAME begins one, of a later tick.
///                     From the first RECORDER_WRITTEN on ticks wait again. Ignored unless the recording has ended
///                     early
///   RECORDER_SYNC     with ISO_ERR_TIMEOUT: no tick becomes durable, since the disk does not sync; ISO_OK: it does
///                     again. Ticks do not wait for that; Status says that the recording is degraded meanwhile
///   RECORDER_SEALED   the recording is complete
///   SNAPSHOT_ENCODED  the answer to ENCODE_SNAPSHOT
///   SHUTDOWN          end all connections, seal the recording, then CLOSED. With ISO_ERR_RESTARTING the session
///                     continues from its recording later, if it has one, and its members are informed; with
///                     ISO_ERR_SESSION_CLOSED this session alone ends, and they are told that
///   WAKE              ends a pause, as the HELLO of a player does
///   KICK              removes `connection`, or with 0 the member of `slot`, held or not, unless its `generation` is
///                     another one (0: any); `status` is ISO_ERR_KICKED or ISO_ERR_BANNED. Nothing happens when nobody
///                     is there
///   NOTICE            tells `message`, a NOTICE, to `connection`, or with 0 to everybody, and, until its deadline,
///                     also to those who come later
#define ISO_SESSION_EVENT_LIST(X) \
    X(OPENED)                     \
    X(MESSAGE)                    \
    X(BAD_FRAME)                  \
    X(DISCONNECTED)               \
    X(QUEUED)                     \
    X(TIME)                       \
    X(RECORDER_WRITTEN)           \
    X(RECORDER_DURABLE)           \
    X(RECORDER_DEGRADED)          \
    X(RECORDER_RESTART)           \
    X(RECORDER_SYNC)              \
    X(RECORDER_SEALED)            \
    X(SNAPSHOT_ENCODED)           \
    X(SHUTDOWN)                   \
    X(WAKE)                       \
    X(KICK)                       \
    X(NOTICE)

typedef enum iso_session_event_kind {
#define ISO_SESSION_EVENT_ENUM(name) ISO_SESSION_EVENT_##name,
    ISO_SESSION_EVENT_LIST(ISO_SESSION_EVENT_ENUM)
#undef ISO_SESSION_EVENT_ENUM
} iso_session_event_kind;

/// An event's unused fields are not read.
typedef struct iso_session_event {
    uint8_t kind;               // iso_session_event_kind
    uint64_t connection;        // OPENED, MESSAGE, BAD_FRAME, DISCONNECTED, QUEUED, KICK, NOTICE
    uint32_t slot, generation;  // KICK
    uint64_t origin;            // OPENED
    bool is_origin_full;        // OPENED
    const iso_message *message; // MESSAGE, NOTICE; copied
    uint32_t size;              // MESSAGE: of its frame; QUEUED: bytes that wait
    iso_status status;          // BAD_FRAME, RECORDER_DEGRADED, RECORDER_SYNC, KICK; SHUTDOWN: ISO_OK or as above
    uint64_t tick;              // RECORDER_WRITTEN, RECORDER_DURABLE, SNAPSHOT_ENCODED (the action's)
    const uint8_t *bytes;       // SNAPSHOT_ENCODED: compressed, copied; NULL when that failed
    size_t byte_count;          // SNAPSHOT_ENCODED
} iso_session_event;

/// What to do. X(name)
///   SEND              encode `message` once and send it to each of `connections`
///   CLOSE             close a connection after what was sent to it; `status` is for the log
///   RECORD_TICK       append a tick with its root, then report RECORDER_WRITTEN
///   RECORD_KEYFRAME   append a keyframe: the compressed snapshot of the state after `tick`, which was
///                     recorded before, perhaps several ticks ago. The first one, and the first after a
///                     RECORDER_RESTART, begins a recording and precedes its first tick
///   RECORD_EVENT      append what happened around the simulation
///   RECORD_SEAL       finish the recording with the last tick's root, then report RECORDER_SEALED
///   ENCODE_SNAPSHOT   compress `bytes` (iso_snapshot_encode after `tick`), then report SNAPSHOT_ENCODED.
///                     The bytes stay valid until that report, so another thread may do it
///   HOLD              a slot is held for a member from `origin`, or is no longer, as `is_held` says; not without an
///                     origin
///   LOG               one line for the log
///   CLOSED            the last action; `status`: ISO_ERR_RESTARTING if SHUTDOWN had it and the session was not
///                     ending yet
#define ISO_SESSION_ACTION_LIST(X) \
    X(SEND)                        \
    X(CLOSE)                       \
    X(RECORD_TICK)                 \
    X(RECORD_KEYFRAME)             \
    X(RECORD_EVENT)                \
    X(RECORD_SEAL)                 \
    X(ENCODE_SNAPSHOT)             \
    X(HOLD)                        \
    X(LOG)                         \
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

/// A log line's content. The host writes it as text.
typedef struct iso_session_note {
    uint8_t level;                        // iso_session_log_level
    uint8_t slot;                         // ISO_SLOT_NONE when it is not about a member
    const char *text;                     // static, English: "joined", "left", "the clock slipped"
    uint64_t connection;                  // 0: about no connection
    uint64_t tick;                        // of the world when it happened
    iso_status status;                    // ISO_OK or the reason
    uint64_t value;                       // the text's number, else 0: milliseconds slipped, a wrong root
    uint64_t expected;                    // the text's second number, else 0: the right root
    char member[ISO_MEMBER_NAME_MAX + 1]; // the name that the peer gave itself; may be empty
} iso_session_note;

typedef struct iso_session_action {
    uint8_t kind;                // iso_session_action_kind
    iso_status status;           // CLOSE; RECORD_SEAL, CLOSED: the reason; ISO_ERR_RESTARTING: the session is not over
    uint32_t connection_count;   // SEND: at least 1; CLOSE: 1
    const uint64_t *connections; // SEND, CLOSE
    uint64_t origin;             // HOLD
    bool is_held;                // HOLD
    const iso_message *message;  // SEND
    uint64_t tick;               // RECORD_TICK, RECORD_KEYFRAME, RECORD_SEAL, ENCODE_SNAPSHOT
    uint64_t root;               // of the same: after `tick`
    const iso_tick_input *input; // RECORD_TICK; `bytes` are the same, for iso_recording_encode_sealed_tick
    const uint8_t *bytes;        // RECORD_TICK, RECORD_KEYFRAME (compressed), ENCODE_SNAPSHOT (plain)
    size_t byte_count;
    size_t plain_size;                // RECORD_KEYFRAME: of the snapshot before compression
    const iso_recording_event *event; // RECORD_EVENT
    const iso_session_note *note;     // LOG
} iso_session_action;

/// Handles one event. Never fails: a peer that violates the protocol is ended. After a call that comes more than a
/// second later than iso_session_next_deadline has asked for, no time limit of a peer or of a held slot passes for two
/// seconds (for a shorter limit: for the limit): the host reads first what has come while it was stopped.
/// @param now_ns  monotonic; a value below an earlier one counts as that one
void iso_session_handle(iso_session *session, uint64_t now_ns, const iso_session_event *event);

/// The next action, in the order in which they must be carried out. @return false when there is none.
bool iso_session_next_action(iso_session *session, iso_session_action *action);

/// When to send TIME, at the latest; perhaps in the past. UINT64_MAX after CLOSED.
uint64_t iso_session_next_deadline(const iso_session *session);

/// The present deadline of a tick [ns]: first + (tick - base) * 10^9 / rate, rounded down.
uint64_t iso_session_tick_deadline(const iso_session *session, uint64_t tick);

/// Connections that ended, and that were refused before WELCOME, by the status that they were told. X(name, status)
#define ISO_SESSION_ENDED_LIST(X)                     \
    X(ended_malformed, ISO_ERR_MALFORMED)             \
    X(ended_frame_too_large, ISO_ERR_FRAME_TOO_LARGE) \
    X(ended_decode_budget, ISO_ERR_DECODE_BUDGET)     \
    X(ended_unsupported, ISO_ERR_UNSUPPORTED)         \
    X(ended_bad_enum, ISO_ERR_BAD_ENUM)               \
    X(ended_range, ISO_ERR_RANGE)                     \
    X(ended_geometry, ISO_ERR_GEOMETRY)               \
    X(ended_dimension, ISO_ERR_DIMENSION)             \
    X(ended_state, ISO_ERR_STATE)                     \
    X(ended_rate, ISO_ERR_RATE)                       \
    X(ended_timeout, ISO_ERR_TIMEOUT)                 \
    X(ended_slow_consumer, ISO_ERR_SLOW_CONSUMER)     \
    X(ended_join_timeout, ISO_ERR_JOIN_TIMEOUT)       \
    X(ended_too_slow, ISO_ERR_TOO_SLOW)               \
    X(ended_desync, ISO_ERR_DESYNC)                   \
    X(ended_taken_over, ISO_ERR_TAKEN_OVER)

#define ISO_SESSION_REFUSED_LIST(X)                       \
    X(refused_hello_timeout, ISO_ERR_TIMEOUT)             \
    X(refused_server_full, ISO_ERR_SERVER_FULL)           \
    X(refused_session_full, ISO_ERR_SESSION_FULL)         \
    X(refused_spectators_full, ISO_ERR_SPECTATORS_FULL)   \
    X(refused_no_session, ISO_ERR_NO_SESSION)             \
    X(refused_protocol_version, ISO_ERR_PROTOCOL_VERSION) \
    X(refused_fingerprint, ISO_ERR_FINGERPRINT)           \
    X(refused_no_resume, ISO_ERR_NO_RESUME)

/// What a session counts since iso_session_create. X(name, what)
#define ISO_SESSION_STAT_LIST(X)                                                \
    X(tick, "the last sealed tick")                                             \
    X(written_tick, "sent up to here")                                          \
    X(durable_tick, "safe on disk up to here")                                  \
    X(connections, "now")                                                       \
    X(members, "now, without held ones")                                        \
    X(held, "slots held now")                                                   \
    X(spectators, "now")                                                        \
    X(degraded, "1: nothing is recorded, because of a disk error")              \
    X(restarts, "recordings that were begun again")                             \
    X(ticks_sealed, "ticks")                                                    \
    X(ticks_late, "sealed more than one interval after their deadline")         \
    X(slips, "how often the clock slipped")                                     \
    X(slipped_ns, "by how much in all")                                         \
    X(pauses, "how often the session was paused")                               \
    X(wakes, "and continued")                                                   \
    X(strict_waits, "ticks that waited for a member")                           \
    X(strict_waited_ns, "and how long in all")                                  \
    X(strict_demotions, "members that the clock no longer waits for")           \
    X(commands_sealed, "commands in ticks")                                     \
    X(commands_moved, "to a later tick than their target")                      \
    X(commands_rejected, "before they were ordered, for any reason")            \
    X(rejected_role, "commands of spectators")                                  \
    X(rejected_future, "targets too far ahead")                                 \
    X(rejected_replay, "sequences used already")                                \
    X(rejected_rate, "too many commands")                                       \
    X(rejected_late, "targets sealed already")                                  \
    X(rejected_messages, "whole messages: form, range, enumerators, dimension") \
    X(joins, "JOIN changes")                                                    \
    X(leaves, "LEAVE changes")                                                  \
    X(drops, "DROP changes")                                                    \
    X(resumes, "RESUME changes")                                                \
    X(holds_expired, "members that did not resume in time")                     \
    X(resumed_ticks, "HELLOs with a resume answered with ticks")                \
    X(resumed_snapshot, "with a snapshot")                                      \
    X(resumed_rewind, "with REWIND")                                            \
    X(rewinds_restored, "clients that had the state to go back to")             \
    X(snapshots, "taken, for joiners, healing and keyframes together")          \
    X(confirms, "roots of clients that were right")                             \
    X(desyncs, "and that were wrong")                                           \
    X(false_reports, "reports of a desync with the right root")                 \
    X(heals, "clients whose world is or was replaced")                          \
    X(lists, "LIST messages answered")                                          \
    X(ended_by_peer, "connections that left or closed")                         \
    ISO_SESSION_ENDED_LIST(X)                                                   \
    X(ended_rejects, "too many refused commands or messages")                   \
    X(ended_kicked, "and those that were banned")                               \
    X(ended_shutdown, "also for a restart, and with the session")               \
    ISO_SESSION_REFUSED_LIST(X)                                                 \
    X(refused_shutdown, "likewise")                                             \
    X(refused_form, "what is no HELLO, or breaks the rules of the wire")        \
    X(notes_lost, "log lines beyond what was kept between two calls")

typedef struct iso_session_stats {
#define ISO_SESSION_STAT_FIELD(name, what) uint64_t name;
    ISO_SESSION_STAT_LIST(ISO_SESSION_STAT_FIELD)
#undef ISO_SESSION_STAT_FIELD
} iso_session_stats;

void iso_session_get_stats(const iso_session *session, iso_session_stats *stats);

/// As in SESSION_LIST.
void iso_session_get_info(const iso_session *session, iso_session_info *info);

/// Whether the recorder is given events: a recording is being written, or is to begin again.
bool iso_session_records(const iso_session *session);

/// Whether nothing is recorded although it should be, or nothing of it becomes durable.
bool iso_session_is_degraded(const iso_session *session);

/// Somebody who is here, for whoever runs the server.
typedef struct iso_session_person {
    uint8_t role; // iso_role
    uint8_t slot; // ISO_SLOT_NONE: a spectator
    bool is_held;
    bool is_joining; // has not been activated yet, or is being healed
    uint32_t generation;
    uint64_t connection; // 0: it is held
    uint64_t since_ns;   // as the events' times: when it joined, or this session began to run with it
    uint64_t
        // From a tick to its acknowledgement, up to an interval more than the network takes; 0: not known
        round_trip_ns;
    uint64_t late; // commands
    uint64_t desyncs;
    char name[ISO_MEMBER_NAME_MAX + 1];
} iso_session_person;

/// Members by slot, then spectators. @return how many; at most `capacity`
uint32_t iso_session_get_people(const iso_session *session, iso_session_person *people, uint32_t capacity);

/// Whom KICK would remove. @return false: nobody
bool iso_session_find_person(const iso_session *session, uint64_t connection, uint32_t slot, iso_session_person *found);

/// The member of a slot, for a recording that begins in the middle of a session.
/// @return false: the slot has none
bool iso_session_get_member(const iso_session *session, uint32_t slot, iso_recording_event *event);

/// For reading only.
const iso_world *iso_session_get_world(const iso_session *session);

#ifdef __cplusplus
}
#endif

#endif
