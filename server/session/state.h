/// What a session keeps, and the functions that its files share.
///
/// Called by server/session only. Everything stands in a few blocks that iso_session_create allocates:
///
///   session      this struct
///   connections  peers, in no order that anything depends on but their index
///   members      one per slot of the world, with its queue of commands
///   ring         the last sealed ticks as canonical bytes, for late joiners, and their roots
///   images       two snapshots of the world, for joiners and keyframes
///
/// Output is pulled: handling an event only changes this state; iso_session_next_action derives the next
/// action from it. So no queue of messages can overflow, and a tick is stored once however many read it.
#ifndef ISO_SESSION_STATE_H
#define ISO_SESSION_STATE_H

#include <string.h> // memcpy, memset, memcmp; nothing else of a C library

#include "session.h"

#define ISO__NS_PER_SECOND UINT64_C(1000000000)
#define ISO__NS_PER_MS UINT64_C(1000000)

#define ISO__MEMBER_QUEUE 64u // commands that wait for their tick
#define ISO__REJECTS_MAX 96u  // refusals that wait to be sent to one peer; more than one INPUT can cause
#define ISO__PONGS_MAX 4u
#define ISO__NOTES_MAX 128u
#define ISO__EVENTS_MAX 128u
#define ISO__IMAGES 2u
#define ISO__IN_FLIGHT_MAX 120u // ticks between sealed and written; beyond, the clock waits for the disk
#define ISO__REPLAY_PER_TICK 8u // ticks that a joiner is sent per tick of the session: so many times real time
#define ISO__REPLAY_BURST 64u
#define ISO__REPLAY_QUEUED 65536u // [bytes] a joiner with more in its queue has to read first
#define ISO__CHUNKS_GRACE_NS (5u * ISO__NS_PER_SECOND)
// A client that does not trust its clock yet, because its latency has just grown, waits for a number of pings.
#define ISO__CATCH_UP_GRACE_NS (15u * ISO__NS_PER_SECOND)
#define ISO__JOIN_BYTES_PER_SECOND 65536u
#define ISO__ANSWERS_BURST (2u * ISO_INPUT_COMMANDS_MAX)
#define ISO__STRIKES_MAX 3u
#define ISO__STRIKES_NS (60u * ISO__NS_PER_SECOND)
#define ISO__REFUSED_MAX 8u // connections beyond the capacity that are just being told so

/// A broken invariant of ours, never what a peer sent.
#define ISO__SESSION_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())

typedef enum iso__phase {
    ISO__PHASE_FREE,
    ISO__PHASE_HELLO,    // waiting for HELLO
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

/// A bucket of tokens that fills with time. Counted in nanoseconds, so that nothing is ever rounded away.
typedef struct iso__bucket {
    uint64_t level_ns;  // what it holds: tokens * ns_per_token
    uint64_t filled_ns; // when it was last filled
} iso__bucket;

typedef struct iso__connection {
    uint64_t id;
    uint8_t phase; // iso__phase
    uint8_t role;  // iso_role, after HELLO
    uint8_t slot;  // ISO_SLOT_NONE: none
    uint8_t image; // CHUNKS: which one
    char name[ISO_MEMBER_NAME_MAX + 1];
    bool packed; // the peer takes zstd
    bool welcome_due, begin_due, activate_due, status_due, notice_due;
    bool root_shown; // CAUGHT_UP was right
    bool hello_seen; // it ends with BYE; before, with REFUSAL
    uint64_t opened_ns;
    uint64_t heard_ns;    // last message
    uint64_t progress_ns; // of the join
    uint64_t too_slow_ns; // when the present phase of the join must be over
    uint32_t queued_bytes;
    iso__bucket bytes;   // of what the peer sends
    iso__bucket answers; // refused commands that it may cause before it is ended
    uint32_t strikes;    // refused messages since strikes_ns
    uint64_t strikes_ns;

    uint32_t chunk_count, chunks_sent, chunks_acked;
    uint32_t replay_budget; // ticks that may be sent before the next tick is sealed
    uint64_t snapshot_tick;
    uint64_t sent_tick; // CATCH_UP, ACTIVE: the last TICK that was given to the host
    uint64_t acked_tick;
    uint64_t join_tick;

    iso__reject rejects[ISO__REJECTS_MAX];
    uint32_t reject_count, reject_sent;
    iso_message_pong pongs[ISO__PONGS_MAX];
    uint32_t pong_count, pong_sent;
    iso_message_desync_notice notice;

    iso_status end_status; // ENDING
    bool end_said;
    char end_expected[ISO_EXPECTED_TEXT_MAX + 1];
} iso__connection;

typedef struct iso__queued_command {
    uint64_t sequence;
    uint64_t target;
    uint32_t wire_size; // at most, in a TICK
    iso_command command;
} iso__queued_command;

typedef enum iso__member_state {
    ISO__MEMBER_FREE,
    ISO__MEMBER_RESERVED, // for a connection that is joining
    ISO__MEMBER_JOINING,  // JOIN goes into the next tick
    ISO__MEMBER_ACTIVE,
    ISO__MEMBER_LEAVING, // LEAVE goes into the next tick
} iso__member_state;

typedef struct iso__member {
    uint8_t state;          // iso__member_state
    uint32_t generation;    // of the slot: JOINING, ACTIVE and LEAVING: present or coming; FREE, RESERVED: the last one
    uint32_t connection;    // index; UINT32_MAX for a member that left
    iso_status left_status; // LEAVING: why
    uint64_t last_sequence; // accepted or rejected
    uint64_t last_target;
    uint64_t late_count;
    int32_t margin_q8; // smallest since the last STATUS
    iso__bucket commands;
    uint32_t queue_first, queue_count;
    iso__queued_command queue[ISO__MEMBER_QUEUE];
} iso__member;

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
    ISO__IMAGE_FREE,
    ISO__IMAGE_TAKEN,    // ENCODE_SNAPSHOT is to be given
    ISO__IMAGE_ENCODING, // and was given
    ISO__IMAGE_READY,
} iso__image_state;

