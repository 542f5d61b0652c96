/// The client: joins a session, steps the same world as the server, checks every root.
///
/// A pure state machine. It has no socket, clock, thread or file: what happens outside is handed in as an
/// event, what shall happen outside is taken out as an action. A client of your own is this loop around it:
///
///     connect a TCP stream, then hand in ISO_CLIENT_EVENT_CONNECTED
///     for ever:
///         hand in what happened: a decoded message, the connection's end, or nothing but the time
///         take all actions:
///             SEND        encode the message and write it to the stream      (isostep/proto/codec.h)
///             DECOMPRESS  unpack with zstd, hand in ISO_CLIENT_EVENT_DECOMPRESSED
///             CLOSE       close the stream
///             RECONNECT   connect again, a little later
///             the others  tell you what happened; draw, log, decide
///         set a timer for iso_client_next_deadline
///
/// Rules of that loop:
///   - Time is monotonic nanoseconds from any start. It never runs backwards between two calls.
///   - After each iso_client_handle, take actions until there is none, before the next event is handed in (a
///     client that is handed an event with actions left traps). What an action points to lives until then, and
///     so must the message that was handed in: the TICK action lends out its commands.
///   - DECOMPRESS is answered before the next message is handed in.
///   - After CLOSE, RECONNECT or DISCONNECTED nothing more of that stream is handed in.
///   - Nothing calls back. All memory comes through the allocator, when the client is made, when the scene's names
///     arrive, when the snapshot's size is known and when the world is made; never in a tick.
///
/// What it does by itself: the handshake, the pings, the snapshot with its acknowledgements, catching up, the
/// membership, coming back, stepping each tick as it arrives, comparing each root, confirming its own, pacing the inputs. What
/// is left to you: iso_client_set_control and iso_client_command, and reading the world.
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

#define ISO_CLIENT_COMMANDS_MAX 64 // that wait to be sent
#define ISO_CLIENT_LEAD_MAX     60 // ticks
#define ISO_CLIENT_PREDICT_MAX  16 // ticks ahead of the confirmed world
#define ISO_CLIENT_OUTCOMES_MAX \
    128 // of one tick that are reported: results first, then the game's events, then the rest

/// @name Configuration
/// @{

typedef struct iso_client_config {
    iso_allocator allocator;
    const iso_game *const *games; // the games whose rules this program has; they outlive the client
    uint32_t game_count;
    const char *session; // name of the session, [a-z0-9-], 1 to 63 characters
    const char *name;    // the member's name, UTF-8, at most ISO_MEMBER_NAME_MAX bytes; may be empty
    uint8_t role;        // iso_role
    /// Steps the world and checks every root. Without it the client takes part without a world of its own: it
    /// sends inputs, acknowledges ticks and repeats the server's roots. For many members in one process.
    bool verify;
    uint8_t lead_ticks;         // how early an input shall arrive before its tick is sealed; 1 to ISO_CLIENT_LEAD_MAX
    uint64_t flip_at_tick;      // a desync on purpose: see iso_client_flip; 0: never
    uint64_t snapshot_size_max; // [bytes] packed or unpacked; a larger snapshot ends the client with ISO_ERR_MEMORY
    uint64_t world_size_max;    // [bytes] a larger world ends the client with ISO_ERR_MEMORY
    uint64_t image_memory;      // [bytes] for images of the last confirmed states; 0: none but what prediction needs
    /// Ticks that a second world may run ahead of the confirmed one, 0 to ISO_CLIENT_PREDICT_MAX; 0: there is none. It
    /// runs to the tick of the last input, as many ticks as the round trip and the lead take. Where they take more, it
    /// stops here and shows the inputs beyond all the same: see ISO_CLIENT_ACTION_PREDICTED. Only for a player that
    /// verifies.
    uint8_t predict_frames;
    /// Keeps the poses of the last ticks, for iso_client_body_pose_at. Only for who verifies.
    bool interpolate;
    /// Comes back by itself when the connection breaks: for so long [ms] it asks for new ones with RECONNECT, and goes
    /// on as the same member if the server still holds its slot. The first connection is asked for anew in the same way,
    /// when it cannot be made or the server has no room yet. 0: the end of the connection is the end.
    uint32_t reconnect_ms;
    uint64_t seed; // of the delays before it does; different for each member
    /// Checks beside its world that what goes on from a snapshot goes on the same: every so many ticks a second world is
    /// made from the first one's snapshot and takes the same ticks (isostep/sync_test.h). 0: never. Only for who verifies.
    /// Takes twice the memory and time of one world.
    uint32_t sync_test_interval;
} iso_client_config;

