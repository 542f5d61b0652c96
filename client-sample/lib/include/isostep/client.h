/// The client: joins a session, steps the same world as the server, checks every root.
///
/// A pure state machine. It has no socket, clock, thread or file. The program hands in events (what happened outside)
/// and takes out actions (what it has to do). A client is this loop around it:
///
///     connect a TCP stream, then hand in ISO_CLIENT_EVENT_CONNECTED
///     for ever:
///         hand in an event: a decoded message, the end of the connection, or only the time
///         take all actions:
///             SEND        encode the message and write it to the stream      (isostep/proto/codec.h)
///             DECOMPRESS  unpack with zstd, hand in ISO_CLIENT_EVENT_DECOMPRESSED
///             CLOSE       close the stream
///             RECONNECT   connect again, a little later
///             TRY, TRY_END, SWITCH  another stream beside one that is silent; may be ignored
///             the others  notifications; draw, log, decide
///         set a timer for iso_client_next_deadline
///
/// Rules of that loop:
///   - Time is monotonic nanoseconds from any start. It never runs backwards between two calls.
///   - After each iso_client_handle, take all actions before the next event is handed in (handing in an event while
///     actions are left traps). What an action points to is valid until then. The message that was handed in must stay
///     valid as long: the TICK action points to its commands.
///   - Answer DECOMPRESS before the next message is handed in.
///   - After CLOSE, RECONNECT or DISCONNECTED hand in nothing more from that stream, nor from one that TRY has asked
///     for.
///   - There are no callbacks. All memory comes from the allocator, when the client is created, when the scene's
///     names arrive, when the snapshot's size is known and when the world is created; never in a tick.
///
/// What it does by itself: the handshake, the pings, the snapshot with its acknowledgements, catching up, joining,
/// resuming, stepping each tick as it arrives, comparing each root, sending its own, timing the inputs. The program
/// calls iso_client_set_control and iso_client_command, and reads the world.
///
/// client-sample/lib/README.md walks through a whole client.
#ifndef ISOSTEP_CLIENT_H
#define ISOSTEP_CLIENT_H

#include "isostep/allocator.h"
#include "isostep/isostep.h"
#include "isostep/proto/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CLIENT_COMMANDS_MAX 64 // waiting to be sent
#define ISO_CLIENT_LEAD_MAX     60 // ticks
#define ISO_CLIENT_PREDICT_MAX  16 // ticks ahead of the confirmed world
#define ISO_CLIENT_OUTCOMES_MAX \
    128 // of one tick that are reported: results, the game's events, breaks and removals before contacts and sleep

/// @name Configuration
/// @{

typedef struct iso_client_config {
    iso_allocator allocator;
    const iso_game *const *games; // the games that this program has; they must outlive the client
    uint32_t game_count;
    const char *session; // name of the session, [a-z0-9-], 1 to 63 characters
    /// The member's name: at most ISO_MEMBER_NAME_MAX bytes of UTF-8 without control characters; may be empty.
    const char *name;
    uint8_t role; // iso_role
    /// Of a session that has one: at most ISO_PASSWORD_MAX bytes of UTF-8 without control characters; NULL or empty:
    /// none.
    const char *password;
    /// Steps the world and checks every root. False: the client has no world. It sends inputs, acknowledges ticks and
    /// repeats the server's roots. For many members in one process.
    bool verify;
    uint8_t lead_ticks;         // how early inputs should arrive before their tick is sealed; 1 to ISO_CLIENT_LEAD_MAX
    uint64_t flip_at_tick;      // a deliberate desync, see iso_client_flip; 0: never
    uint64_t snapshot_size_max; // [bytes] compressed or not; a larger snapshot ends the client with ISO_ERR_MEMORY
    uint64_t world_size_max;    // [bytes] a larger world ends the client with ISO_ERR_MEMORY
    uint64_t image_memory;      // [bytes] for images of the last confirmed states; 0: only those that prediction needs
    /// Ticks that a second world may run ahead of the confirmed one, 0 to ISO_CLIENT_PREDICT_MAX; 0: no prediction. It
    /// runs to the tick of the last input, that is, ahead by the round trip and the lead. If they are longer than this
    /// number of ticks, it stops there and applies the later inputs early: see ISO_CLIENT_ACTION_PREDICTED. Only for a
    /// player that verifies.
    uint8_t predict_frames;
    /// Keeps the poses of the last ticks, for iso_client_body_pose_at. Only for clients that verify.
    bool interpolate;
    /// When the connection breaks, the client asks for new ones with RECONNECT for this long [ms], and resumes as the
    /// same member if the server still holds its slot. It also asks again for the first connection when that fails or
    /// the server is full. 0: the client ends with its connection.
    uint32_t reconnect_ms;
    uint64_t seed; // of the delays before reconnecting; different for each member
    /// Every so many ticks, creates a second world from a snapshot of the first and steps it with the same ticks, to
    /// test that both stay equal (isostep/sync_test.h). 0: never. Only for clients that verify. Takes twice the memory
    /// of one world and two to four times its time: the second one computes with the processor's other instruction
    /// sets.
    uint32_t sync_test_interval;
    iso_simd simd; // how the worlds compute, not what; the second one of sync_test_interval takes the others in turn
    /// Resume as the member of a client that is no more, such as that of a page before it was loaded anew: `uid`,
    /// `slot`, `slot_generation` and `secret` are those of its last iso_client_welcome, the rest is not read. Its world
    /// comes as a snapshot, and RESUMED instead of JOINED. If the server knows no such member, the client joins as a
    /// new one after a RECONNECT; without `reconnect_ms` it ends with ISO_ERR_NO_RESUME. A connection that this member
    /// still has ends with ISO_ERR_TAKEN_OVER. Only for a player.
    bool has_resume;
    iso_resume resume;
} iso_client_config;

