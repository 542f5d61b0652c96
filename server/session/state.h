/// The data of a session. What its files do with it is in a header for each.
///
/// Everything is in a few blocks that iso_session_create allocates:
///
///   session      this struct
///   connections  peers; the open ones are also in a list, and by their id in a hash table
///   members      one per slot of the world, with its queue of commands
///   ring         the last sealed ticks as canonical bytes, for joining and resuming clients, and their roots
///
/// Only the images of the world, for joiners, healing and keyframes, are allocated when they are taken and released
/// when they are no longer needed: most sessions have none most of the time.
///
/// Output is pulled: handling an event only changes this state; iso_session_next_action derives the next
/// action from it. So no queue of messages can overflow, and a tick is stored once however many read it.
#ifndef ISO_SESSION_STATE_H
#define ISO_SESSION_STATE_H

#include "session.h"

#define ISO__NS_PER_SECOND UINT64_C(1000000000)
#define ISO__NS_PER_MS     UINT64_C(1000000)

#define ISO__MEMBER_QUEUE    64u // commands that wait for their tick
#define ISO__REJECTS_MAX     96u // refusals that wait to be sent to one peer; more than one INPUT can cause
#define ISO__PONGS_MAX       4u
#define ISO__TOLD_MAX        4u // notices that are kept for those who come later
#define ISO__NOTES_MAX       128u
#define ISO__EVENTS_MAX      128u
#define ISO__IMAGES          2u
#define ISO__IN_FLIGHT_MAX   120u // ticks between sealed and written; beyond, the clock waits for the disk
#define ISO__RESTART_LAG_MAX 200u // maximum delay in ticks of a keyframe that begins the recording again
#define ISO__CANONICAL_MAX   (ISO_FRAME_MAX_SERVER + ISO_COMMAND_SIZE_MAX) // [bytes] of a tick's commands, and one more
#define ISO__RING_TICK_MAX   65536u // [bytes] maximum size of a tick in the ring: less than its frame
#define ISO__REPLAY_PER_TICK 8u     // ticks that a joiner is sent per tick of the session, as a multiple of real time
#define ISO__REPLAY_BURST    64u
#define ISO__REPLAY_QUEUED   65536u // [bytes] a joiner with more in its queue has to read first
#define ISO__CHUNKS_GRACE_NS (5u * ISO__NS_PER_SECOND)
// A client whose latency has just grown does not trust its clock yet, and waits for a number of pings.
#define ISO__CATCH_UP_GRACE_S      15u
#define ISO__JOIN_BYTES_PER_SECOND 65536u
#define ISO__ANSWERS_BURST         (2u * ISO_INPUT_COMMANDS_MAX)
#define ISO__RESULTS_URGENT        64u // of a member: STATUS goes out at once; a tick adds at most a queue of them
#define ISO__REPORTS_BURST         64u
#define ISO__STRIKES_MAX           3u
/// A host that calls so much later than it was asked to was stopped. Peers then have the grace for what they have sent.
#define ISO__STOPPED_NS       (1u * ISO__NS_PER_SECOND)
#define ISO__STOPPED_GRACE_NS (2u * ISO__NS_PER_SECOND)
#define ISO__STRIKES_NS       (60u * ISO__NS_PER_SECOND)
#define ISO__REFUSED_MAX      8u // connections beyond the capacity that are being refused
#define ISO__NO_CONNECTION    UINT32_MAX
#define ISO__BUCKETS          2048u // of the hash table; at least the largest capacity

// A session that continues from a recording knows which secret a member used last, but after a power cut perhaps not
// the last few. This many numbers are tried from there on.
#define ISO__SECRETS_UNKNOWN 16u

// Limits for the list of members, in entries: the whole list, and then so many a second. Changes beyond that are sent
// later, and other clients read at most 64 bytes for each.
#define ISO__ROSTER_BURST            96u
#define ISO__ROSTER_MEMBERS_PER_S    16u
#define ISO__ROSTER_SPECTATORS_PER_S 4u
#define ISO__SEAT_NONE               UINT8_MAX