/// A verifying player of the session "main" with the games of the library, a lead of 2 ticks, no prediction, and room
/// for 64 MiB of snapshot, 256 MiB of world and 4 MiB of images. The caller sets the allocator.
iso_client_config iso_client_config_default(void);

typedef struct iso_client iso_client;

/// Copies the configuration. @return ISO_OK; ISO_ERR_RANGE (a value of the configuration); ISO_ERR_MEMORY.
iso_status iso_client_create(const iso_client_config *config, iso_client **client);

/// Gives all memory back. The connection is the caller's to close.
void iso_client_destroy(iso_client *client);
/// @}

/// @name Events
/// @{

typedef enum iso_client_event_kind {
    ISO_CLIENT_EVENT_CONNECTED = 1, // the stream is open; once, and once after each RECONNECT
    ISO_CLIENT_EVENT_MESSAGE = 2,   // the server sent a message; one without meaning here ends the client
    /// The stream is gone, a frame of it could not be decoded, or it could not be made, at first or after a RECONNECT.
    /// Not for a stream that was closed because of CLOSE.
    ISO_CLIENT_EVENT_DISCONNECTED = 3,
    ISO_CLIENT_EVENT_TIME = 4,         // nothing but time has passed
    ISO_CLIENT_EVENT_DECOMPRESSED = 5, // the answer to DECOMPRESS
    ISO_CLIENT_EVENT_LEAVE = 6,        // the user wants to leave: the server is told, the stream is closed
} iso_client_event_kind;

typedef struct iso_client_event {
    uint8_t kind;               // iso_client_event_kind
    iso_status status;          // DISCONNECTED: why, or ISO_OK; DECOMPRESSED: ISO_OK or ISO_ERR_CORRUPT
    const iso_message *message; // MESSAGE
    const uint8_t *bytes;       // DECOMPRESSED: exactly raw_size bytes; read during the call only
    size_t size;
} iso_client_event;

/// Takes an event in.
/// @param now_ns  monotonic time [ns]
/// Cost: a Tick message steps the world once.
void iso_client_handle(iso_client *client, uint64_t now_ns, const iso_client_event *event);
/// @}

/// @name Actions
/// @{