/// A verifying player of the session "main" with the games of the library, a lead of 2 ticks, no prediction, the
/// fastest instruction set, and room for 64 MiB of snapshot, 256 MiB of world and 4 MiB of images. The caller sets the
/// allocator.
iso_client_config iso_client_config_default(void);

typedef struct iso_client iso_client;

/// Copies the configuration. @return ISO_OK; ISO_ERR_RANGE (a value of the configuration, a name that no HELLO may
/// hold, or games that iso_game_check_list refuses); ISO_ERR_UNSUPPORTED (the processor lacks the instruction set);
/// ISO_ERR_MEMORY.
iso_status iso_client_create(const iso_client_config *config, iso_client **client);

/// Frees all memory. The caller closes the connection.
void iso_client_destroy(iso_client *client);
/// @}

/// @name Events
/// @{

typedef enum iso_client_event_kind {
    ISO_CLIENT_EVENT_CONNECTED = 1, // the stream is open; once, and once after each RECONNECT
    ISO_CLIENT_EVENT_MESSAGE = 2,   // the server sent a message; one that is not allowed now ends the client
    /// The stream ended, or could not be opened, at first or after a RECONNECT; or a frame of it could not be decoded
    /// or a message for it not encoded: then `status` is the reason, and the client ends with it. Not for a stream that
    /// was closed because of CLOSE.
    ISO_CLIENT_EVENT_DISCONNECTED = 3,
    ISO_CLIENT_EVENT_TIME = 4,         // only time has passed
    ISO_CLIENT_EVENT_DECOMPRESSED = 5, // the answer to DECOMPRESS
    ISO_CLIENT_EVENT_LEAVE = 6,        // the user wants to leave: the client informs the server and closes the stream
} iso_client_event_kind;

typedef struct iso_client_event {
    uint8_t kind;               // iso_client_event_kind
    bool is_spare;              // CONNECTED, MESSAGE, DISCONNECTED: of the stream that ISO_CLIENT_ACTION_TRY asked for
    iso_status status;          // DISCONNECTED: why, or ISO_OK; DECOMPRESSED: ISO_OK, ISO_ERR_CORRUPT or ISO_ERR_MEMORY
    const iso_message *message; // MESSAGE
    const uint8_t *bytes;       // DECOMPRESSED: exactly raw_size bytes; read during the call only
    size_t size;
} iso_client_event;

/// Processes an event.
/// @param now_ns  monotonic time [ns]
/// Cost: a Tick message steps the world once.
void iso_client_handle(iso_client *client, uint64_t now_ns, const iso_client_event *event);
/// @}

/// @name Actions
/// @{