#define ISO__STRICT_TICK_NS      (250u * ISO__NS_PER_MS)
#define ISO__STRICT_ORIGIN_NS    (1u * ISO__NS_PER_SECOND) // in a window, for all members of one origin
#define ISO__STRICT_NEWCOMERS_NS (1u * ISO__NS_PER_SECOND) // for all together who joined less than a window ago
#define ISO__STRICT_SESSION_NS   (6u * ISO__NS_PER_SECOND) // for all
#define ISO__STRICT_WINDOW_NS    (60u * ISO__NS_PER_SECOND)
#define ISO__STRICT_ORIGINS      64u // that are remembered; at least the number of slots

typedef enum iso__phase {
    ISO__PHASE_FREE,
    ISO__PHASE_HELLO,    // waiting for HELLO
    ISO__PHASE_CLAIM,    // its claim to a slot is valid, WELCOME waits for the recording
    ISO__PHASE_REWIND,   // waiting for REWIND_ANSWER
    ISO__PHASE_IMAGE,    // waiting for a snapshot to be ready
    ISO__PHASE_CHUNKS,   // the snapshot is under way
    ISO__PHASE_CATCH_UP, // the ticks since are under way
    ISO__PHASE_ACTIVE,   // member or spectator
    ISO__PHASE_ENDING,   // a last message, then CLOSE
} iso__phase;

typedef struct iso__reject {
    uint64_t sequence;
    iso_status code;
} iso__reject;

/// A notice, as it was given.
typedef struct iso__told {
    iso_message_notice message;
    uint64_t number;      // how many there were before it
    uint64_t connection;  // whom it is for; 0: everybody
    uint64_t deadline_ns; // 0: none
} iso__told;

/// A bucket of tokens that fills with time. Counted in nanoseconds, so that nothing is ever rounded away.
typedef struct iso__bucket {
    uint64_t level_ns;  // what it holds: tokens * ns_per_token
    uint64_t filled_ns; // when it was last filled
} iso__bucket;

/// Counts violations in ISO__STRIKES_NS, up to a limit.
typedef struct iso__strikes {
    uint32_t count;
    uint64_t since_ns;
} iso__strikes;

/// The used part of an allowance in the present window.
typedef struct iso__allowance {
    uint64_t key; // of its owner; 0: unused
    uint64_t since_ns;
    uint64_t used_ns;
} iso__allowance;