typedef enum iso_client_action_kind {
    // To be done.
    ISO_CLIENT_ACTION_SEND = 1,       // `message` to the server
    ISO_CLIENT_ACTION_DECOMPRESS = 2, // `bytes`, a zstd frame of `size` bytes, into `raw_size` bytes
    ISO_CLIENT_ACTION_CLOSE = 3,      // close the stream after what was sent
    // To be known.
    ISO_CLIENT_ACTION_WELCOME = 4, // the server took the client in: iso_client_welcome
    ISO_CLIENT_ACTION_JOINED = 5,  // active from `tick` on, in `slot`; a spectator in ISO_SLOT_NONE
    ISO_CLIENT_ACTION_TICK = 6,    // the world is now at `tick`
    ISO_CLIENT_ACTION_REFUSED = 7, // the server did not order a command (or an input): `sequence`, `status`
    ISO_CLIENT_ACTION_DESYNC = 8,  // the state after `tick` differs: root `ours`, the server's `theirs`
    ISO_CLIENT_ACTION_ENDED = 9,   // the last action: `status` and `text`
    /// The predicted world is now at `tick`. Its ticks from `first_tick` on are new or were predicted anew. `outcomes`
    /// says what that changed, and what became of earlier predictions. `unpredicted` ticks lie between `tick` and that of
    /// the last input: they are not predicted, and the own commands are shown so much earlier than they are meant for,
    /// each at once and then with every prediction until its tick is confirmed.
    ISO_CLIENT_ACTION_PREDICTED = 10,
    /// To be done: the connection is gone, or was refused; `status` says why. Forget all that is left of it, wait for
    /// `delay_ns`, connect anew and hand in CONNECTED; DISCONNECTED if that does not work. The world stays at `tick` until
    /// then.
    ISO_CLIENT_ACTION_RECONNECT = 11,
    ISO_CLIENT_ACTION_RESUMED =
        12, // active again from `tick` on, in the same `slot`; a JOINED instead: as a new member
    /// The ticks from `first_tick` to `last_tick` never happened: the server has lost them. The world is at `tick`, or
    /// will be so after a snapshot.
    ISO_CLIENT_ACTION_REWOUND = 13,
    ISO_CLIENT_ACTION_HEALED = 14, // after a DESYNC: the world was replaced by the server's, at `tick`
    ISO_CLIENT_ACTION_STATE = 15,  // the session's state or late policy: in iso_client_welcome; `status` says why
    /// The world that went on from the own snapshot of `first_tick` differs after `tick`: root `ours`, its root `theirs`,
    /// fields by iso_client_sync_test_diff. `status`: ISO_ERR_DESYNC, or why the snapshot was not read or the tick not
    /// taken. Once; the test is over then.
    ISO_CLIENT_ACTION_SYNC_TEST = 16,
    /// Without a world only: what became of own commands that were sealed. Those of ticks up to `tick` that are not among
    /// `own_results` were done, and made nothing.
    ISO_CLIENT_ACTION_RESULTS = 17,
    /// After a DESYNC: what the server does about it, `desync_action`. With ISO_DESYNC_IGNORE and ISO_DESYNC_PAUSE the own
    /// world stays wrong and is not compared any more.
    ISO_CLIENT_ACTION_DESYNC_ANSWER = 18,
    /// Command `sequence` reached the server, but was neither sealed in a tick that came nor refused by its number, and no
    /// more will be heard of it: its message was refused as a whole (a REFUSED with sequence 0), or a snapshot took the
    /// place of the tick that has it, or its refusal was lost with a connection.
    ISO_CLIENT_ACTION_LOST = 19,
    /// iso_client_members has changed: `members` are the entries that did, or all (`complete`, after each WELCOME). Comes
    /// before the TICK with the change; who joined in a tick that is stepped while catching up may be gone by now.
    ISO_CLIENT_ACTION_MEMBERS = 20,
} iso_client_action_kind;

typedef enum iso_client_mark {
    ISO_CLIENT_MARK_PREDICTED = 1, // it will happen, unless it is withdrawn
    ISO_CLIENT_MARK_CONFIRMED = 2, // it has happened, whether it was predicted or not
    ISO_CLIENT_MARK_WITHDRAWN = 3, // it was predicted and does not happen in that tick, or not in that way
} iso_client_mark;

typedef enum iso_client_outcome_kind {
    ISO_CLIENT_OUTCOME_RESULT = 1, // of an own command: first: its sequence, second: the id of what it made, status
    // The world's events (isostep/event.h), of everything in it.
    ISO_CLIENT_OUTCOME_CONTACT_BEGIN = 2, // first, second: the shapes
    ISO_CLIENT_OUTCOME_CONTACT_END = 3,
    ISO_CLIENT_OUTCOME_JOINT_BREAK = 4, // first: the joint
    ISO_CLIENT_OUTCOME_SLEEP = 5,       // first: the body
    ISO_CLIENT_OUTCOME_WAKE = 6,
    ISO_CLIENT_OUTCOME_LEFT_WORLD = 7,
    ISO_CLIENT_OUTCOME_REMOVAL = 8, // first: the body that a member lost to the limit of contact points
    ISO_CLIENT_OUTCOME_EMIT = 9,    // of the game's own: first: the code, second: the size, bytes
} iso_client_outcome_kind;