typedef enum iso_client_action_kind {
    // The program has to do these.
    ISO_CLIENT_ACTION_SEND = 1,       // `message` to the server
    ISO_CLIENT_ACTION_DECOMPRESS = 2, // `bytes`, a zstd frame of `size` bytes, into `raw_size` bytes
    ISO_CLIENT_ACTION_CLOSE = 3,      // close the stream after what was sent
    // These are notifications.
    ISO_CLIENT_ACTION_WELCOME = 4, // the server accepted the client: iso_client_welcome
    ISO_CLIENT_ACTION_JOINED = 5,  // active from `tick` on, in `slot`; a spectator in ISO_SLOT_NONE
    ISO_CLIENT_ACTION_TICK = 6,    // the world is now at `tick`; once for each tick that is not withdrawn
    ISO_CLIENT_ACTION_REFUSED = 7, // the server did not order a command (or an input): `sequence`, `status`
    ISO_CLIENT_ACTION_DESYNC = 8,  // the state after `tick` differs: root `ours`, the server's `theirs`
    ISO_CLIENT_ACTION_ENDED = 9,   // the last action: `status` and `text`
    /// The predicted world is now at `tick`. Its ticks from `first_tick` on are new or were predicted again. `outcomes`
    /// lists what that changed, and whether earlier predictions are confirmed or withdrawn. `unpredicted` is the number
    /// of ticks between `tick` and that of the last input, which are not predicted. The client's own commands for those
    /// ticks are applied early: at once, and again in every prediction until their tick is confirmed. While the client
    /// is away, catches up or is healed nothing is predicted: `first_tick` is `tick` + 1, and there are outcomes only.
    ISO_CLIENT_ACTION_PREDICTED = 10,
    /// The program has to do this: the connection ended or was refused; `status` is the reason. Discard what is left of
    /// it, wait for `delay_ns`, connect again and hand in CONNECTED, or DISCONNECTED if that fails. The world stays at
    /// `tick` until then.
    ISO_CLIENT_ACTION_RECONNECT = 11,
    ISO_CLIENT_ACTION_RESUMED =
        12, // active again from `tick` on, in the same `slot`; a client that is a new member gets JOINED instead
    /// The ticks from `first_tick` to `last_tick` are withdrawn, with all that TICK and confirmed outcomes have told of
    /// them: the server has lost them, or `status` is ISO_ERR_DESYNC, and they were stepped in a wrong world. The world
    /// is at `tick`, or will be after a snapshot.
    ISO_CLIENT_ACTION_REWOUND = 13,
    /// After a DESYNC: the world was replaced by the server's, at `tick`. Ticks are withdrawn as with REWOUND: from the
    /// one in which the roots differed, or from the one after `tick`. There are none when `last_tick` is below
    /// `first_tick`. The ticks after `tick` follow (again); what those up to `tick` did instead is not told.
    ISO_CLIENT_ACTION_HEALED = 14,
    ISO_CLIENT_ACTION_STATE = 15, // the session's state or late policy: in iso_client_welcome; `status` is the reason
    /// The second world, created from the client's snapshot of `first_tick`, differs after `tick`: the world's root is
    /// `ours`, the second one's `theirs`; iso_client_sync_test_diff returns the fields. `status`: ISO_ERR_DESYNC, or
    /// why the snapshot could not be read or the tick not be stepped. Occurs once; it ends the test.
    ISO_CLIENT_ACTION_SYNC_TEST = 16,
    /// Only for clients without a world: results of the client's own sealed commands. Commands of ticks up to `tick`
    /// that are not among `own_results` succeeded and created nothing.
    ISO_CLIENT_ACTION_RESULTS = 17,
    /// After a DESYNC: what the server does about it, `desync_action`. With ISO_DESYNC_IGNORE and ISO_DESYNC_PAUSE the
    /// client's world stays wrong and is no longer compared.
    ISO_CLIENT_ACTION_DESYNC_ANSWER = 18,
    /// Command `sequence` reached the server, but its result is unknown and will stay so: its message was refused as a
    /// whole (a REFUSED with sequence 0), or a snapshot replaced the tick that contains it, or its refusal was lost
    /// with a connection.
    ISO_CLIENT_ACTION_LOST = 19,
    /// iso_client_members has changed: `members` are the entries that did, or all (`is_complete`, after each WELCOME).
    /// Comes before the TICK with the change, unless there are more changes than the server sends in a second
    /// (WIRE.md). While catching up, a member that joins in a tick may have left already.
    ISO_CLIENT_ACTION_MEMBERS = 20,
    /// Who runs the server says `text` to the people who play, such as that it is restarted `deadline_ms` from now on.
    ISO_CLIENT_ACTION_NOTICE = 21,
    /// The program should do this: the connection is silent, `status` is ISO_ERR_TIMEOUT; open another stream beside it
    /// at once. Its events have `is_spare`, and SEND has it for what goes there. The silent stream stays open until
    /// SWITCH. A program that can have one stream only ignores the three: the client gives the silent one up later,
    /// with RECONNECT.
    ISO_CLIENT_ACTION_TRY = 22,
    /// Close the stream that TRY asked for, if there is one: the silent one is heard again, or it has taken too long.
    ISO_CLIENT_ACTION_TRY_END = 23,
    /// The stream that TRY asked for is the connection from now on, and its events have no `is_spare` any more. Close
    /// the other.
    ISO_CLIENT_ACTION_SWITCH = 24,
} iso_client_action_kind;