typedef struct iso__connection {
    uint64_t id;
    uint64_t origin;     // the host's; 0: none
    bool is_origin_full; // no more members may join from there
    uint32_t open_index; // in the list of open connections
    uint32_t next;       // of the same bucket, or the next free place; index + 1, 0: none
    bool is_due_queued;  // in the queue of connections that may have something to send
    uint8_t phase;       // iso__phase
    uint8_t role;        // iso_role, after HELLO
    uint8_t slot;        // ISO_SLOT_NONE: none
    uint8_t image;       // IMAGE, CHUNKS: which one; UINT8_MAX: none yet
    uint8_t resumed;     // iso_resumed, as in WELCOME
    char name[ISO_MEMBER_NAME_MAX + 1];
    uint32_t features;   // of HELLO: what may be sent to it
    bool is_packed;      // the peer takes zstd
    uint8_t seat;        // of a spectator, in the list of members; ISO__SEAT_NONE: none
    bool is_members_due; // the whole list is to be sent, directly after WELCOME
    bool is_names_due;
    bool is_welcome_due, is_rewind_due, is_begin_due, is_activation_due, is_status_due, is_state_due, is_notice_due,
        is_list_due;
    bool is_root_shown;   // CAUGHT_UP was right
    bool has_hello;       // it ends with BYE; without it, with REFUSAL
    bool is_activated;    // it was once ACTIVE
    bool is_healing;      // its roots are of a world that is to be replaced
    bool is_not_compared; // its roots are wrong and the policy is to ignore that
    bool is_proven;       // it has used its secret: it has sent a message after ACTIVATE
    iso_resume claim;     // CLAIM: what it has shown
    uint64_t opened_ns;
    uint64_t heard_ns;      // last message
    uint64_t progress_ns;   // of the join
    uint64_t too_slow_ns;   // CHUNKS: when it must be over
    uint64_t too_slow_tick; // CATCH_UP: when it must be over
    uint32_t queued_bytes;
    iso__bucket bytes;   // of messages from the peer
    iso__bucket reports; // of desync reports that are ignored
    iso__bucket answers; // refused commands before it is ended
    iso__strikes refused_messages;
    iso__strikes desyncs; // of a spectator
    uint64_t desync_count;
    uint64_t probe_tick, probe_ns;  // a tick whose acknowledgement is awaited, and when it was sent; 0: none
    uint64_t round_trip_ns;         // mean; 0: not known
    uint64_t told_next, told_first; // number of the next notice to look at, and of the first one since it came

    uint32_t chunk_count, chunks_sent, chunks_acked;
    uint32_t replay_budget; // ticks that may be sent before the next tick is sealed
    uint64_t snapshot_tick; // the first one whose root it can know
    uint64_t sent_tick;     // CATCH_UP, ACTIVE: the last TICK that was given to the host
    uint64_t top_tick;      // the highest one so far
    uint64_t acked_tick;
    uint64_t join_tick;
    uint64_t rewind_tick;

    iso__reject rejects[ISO__REJECTS_MAX];
    uint32_t reject_count, reject_sent;
    iso_message_pong pongs[ISO__PONGS_MAX];
    uint32_t pong_count, pong_sent;
    iso_message_desync_notice notice;
    iso_status state_code; // of the STATE_NOTICE that is due
    uint32_t secret_number;
    uint8_t secret[ISO_SECRET_SIZE];

    iso_status end_status; // ENDING
    bool has_said_end;
    char end_expected[ISO_EXPECTED_TEXT_MAX + 1];
} iso__connection;

typedef struct iso__queued_command {
    uint64_t sequence;
    uint64_t target;
    uint32_t units;                  // its price when it came
    uint32_t canonical_offset, size; // of its canonical bytes, when it was taken for the present tick
    iso_command command;
} iso__queued_command;

/// The result of a command, for STATUS.
typedef struct iso__result {
    uint64_t tick;
    iso_member_result result;
} iso__result;

typedef enum iso__member_state {
    ISO__MEMBER_FREE,
    ISO__MEMBER_RESERVED, // for a connection that is joining
    ISO__MEMBER_JOINING,  // JOIN goes into the next tick
    ISO__MEMBER_ACTIVE,
    ISO__MEMBER_DROPPING, // DROP goes into the next tick
    ISO__MEMBER_HELD,
    ISO__MEMBER_RESUMING, // RESUME goes into the next tick
} iso__member_state;

typedef enum iso__hold {
    ISO__HOLD_NONE, // nothing is to be reported
    ISO__HOLD_BEGINS,
    ISO__HOLD_ENDS,
} iso__hold;