/// Something that a tick did. Every predicted one is confirmed or withdrawn later, unless the client ends or joins anew.
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
    iso_status status;          // REFUSED; STATE; RECONNECT; SYNC_TEST; ENDED: ISO_OK when the user left
    const iso_message *message; // SEND
    const uint8_t *bytes;       // DECOMPRESS
    size_t size;
    size_t raw_size;
    uint64_t tick;                      // not with SEND, DECOMPRESS, CLOSE, WELCOME, REFUSED, LOST, MEMBERS and ENDED
    uint64_t first_tick;                // PREDICTED, REWOUND, SYNC_TEST
    uint64_t last_tick;                 // REWOUND
    uint64_t unpredicted;               // PREDICTED [ticks]
    uint64_t delay_ns;                  // RECONNECT
    const iso_sealed_command *commands; // TICK: what was sealed, in the world's order
    const iso_command_result *results;  // TICK: what became of each; NULL without a world
    uint32_t command_count;
    const iso_member_result *own_results; // RESULTS
    uint32_t own_result_count;
    const iso_client_outcome *outcomes; // PREDICTED
    uint32_t outcome_count;
    uint8_t desync_action;     // DESYNC_ANSWER: iso_desync_action
    const iso_member *members; // MEMBERS: with those that are gone, unless it is complete
    uint32_t member_count;
    bool is_complete;      // MEMBERS: the list was replaced
    uint64_t sequence;     // REFUSED: of the command, 0 when it was an input without one; LOST
    uint64_t ours, theirs; // DESYNC, SYNC_TEST
    const char *text;      // REFUSED, ENDED: in English, may be empty
    const char *expected;  // ENDED: what the server would have accepted, may be empty
} iso_client_action;

/// Takes the next action out. @return false when there is none.
bool iso_client_next_action(iso_client *client, iso_client_action *action);

/// When iso_client_handle wants to be called at the latest, with ISO_CLIENT_EVENT_TIME when there is nothing else.
/// @return monotonic time [ns]; UINT64_MAX: not before there is an event
uint64_t iso_client_next_deadline(const iso_client *client);
/// @}

/// @name Input
/// What is given here leaves with the next input message, one per tick.
/// @{

/// Sets the member's control block. It stays until it is set again: held input is sent once and refreshed by the
/// library before the game forgets it. Setting equal bytes again sends nothing.
/// @param size  0 to ISO_CONTROL_SIZE_MAX; the layout is the game's (iso_game.control_layout)
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_ROLE (a spectator); ISO_ERR_STATE (not active);
///         ISO_ERR_RATE (ISO_CLIENT_COMMANDS_MAX commands wait to be sent).
iso_status iso_client_set_control(iso_client *client, const uint8_t *bytes, size_t size);

/// Gives a command. Its result stands in the TICK action of the tick that it is sealed into, under this member's
/// slot and `sequence`; a client without a world finds it in a RESULTS action. A command that is never ordered gets a REFUSED
/// action instead. What became of it is told in one of these ways, unless the client ends, joins anew (JOINED) or is sent
/// back beyond it (REWOUND); where it cannot be known, LOST says so.
/// @param sequence  receives the command's number when not NULL; it rises by at least 1 with each
/// @return ISO_OK; what iso_command_check returns; ISO_ERR_ROLE; ISO_ERR_STATE; ISO_ERR_RATE as above.
iso_status iso_client_command(iso_client *client, const iso_command *command, uint64_t *sequence);
/// @}

/// @name Reading
/// @{

typedef enum iso_client_phase {
    ISO_CLIENT_PHASE_IDLE = 0,     // not connected
    ISO_CLIENT_PHASE_HELLO = 1,    // waiting for the server's answer
    ISO_CLIENT_PHASE_SNAPSHOT = 2, // receiving the state
    ISO_CLIENT_PHASE_CATCHUP = 3,  // stepping the ticks since
    ISO_CLIENT_PHASE_JOINING = 4,  // has shown the right root, waits for its membership
    ISO_CLIENT_PHASE_ACTIVE = 5,
    ISO_CLIENT_PHASE_ENDED = 6,
    ISO_CLIENT_PHASE_AWAY = 7, // the connection broke, the next one is not there yet
} iso_client_phase;

iso_client_phase iso_client_get_phase(const iso_client *client);

/// The server's last answer to a hello: session, rate, limits; `state` and `late_policy` are those of the last
/// ISO_CLIENT_ACTION_STATE. NULL before ISO_CLIENT_ACTION_WELCOME. Its secret is not to be shown.
const iso_message_welcome *iso_client_welcome(const iso_client *client);