typedef enum iso_client_mark {
    ISO_CLIENT_MARK_PREDICTED = 1, // it is predicted, and may be withdrawn later
    ISO_CLIENT_MARK_CONFIRMED = 2, // it happened, whether it was predicted or not; once, unless its tick is withdrawn
    ISO_CLIENT_MARK_WITHDRAWN = 3, // it was predicted but does not happen in that tick, or happens differently
} iso_client_mark;

typedef enum iso_client_outcome_kind {
    ISO_CLIENT_OUTCOME_RESULT = 1, // of its own command: first: the sequence, second: the id of what it created, status
    // The world's events (isostep/event.h), not only those of the client's own bodies.
    ISO_CLIENT_OUTCOME_CONTACT_BEGIN = 2, // first, second: the shapes
    ISO_CLIENT_OUTCOME_CONTACT_END = 3,
    ISO_CLIENT_OUTCOME_JOINT_BREAK = 4, // first: the joint, second: its tag
    ISO_CLIENT_OUTCOME_SLEEP = 5,       // first: the body
    ISO_CLIENT_OUTCOME_WAKE = 6,
    ISO_CLIENT_OUTCOME_LEFT_WORLD = 7,
    ISO_CLIENT_OUTCOME_REMOVAL = 8,      // first: the body that a member lost to the limit of contact points
    ISO_CLIENT_OUTCOME_EMIT = 9,         // the game's own: first: the code, second: the size, bytes
    ISO_CLIENT_OUTCOME_JOINT_SLEEP = 10, // first: the joint, second: its tag
    ISO_CLIENT_OUTCOME_JOINT_WAKE = 11,
} iso_client_outcome_kind;

/// Something that a tick did. Every predicted one is confirmed or withdrawn later, unless the client ends or joins as a
/// new member.
typedef struct iso_client_outcome {
    uint64_t tick;
    uint64_t first, second; // see the kind
    iso_status status;
    uint8_t kind;                     // iso_client_outcome_kind
    uint8_t mark;                     // iso_client_mark
    uint8_t bytes[ISO_EMIT_SIZE_MAX]; // EMIT, as in iso_emit_event; else 0
} iso_client_outcome;

typedef struct iso_client_action {
    uint8_t kind;               // iso_client_action_kind
    uint8_t slot;               // JOINED, RESUMED
    bool is_spare;              // SEND: to the stream that TRY asked for
    iso_status status;          // REFUSED; STATE; RECONNECT; REWOUND; SYNC_TEST; ENDED: ISO_OK when the user left
    const iso_message *message; // SEND
    const uint8_t *bytes;       // DECOMPRESS
    size_t size;
    size_t raw_size;
    uint64_t tick;        // not with SEND, DECOMPRESS, CLOSE, WELCOME, REFUSED, LOST, MEMBERS, NOTICE, ENDED
    uint64_t first_tick;  // PREDICTED, REWOUND, HEALED, SYNC_TEST
    uint64_t last_tick;   // REWOUND, HEALED
    uint64_t unpredicted; // PREDICTED [ticks]
    uint64_t delay_ns;    // RECONNECT
    const iso_sealed_command *commands; // TICK: what was sealed, in the world's order
    const iso_command_result *results;  // TICK: the result of each; NULL without a world
    uint32_t command_count;
    const iso_member_result *own_results; // RESULTS
    uint32_t own_result_count;
    const iso_client_outcome *outcomes; // PREDICTED
    uint32_t outcome_count;
    uint8_t desync_action;     // DESYNC_ANSWER: iso_desync_action
    const iso_member *members; // MEMBERS: including those that have left, unless it is complete
    uint32_t member_count;
    bool is_complete;      // MEMBERS: the list was replaced
    uint64_t sequence;     // REFUSED: of the command, 0 for a whole message; LOST
    uint64_t ours, theirs; // DESYNC, SYNC_TEST
    uint32_t deadline_ms;  // NOTICE: in so long, what it announces happens; 0: no such time
    const char *text;      // REFUSED, ENDED: in English, may be empty; NOTICE: in any language
    const char *expected;  // ENDED: what the server expected, may be empty
} iso_client_action;