typedef struct iso__image {
    uint8_t state;      // iso__image_state
    bool keyframe;      // RECORD_KEYFRAME is to be given when it is ready
    bool packed_failed; // only the plain bytes are there
    uint32_t users;     // connections in CHUNKS
    uint64_t tick, root;
    uint8_t *plain, *packed;
    size_t plain_size, packed_size;
} iso__image;

typedef enum iso__run_state {
    ISO__RUN_OPEN,
    ISO__RUN_DRAINING, // saying goodbye
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
    size_t size;           // of this block

    uint64_t now_ns;
    uint64_t base_ns, base_tick; // deadline(T) = base_ns + (T - base_tick) * 10^9 / rate
    uint64_t first_tick;         // of the world at the start
    uint64_t sealed_tick;
    uint64_t sent_tick; // given to SEND
    uint64_t written_tick;
    uint64_t recorded_tick; // given to RECORD_TICK
    uint64_t durable_tick;
    uint64_t keyframe_tick; // of the last one that was taken
    bool recording;         // and not degraded
    bool record_begun;      // the first keyframe was taken
    bool record_open;       // and given
    bool behind_noted;

    uint8_t run; // iso__run_state
    uint64_t shutdown_ns;

    iso__connection *connections;
    uint32_t connection_capacity; // of the array
    uint32_t connection_count;
    uint64_t *recipients;
    iso__member members[ISO_SLOT_COUNT_MAX];
    iso__ring ring;
    iso__image images[ISO__IMAGES];
    size_t plain_capacity, packed_capacity;

    iso_session_note notes[ISO__NOTES_MAX];
    uint32_t note_first, note_count;
    iso_recording_event events[ISO__EVENTS_MAX];
    uint32_t event_first, event_count;

    // The present action's contents.
    iso_message message;
    iso_session_note note;
    iso_recording_event event;
    iso_change changes[ISO_TICK_CHANGES_MAX];
    iso_sealed_command commands[ISO_TICK_COMMANDS_MAX];
    iso_tick_input input;

    iso_session_stats stats;
};

// clock.c

void iso__clock_start(iso_session *session, uint64_t now_ns);
/// Ticks whose deadline has passed, counted as the last one's number.
uint64_t iso__clock_tick(const iso_session *session, uint64_t *fraction_q8);
/// Slips when more ticks are overdue than may be caught up.
void iso__clock_limit(iso_session *session);
/// How long before its sealing a tick is now [1/256 tick], negative afterwards.
int32_t iso__clock_margin_q8(const iso_session *session, uint64_t tick);