/// A slot's data. Its last holder's LEAVE may wait for the next tick while the slot is already reserved again.
typedef struct iso__member {
    uint8_t state; // iso__member_state
    uint8_t late_policy;
    uint32_t generation; // of the slot: FREE, RESERVED: the last one; else the present or next one
    uint32_t connection; // index; ISO__NO_CONNECTION: none, or none yet since the hold
    char name[ISO_MEMBER_NAME_MAX + 1];
    uint64_t hold_until_ns; // DROPPING, HELD

    bool is_leave_due;
    uint32_t leave_generation;
    iso_status leave_status; // the reason
    char leave_name[ISO_MEMBER_NAME_MAX + 1];

    // The valid secrets: the one that was used last, and those that were given since, up to the newest.
    uint32_t secret_newest, secret_used;
    uint32_t promised_generation, promises; // the last generation that was promised to joiners, and to how many
    uint64_t secret_tick;                   // the tick with which the number of the used secret is in the recording
    iso__strikes desyncs;                   // of the member, on any of its connections
    bool has_unknown_secrets;               // from a recording: newer ones may have been given and used

    uint64_t origin;            // of its connection, or of the last one; 0: not known
    uint64_t told_origin;       // as in HOLD: for which the slot is held; 0: it is not held
    bool is_waited_for;         // STRICT: it has sent an INPUT since it joined or resumed
    uint64_t newcomer_until_ns; // STRICT

    uint64_t last_sequence; // accepted or rejected
    uint64_t last_target;
    uint64_t late_count;
    uint64_t desync_count;
    uint64_t since_ns; // when it joined
    int32_t margin_q8; // smallest since the last STATUS
    iso__bucket commands;
    iso__bucket units; // of their prices
    uint32_t queue_first, queue_count;
    uint32_t result_first, result_count;          // the oldest are overwritten
    iso__queued_command queue[ISO__MEMBER_QUEUE]; // last, so that its unused part is never touched
    iso__result results[ISO_STATUS_RESULTS_MAX];
} iso__member;

/// A spectator's entry in the list of members.
typedef struct iso__seat {
    uint32_t connection; // index; ISO__NO_CONNECTION: free
    uint32_t generation; // rises with each spectator that takes it; 0: never taken
    char name[ISO_MEMBER_NAME_MAX + 1];
} iso__seat;

/// The list of members as connections have it: all, without the pending changes.
typedef struct iso__roster {
    iso__seat seats[ISO_SPECTATORS_TOLD_MAX];
    uint32_t spectator_count;            // that were activated, including those without a seat
    uint32_t slots_changed;              // bits
    uint64_t seats_changed;              // bits
    uint8_t next_slot, next_seat;        // where the next round of changes begins
    bool has_changed_count;              // by spectators without a seat
    iso__bucket members, spectators;     // entries that may be sent
    iso_member entries[ISO_MEMBERS_MAX]; // of the present action
} iso__roster;

/// A command's canonical bytes.
typedef struct iso__canonical {
    const uint8_t *bytes;
    uint32_t size;
} iso__canonical;

/// One sealed tick in the ring.
typedef struct iso__sealed_tick {
    uint64_t root;
    uint32_t offset, size;
} iso__sealed_tick;

typedef struct iso__ring {
    iso__sealed_tick *ticks; // by tick modulo tick_capacity
    uint8_t *bytes;
    uint32_t tick_capacity, byte_capacity;
    uint64_t first_root, first, end; // roots of [first_root, end), bytes of [first, end)
    uint32_t write_offset;
} iso__ring;

typedef enum iso__image_state {
    ISO__IMAGE_FREE,     // has no memory
    ISO__IMAGE_TAKEN,    // ENCODE_SNAPSHOT is to be given
    ISO__IMAGE_ENCODING, // and was given
    ISO__IMAGE_READY,
} iso__image_state;

typedef struct iso__image {
    uint8_t state;           // iso__image_state
    bool is_keyframe;        // RECORD_KEYFRAME is to be given when it is ready
    bool has_packing_failed; // only the plain bytes are there
    uint32_t users;          // connections in IMAGE or CHUNKS
    uint64_t tick, root;
    uint8_t *plain, *packed; // of exactly these sizes
    size_t plain_size, packed_size;
} iso__image;

typedef enum iso__run_state {
    ISO__RUN_OPEN,
    ISO__RUN_DRAINING, // ending the connections
    ISO__RUN_SEALING,  // RECORD_SEAL was given
    ISO__RUN_CLOSING,  // CLOSED is to be given
    ISO__RUN_CLOSED,
} iso__run_state;

struct iso_session {
    iso_session_config config;
    iso_allocator allocator;
    iso_world *world;
    const iso_game *game;
    iso_fingerprint fingerprint;      // of the world
    iso_fingerprint fingerprint_core; // without its game
    uint32_t rate_hz;
    uint32_t slot_count;
    uint64_t status_ticks; // between two STATUS