/// Returns the next action. @return false when there is none.
bool iso_client_next_action(iso_client *client, iso_client_action *action);

/// The time by which iso_client_handle must be called, with ISO_CLIENT_EVENT_TIME if there is no other event.
/// @return monotonic time [ns]; UINT64_MAX: only when there is an event
uint64_t iso_client_next_deadline(const iso_client *client);
/// @}

/// @name Input
/// Controls and commands are sent with the next input message, one per tick.
/// @{

/// Sets the member's control block. It stays in effect until it is set again: it is sent once, and the library repeats
/// it before the game's control_timeout. Setting equal bytes again sends nothing.
/// @param size  0 to ISO_CONTROL_SIZE_MAX; the layout is the game's (iso_game.control_layout)
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_ROLE (a spectator); ISO_ERR_STATE (not active);
///         ISO_ERR_RATE (ISO_CLIENT_COMMANDS_MAX commands wait to be sent).
iso_status iso_client_set_control(iso_client *client, const uint8_t *bytes, size_t size);

/// Sends a command. Its result is in the TICK action of the tick in which it is sealed, under this member's slot and
/// `sequence`; a client without a world gets a RESULTS action. A command that is never sealed gets a REFUSED action, or
/// LOST when its result cannot be known. One of these follows for each command, unless the client ends, joins as a new
/// member (JOINED) or is rewound beyond it (REWOUND).
/// @param sequence  receives the command's number when not NULL; it rises by at least 1 with each
/// @return ISO_OK; what iso_command_check returns; ISO_ERR_DIMENSION (a command that the client's world has not);
///         ISO_ERR_ROLE; ISO_ERR_STATE; ISO_ERR_RATE as above.
iso_status iso_client_command(iso_client *client, const iso_command *command, uint64_t *sequence);
/// @}

/// @name Reading
/// @{

typedef enum iso_client_phase {
    ISO_CLIENT_PHASE_IDLE = 0,     // not connected
    ISO_CLIENT_PHASE_HELLO = 1,    // waiting for the server's answer
    ISO_CLIENT_PHASE_SNAPSHOT = 2, // receiving the state
    ISO_CLIENT_PHASE_CATCHUP = 3,  // stepping the ticks since
    ISO_CLIENT_PHASE_JOINING = 4,  // has sent the right root, waits to become a member
    ISO_CLIENT_PHASE_ACTIVE = 5,
    ISO_CLIENT_PHASE_ENDED = 6,
    ISO_CLIENT_PHASE_AWAY = 7, // the connection broke and is not yet replaced
} iso_client_phase;

iso_client_phase iso_client_get_phase(const iso_client *client);

/// The server's last answer to a hello: session, rate, limits; `state` and `late_policy` are those of the last
/// ISO_CLIENT_ACTION_STATE. NULL before ISO_CLIENT_ACTION_WELCOME. Do not display its secret: with it another client
/// can resume as this member (config.resume), from ISO_CLIENT_ACTION_JOINED on.
const iso_message_welcome *iso_client_welcome(const iso_client *client);

/// The world at iso_client_tick; NULL before the snapshot is decoded and for a client that does not verify. Valid as
/// long as the client; changes with each TICK message. Read-only.
const iso_world *iso_client_world(const iso_client *client);

/// The predicted world: it runs ahead of the confirmed one, by at most config.predict_frames, to the target tick of the
/// last input. The client's own inputs have an effect there at once, also those for later ticks than it may run to;
/// other members' controls stay as confirmed last. It is corrected with each TICK message. Without prediction this is
/// the confirmed world. Otherwise as above.
const iso_world *iso_client_predicted_world(const iso_client *client);

/// The pose at which to show a body: position of the origin and angle.
typedef struct iso_client_pose {
    iso_vec2_wide position; // [m]
    iso_wide angle_turns;   // [turns], unwrapped
} iso_client_pose;