/// The world at iso_client_tick; NULL before the snapshot is decoded and for a client that does not verify. Not
/// to be kept beyond the client; changes with each Tick message. To be read, not written.
const iso_world *iso_client_world(const iso_client *client);

/// The world that runs ahead, by at most config.predict_frames, to the tick that the last input was meant for: the own
/// inputs have their effect there at once, also those that are meant for later ticks than it may run to; those of others
/// stay as they were confirmed last. A draft, put right with each Tick message; the confirmed world when there is no
/// prediction. As above otherwise.
const iso_world *iso_client_predicted_world(const iso_client *client);

/// Where to show a body. Position of the origin and angle.
typedef struct iso_client_pose {
    iso_vec2_wide position; // [m]
    iso_wide angle_turns;   // [turns], unwrapped
} iso_client_pose;

/// The pose of a body in the predicted world, with what is left of earlier errors of the prediction: a body whose
/// prediction was wrong glides to where it is instead of jumping. For display only; physics never sees it.
/// @return ISO_OK; ISO_ERR_STALE (no such body there); ISO_ERR_STATE (no world).
iso_status iso_client_body_pose(const iso_client *client, iso_body_id body, iso_client_pose *pose);

/// The pose of a body at a moment, for a screen that draws more or less often than there are ticks: on the way between the
/// poses that iso_client_body_pose had at two ticks, by iso_client_alpha. Position and angle are interpolated linearly. A
/// body that was put elsewhere (more than 4 m in x or y or half a turn in a tick) stays until that tick and is then there;
/// one that is new is shown where it was first; one that is gone in the predicted world is shown no more.
/// @param now_ns  the time of iso_client_handle, not before its last call
/// @return ISO_OK; ISO_ERR_STALE (no such body in the predicted world); ISO_ERR_STATE (no world, or not config.interpolate).
/// Cost: constant. Keeping poses costs a look at each body with each tick.
iso_status iso_client_body_pose_at(const iso_client *client, uint64_t now_ns, iso_body_id body, iso_client_pose *pose);

/// What is shown at a moment: how far it is from `tick` to the next one. It never runs backwards, and runs at the session's rate
/// as evenly as ticks allow: within 5 %, if none is later than those of the last two seconds. It stops where ticks stay away,
/// and jumps on where it would be 3 ticks behind the newest one. Usually it is between 1 and 1 1/8 ticks behind when a tick
/// comes, and farther by the jitter of their arrival.
/// @param tick  receives the tick; 0 when there is nothing to show
/// @return [ticks, 65536 is one] below 65536
uint32_t iso_client_alpha(const iso_client *client, uint64_t now_ns, uint64_t *tick);

/// Begins a walk over the items of the predicted world (isostep/draw.h), with all bodies at their poses of this moment: those
/// of iso_client_body_pose_at with config.interpolate, else those of iso_client_body_pose. To be walked with iso_draw_next
/// before the next iso_client_handle.
/// @param now_ns  as for iso_client_body_pose_at
/// @param what    bits ISO_DRAW_…, or ISO_DRAW_ALL
/// @return ISO_OK; ISO_ERR_STATE (no world; there is nothing to walk).
iso_status iso_client_draw_begin(const iso_client *client, uint64_t now_ns, uint32_t what, iso_draw *draw);

/// The last tick that was stepped, or acknowledged when the client does not verify.
uint64_t iso_client_tick(const iso_client *client);

/// The root of the world after iso_client_tick; 0 when there is no world.
uint64_t iso_client_root(const iso_client *client);

/// Where the world and the one that went on from its snapshot differ first, as iso_world_diff says it: `value_a` is the
/// own world's. Between a SYNC_TEST action and the next iso_client_handle.
/// @return how many differences were found, at most `capacity`; 0 when there is no such world
uint32_t iso_client_sync_test_diff(iso_client *client, iso_diff *diffs, uint32_t capacity);

/// ISO_SLOT_NONE before the membership and for a spectator.
uint8_t iso_client_slot(const iso_client *client);

/// Who takes part, as the server has told last: the members by slot, the held ones among them, then spectators. Two may
/// have the same name. Empty before the first ISO_CLIENT_ACTION_MEMBERS.
/// @param count  receives how many, at most ISO_MEMBERS_MAX
/// @return them; changes with each iso_client_handle
const iso_member *iso_client_members(const iso_client *client, uint32_t *count);