/// Takes `cost` tokens from a bucket of `burst` tokens that gains `per_second` a second.
/// @return false when there are not so many; nothing is taken then
bool iso__bucket_take(iso__bucket *bucket, uint64_t now_ns, uint32_t per_second, uint32_t burst, uint32_t cost);
iso__bucket iso__bucket_full(uint64_t now_ns, uint32_t per_second, uint32_t burst);

// ring.c

void iso__ring_init(iso__ring *ring, uint64_t first_tick);
void iso__ring_append(iso__ring *ring, const iso_tick_input *input, uint64_t root);
/// @return false when the tick is not kept any more, or not yet
bool iso__ring_read(const iso__ring *ring, uint64_t tick, iso_change *changes, iso_sealed_command *commands,
                    iso_tick_input *input);
bool iso__ring_root(const iso__ring *ring, uint64_t tick, uint64_t *root);

// image.c

/// An image that a joiner can start from: a present one that is young enough, else a new one.
/// @return its index, or UINT8_MAX when one has to be waited for
uint8_t iso__image_find(iso_session *session);
/// Takes a keyframe when one is due and there is room. The first one is due at once.
void iso__image_take_keyframe(iso_session *session);
void iso__image_encoded(iso_session *session, uint64_t tick, const uint8_t *bytes, size_t size);

// inbox.c

void iso__inbox_input(iso_session *session, iso__connection *connection, const iso_message_input *input);
void iso__inbox_reset(iso_session *session, iso__member *member);
/// Takes from all queues what is due in `tick`, sorted by (slot, sequence). @return how many commands
uint32_t iso__inbox_take(iso_session *session, uint64_t tick, iso_sealed_command *commands);

// join.c

void iso__join_hello(iso_session *session, iso__connection *connection, const iso_message_hello *hello);
void iso__join_ack(iso_session *session, iso__connection *connection, uint32_t index);
void iso__join_caught_up(iso_session *session, iso__connection *connection, const iso_message_caught_up *caught_up);
/// Moves a joiner on when it can: from waiting to its chunks, from the last tick to membership.
void iso__join_advance(iso_session *session, iso__connection *connection);

// seal.c

/// Seals the next tick.
void iso__seal(iso_session *session);
/// Whether the clock waits for the disk.
bool iso__seal_is_held(const iso_session *session);

// confirm.c

void iso__confirm(iso_session *session, iso__connection *connection, const iso_message_confirm *confirm);
void iso__confirm_report(iso_session *session, iso__connection *connection, const iso_message_desync_report *report);
/// Ends a peer whose root of a tick is wrong.
void iso__confirm_desync(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t expected,
                         uint64_t actual);

// connection.c

iso__connection *iso__connection_find(iso_session *session, uint64_t id);
void iso__connection_open(iso_session *session, uint64_t id);
void iso__connection_message(iso_session *session, iso__connection *connection, const iso_message *message,
                             uint32_t size);
void iso__connection_bad_frame(iso_session *session, iso__connection *connection, iso_status status);
/// The peer is told why, then closed; a member's slot is given back.
void iso__connection_end(iso_session *session, iso__connection *connection, iso_status status);
/// The connection is no more; a member's slot is given back.
void iso__connection_forget(iso_session *session, iso__connection *connection, iso_status status);
/// Refuses a command, or the whole message with sequence 0. Ends a peer that goes on and on.
void iso__connection_reject(iso_session *session, iso__connection *connection, uint64_t sequence, iso_status code);
/// When this connection's patience ends. @return UINT64_MAX: never
uint64_t iso__connection_deadline(const iso_session *session, const iso__connection *connection, iso_status *status);
/// Ends it if its patience has ended or it reads too slowly.
void iso__connection_check(iso_session *session, iso__connection *connection);
/// The last tick that may be sent: all before the recorder's report must wait.
uint64_t iso__session_open_tick(const iso_session *session);

// note.c

iso_session_note *iso__note(iso_session *session, iso_session_log_level level, const char *text);
void iso__note_about(iso_session *session, iso_session_log_level level, const char *text,
                     const iso__connection *connection, iso_status status);
iso_recording_event *iso__record_event(iso_session *session, iso_recording_event_kind kind, uint8_t slot);
/// Appends text to text that ends with a zero; cuts what does not fit.
void iso__text_append(char *text, size_t capacity, const char *more);
void iso__text_append_number(char *text, size_t capacity, uint64_t value);
void iso__text_append_hex(char *text, size_t capacity, uint64_t value);
void iso__text_copy(char *to, size_t capacity, const char *from);

#endif