/// The pose of a body in the predicted world, plus the remainder of earlier prediction errors: a body whose prediction
/// was wrong moves smoothly to its pose instead of jumping. For display only; it has no effect on the simulation.
/// @return ISO_OK; ISO_ERR_STALE (no such body there); ISO_ERR_STATE (no world); ISO_ERR_DIMENSION.
iso_status iso_client_body_pose(const iso_client *client, iso_body_id body, iso_client_pose *pose);

/// The pose of a body at a given time, for displays whose frame rate differs from the tick rate: interpolated between
/// the poses of iso_client_body_pose at two ticks, by iso_client_alpha. Position and angle are interpolated linearly. A
/// body that was teleported (more than 4 m in x or y or half a turn in a tick) is not interpolated: it stays until that
/// tick and is then at its new pose. A new body is shown at its first pose. A body that no longer exists in the
/// predicted world is not shown.
/// @param now_ns  the time of iso_client_handle, not before its last call
/// @return ISO_OK; ISO_ERR_STALE (no such body in the predicted world); ISO_ERR_STATE (no world, or not
///         config.interpolate); ISO_ERR_DIMENSION.
/// Cost: constant. Keeping poses costs one pass over all bodies with each tick.
iso_status iso_client_body_pose_at(const iso_client *client, uint64_t now_ns, iso_body_id body, iso_client_pose *pose);

/// The pose at which to show a body in space: position of the origin and rotation.
typedef struct iso_client_pose3 {
    iso_vec3_wide position; // [m]
    iso_quat rotation;      // from the body's frame to the world
} iso_client_pose3;

/// As iso_client_body_pose and iso_client_body_pose_at, in a world in space. An error of the rotation fades as its
/// rotation vector; one of more than a quarter of a turn is not smoothed. Between two ticks a body turns the shorter
/// way, about one axis. In a world in the plane they return ISO_ERR_DIMENSION, as those of the plane do in space.
iso_status iso_client_body_pose3(const iso_client *client, iso_body_id body, iso_client_pose3 *pose);
iso_status iso_client_body_pose3_at(const iso_client *client, uint64_t now_ns, iso_body_id body,
                                    iso_client_pose3 *pose);

/// The displayed time: the fraction of the interval from `tick` to the next tick. It never runs backwards, and runs at
/// the session's rate, within 5 % if no tick is later than those of the last two seconds. It stops when no ticks
/// arrive, and jumps forward when it would be 3 ticks behind the newest one. Usually it is between 1 and 1 1/8 ticks
/// behind when a tick arrives, plus the jitter of the arrivals.
/// @param tick  receives the tick; 0 when there is nothing to show
/// @return [ticks, 65536 is one] below 65536
uint32_t iso_client_alpha(const iso_client *client, uint64_t now_ns, uint64_t *tick);

/// Begins an iteration over the items of the predicted world (isostep/draw.h), with all bodies at their displayed
/// poses: those of iso_client_body_pose_at with config.interpolate, otherwise those of iso_client_body_pose. Call
/// iso_draw_next for all items before the next iso_client_handle.
/// @param now_ns  as for iso_client_body_pose_at
/// @param what    bits ISO_DRAW_…, or ISO_DRAW_ALL
/// @return ISO_OK; ISO_ERR_STATE (no world).
iso_status iso_client_draw_begin(const iso_client *client, uint64_t now_ns, uint32_t what, iso_draw *draw);

/// The last tick that was stepped, or acknowledged when the client does not verify.
uint64_t iso_client_tick(const iso_client *client);

/// The root of the world after iso_client_tick; 0 when there is no world.
uint64_t iso_client_root(const iso_client *client);

/// The first differences between the world and the second one of the sync test, as iso_world_diff returns them:
/// `value_a` is that of the client's world. Between a SYNC_TEST action and the next iso_client_handle.
/// @return how many differences were found, at most `capacity`; 0 when there is no such world
uint32_t iso_client_sync_test_diff(iso_client *client, iso_diff *diffs, uint32_t capacity);

/// The client's slot; ISO_SLOT_NONE before it is a member and for a spectator.
uint8_t iso_client_slot(const iso_client *client);

/// The members by slot, including held ones, then spectators, as last sent by the server. Two may
/// have the same name. Empty before the first ISO_CLIENT_ACTION_MEMBERS.
/// @param count  receives how many, at most ISO_MEMBERS_MAX
/// @return the list; changes with each iso_client_handle
const iso_member *iso_client_members(const iso_client *client, uint32_t *count);