    uint64_t now_ns;
    uint64_t base_ns, base_tick; // deadline(T) = base_ns + (T - base_tick) * 10^9 / rate
    uint64_t epoch_tick;         // of the world when this epoch began
    uint64_t sealed_tick;
    uint64_t sent_tick; // given to SEND
    uint64_t written_tick;
    uint64_t recorded_tick; // given to RECORD_TICK
    uint64_t durable_tick;
    uint64_t keyframe_tick; // of the last one that was taken
    uint64_t record_tick;   // of the keyframe with which the recording began
    bool has_begun;         // the first event was handled, or the first action was asked for
    bool is_replayed;       // ticks came from a recording
    bool is_recording;      // ticks wait until they are written
    bool is_restarting;     // the recording has ended early: a keyframe is to begin it again; no tick waits for it yet
    bool is_sync_hanging;   // no tick becomes durable
    bool is_record_begun;   // the first keyframe was taken
    bool is_record_open;    // and handed out
    bool is_behind_noted;

    bool has_changed_holds; // HOLD may have to be given

    // Bits: at least the slots that are not FREE or whose LEAVE is due. A member's commands make it large, so to look
    // at the free ones as well would touch a page of memory for each, in every tick and at every message.
    uint32_t slots_used;

    uint8_t run; // iso__run_state
    bool is_paused;
    uint64_t shutdown_ns;
    iso_status drain_status; // the reason, as it is sent to peers
    bool goes_on;            // it ends, but is not over
    uint64_t empty_since_ns;
    uint64_t strict_tick; // the tick that the clock waits for; 0: it does not
    uint64_t strict_since_ns, strict_charged_ns;
    uint64_t strict_end_ns;                   // when an allowance is used up
    uint64_t strict_keys[ISO_SLOT_COUNT_MAX]; // the origins of those it waits for
    uint32_t strict_key_count;
    bool is_strict_for_newcomers_only; // and all of them are newcomers
    iso__allowance strict_origins[ISO__STRICT_ORIGINS], strict_newcomers, strict_all;

    iso__connection *connections;
    uint32_t connection_capacity; // of the array
    uint32_t connection_used;     // entries that were ever used
    uint32_t connection_free;     // list of free ones among these; index + 1
    uint32_t *open;               // indices
    uint32_t connection_count;    // how many
    uint32_t player_count;        // of them, with a slot
    uint32_t spectator_count;     // of them, welcomed
    uint32_t joiner_count;        // of them, on the way to ACTIVE
    uint64_t patience_ns;         // lower bound of all connections' time limits
    uint16_t buckets[ISO__BUCKETS];
    uint32_t *due; // queue of indices, a ring of connection_capacity
    uint32_t due_first, due_count;
    uint64_t *recipients;
    iso__member *members;
    iso__roster roster;
    iso__ring ring;
    iso__image images[ISO__IMAGES];

    iso__told told[ISO__TOLD_MAX]; // by number
    uint64_t told_count;           // ever
    uint32_t told_kept;

    iso_session_note notes[ISO__NOTES_MAX];
    uint32_t note_first, note_count;
    iso_recording_event events[ISO__EVENTS_MAX];
    uint32_t event_first, event_count;

    // The content of the present action.
    iso_message message;
    iso_session_note note;
    iso_recording_event event;
    iso_session_info info;
    iso_member_result results[ISO_STATUS_RESULTS_MAX];
    iso_change changes[ISO_TICK_CHANGES_MAX];
    iso_sealed_command *commands; // ISO_TICK_COMMANDS_MAX
    iso_tick_input input;         // the tick that these two hold: the last sealed one, or one from the ring

    // Of the commands of the last sealed tick, in their order.
    iso__canonical *canonical; // ISO_TICK_COMMANDS_MAX
    uint8_t *canonical_bytes;  // ISO__CANONICAL_MAX

    iso_session_stats stats;
};

#endif