/// The member that a change of a tick, or the owner of a body, names. @return NULL: not there, or not any more
const iso_member *iso_client_find_member(const iso_client *client, uint8_t slot, uint32_t slot_generation);

/// All spectators, with those that the list of members has no room for.
uint32_t iso_client_spectator_count(const iso_client *client);

/// Finds the body that the scene has given this name ("ball", "box[3,5]"), in iso_client_world.
/// @param body  written on success only
/// @return ISO_OK; ISO_ERR_STATE (no world, or not yet); ISO_ERR_UNKNOWN_NAME (the server has told no body of this name);
///         ISO_ERR_STALE (it is gone, whatever has its index by now). Looks at up to ISO_NAMES_MAX names: keep the handle.
iso_status iso_client_find_body(const iso_client *client, const char *name, iso_body_id *body);

/// As iso_client_find_body, for joints; bodies and joints have names of their own.
iso_status iso_client_find_joint(const iso_client *client, const char *name, iso_joint_id *joint);

/// What the scene calls this body, which may be gone by now; "" for one without a name and one that is not the scene's.
/// @return valid until the client joins anew, or is destroyed
const char *iso_client_body_name(const iso_client *client, iso_body_id body);
const char *iso_client_joint_name(const iso_client *client, iso_joint_id joint);

/// Names of the scene that the server has left out, because there are more than ISO_NAMES_MAX, or longer ones.
uint32_t iso_client_names_left_out(const iso_client *client);

/// The body that stands for this member, or null.
iso_body_id iso_client_player_body(const iso_client *client);

typedef struct iso_client_stats {
    uint64_t first_tick; // of the activation; 0 before
    uint64_t last_tick;  // whose root was checked and found right; without verification: received
    uint64_t last_root;  // the server's, of that tick
    uint64_t roots_checked;
    uint64_t desyncs;
    uint64_t rtt_ns;     // smoothed; 0 before the first answer
    uint64_t rtt_min_ns; // of the last 16 pings
    int32_t margin_q8;   // [ticks, 256 is one] how early the last inputs arrived, as the server said; negative: late
    bool is_margin_known;
    uint64_t server_tick_q8; // estimate of the server's tick at the last handle [ticks, 256 is one]
    uint64_t last_target;    // tick that the last input message was meant for
    uint64_t inputs_sent;
    uint64_t commands_sent;
    uint64_t commands_refused; // before they were ordered
    uint64_t commands_lost;    // of which nothing will be heard: ISO_CLIENT_ACTION_LOST
    uint64_t clock_jumps;      // steps of the input clock larger than 10 ticks
    uint64_t holds;            // times that inputs were held because no ticks came
    uint64_t predicted_tick;   // of the predicted world; last_tick's world without prediction
    uint64_t rollbacks;        // times that a prediction was wrong
    uint64_t resteps;          // ticks that were predicted anew for that
    uint32_t max_rollback;     // of them at once
    uint64_t unpredicted; // ticks from the predicted world to the last input's, where that is further than it may run
    uint64_t max_unpredicted;
    uint64_t resumes;          // times that it came back as the same member
    uint64_t rewinds;          // times that ticks were withdrawn
    uint64_t heals;            // times that a wrong world was replaced
    uint64_t late_count;       // own commands that came after their target was sealed, as the server said
    uint64_t durable_tick;     // on the server's disk up to here; 0 without a recording
    bool is_degraded;          // the server records nothing at present, for a fault of its disk
    uint64_t sync_test_copies; // worlds that were made from the own snapshots
} iso_client_stats;

void iso_client_get_stats(const iso_client *client, iso_client_stats *stats);
/// @}

/// Flips one bit of the client's own world: a desync on purpose, for drills. The ordinary comparison of roots must
/// find it with the next tick. config.flip_at_tick does the same right after that tick has been stepped, or the
/// first tick after the join when that comes later.
/// @return ISO_OK; ISO_ERR_STATE (no world); ISO_ERR_STALE (no dynamic body).
iso_status iso_client_flip(iso_client *client);

#ifdef __cplusplus
}
#endif

#endif