/// The member with this slot and generation, as in a tick's changes or a body's owner. @return NULL: not there, or no
/// longer there
const iso_member *iso_client_find_member(const iso_client *client, uint8_t slot, uint32_t slot_generation);

/// The number of all spectators, including those that the list of members has no room for.
uint32_t iso_client_spectator_count(const iso_client *client);

/// Finds the body that the scene has given this name ("ball", "box[3,5]"), in iso_client_world.
/// @param body  written on success only
/// @return ISO_OK; ISO_ERR_STATE (no world, or not yet); ISO_ERR_UNKNOWN_NAME (the server has told no body of this
///         name); ISO_ERR_STALE (it is gone, whatever has its index by now). Looks at up to ISO_NAMES_MAX names: keep
///         the handle.
iso_status iso_client_find_body(const iso_client *client, const char *name, iso_body_id *body);

/// As iso_client_find_body, for joints; bodies and joints have names of their own.
iso_status iso_client_find_joint(const iso_client *client, const char *name, iso_joint_id *joint);

/// What the scene calls this body, which may be gone by now; "" for one without a name and one that is not the scene's.
/// @return valid until the client joins anew, or is destroyed
const char *iso_client_body_name(const iso_client *client, iso_body_id body);
const char *iso_client_joint_name(const iso_client *client, iso_joint_id joint);

/// Names of the scene that the server has left out, because there are more than ISO_NAMES_MAX, or longer ones.
uint32_t iso_client_names_left_out(const iso_client *client);

/// The body that this member controls, or null.
iso_body_id iso_client_player_body(const iso_client *client);

typedef struct iso_client_stats {
    uint64_t first_tick; // of the activation; 0 before
    uint64_t last_tick;  // whose root was checked and is equal; without verification: received
    uint64_t last_root;  // the server's, of that tick
    uint64_t roots_checked;
    uint64_t desyncs;
    uint64_t rtt_ns;     // smoothed; 0 before the first answer
    uint64_t rtt_min_ns; // of the last 16 pings
    int32_t margin_q8;   // [ticks, 256 is one] how early the last inputs arrived at the server; negative: late
    bool is_margin_known;
    uint64_t server_tick_q8; // estimate of the server's tick at the last handle [ticks, 256 is one]
    uint64_t last_target;    // tick that the last input message was meant for
    uint64_t inputs_sent;
    uint64_t commands_sent;
    uint64_t commands_refused; // before they were sealed
    uint64_t commands_lost;    // whose result is unknown: ISO_CLIENT_ACTION_LOST
    uint64_t clock_jumps;      // steps of the input clock larger than 10 ticks
    uint64_t holds;            // times that inputs were held because no ticks came
    uint64_t predicted_tick;   // of the predicted world; last_tick's world without prediction
    uint64_t rollbacks;        // times that a prediction was wrong
    uint64_t resteps;          // ticks that were predicted again because of that
    uint32_t max_rollback;     // maximum of them at once
    uint64_t rests;            // times that it stopped predicting because its own ticks were behind
    uint64_t unpredicted;      // ticks from the predicted world to the last input's, beyond predict_frames
    uint64_t max_unpredicted;
    uint64_t outcomes_left_out; // of confirmed ticks with more than ISO_CLIENT_OUTCOMES_MAX
    uint64_t resumes;           // times that it resumed as the same member
    uint64_t switches;          // times that another connection took the place of one that was silent
    uint64_t rewinds;           // times that ticks were withdrawn
    uint64_t heals;             // times that a wrong world was replaced
    uint64_t late_count;        // its commands that arrived after their target was sealed, as reported by the server
    uint64_t durable_tick;      // on the server's disk up to here; 0 without a recording
    bool is_degraded;           // the server records nothing at present, because of a disk fault
    uint64_t sync_test_copies;  // worlds that were created from the client's snapshots
} iso_client_stats;

void iso_client_get_stats(const iso_client *client, iso_client_stats *stats);
/// @}

/// Flips one bit of the client's own world: a deliberate desync, for drills. The ordinary comparison of roots must
/// find it with the next tick. config.flip_at_tick does the same right after that tick has been stepped, or the
/// first tick after the join when that comes later.
/// @return ISO_OK; ISO_ERR_STATE (no world); ISO_ERR_STALE (no dynamic body).
iso_status iso_client_flip(iso_client *client);

#ifdef __cplusplus
}
#endif

#endif
