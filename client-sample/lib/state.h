/// The client's state and the functions that its files share.
///
///   client.c     create, destroy, events, timers
///   handshake.c  hello, welcome, pings
///   spare.c      another connection, tried beside one that is silent
///   resume.c     resuming after the connection broke, rewinds
///   snapshot.c   assembling and decoding the first state
///   notices.c    the server's messages about the session and about desyncs, and to the people who play
///   ticks.c      stepping, comparing roots, confirming, activation
///   sync_test.c  a second world, continued from the own snapshot
///   input.c      the inputs, one per tick, held while no ticks come
///   predict.c    the predicted world: ahead of the confirmed one, corrected when it was wrong
///   commands.c   the member's commands, from when they are given until they are sealed
///   members.c    the list of members
///   names.c      the names of the scene's bodies and joints
///   poses.c      poses of bodies as they are shown, in the plane; poses3.c in space
///   display.c    where bodies are shown: between two ticks, and while an error of the prediction fades
///   places.c     the places of all bodies as they are shown, in the plane; places3.c in space
///   reading.c    what can be read of the client
///   games.c      the games that the program has
///   end.c        the end of the client
///   actions.c    the queue of actions
///   display_clock.c  which moment is shown
///   clock.c      estimate of the server's time, pace of the inputs
///   images.c     images of the last confirmed states
///   outcomes.c   what ticks did, predicted, confirmed or withdrawn
///   text.c       texts in arrays
///
/// Every function below that can end the client returns nothing: it queues the end and sets the phase.
#ifndef ISO_CLIENT_STATE_H
#define ISO_CLIENT_STATE_H

#include "clock.h"
#include "display_clock.h"
#include "images.h"
#include "isostep/assert.h"
#include "isostep/body3.h"
#include "isostep/client.h"
#include "isostep/sync_test.h"
#include "outcomes.h"

/// Above the maximum that any single event causes: a tick gives at most TICK, SYNC_TEST, DESYNC, JOINED, PREDICTED,
/// some LOST and six messages.
#define ISO__CLIENT_ACTIONS_MAX 20

/// [bytes] At least what the server says (ISO_DETAIL_TEXT_MAX); room for the names of a program's games.
#define ISO__CLIENT_TEXT_MAX 255

/// Own roots are kept this long to be compared with the server's, which may be later than their tick.
#define ISO__CLIENT_ROOTS_MAX 64

#define ISO__CLIENT_HELLO_TIMEOUT_NS   UINT64_C(5000000000)
#define ISO__CLIENT_SILENCE_TIMEOUT_NS UINT64_C(30000000000)
#define ISO__CLIENT_NOTICE_TIMEOUT_NS  UINT64_C(5000000000)
#define ISO__CLIENT_LEAVE_TIMEOUT_NS   UINT64_C(2000000000)
/// A host that calls so much later than it was asked to was stopped. The server then has the grace for what it has sent.
#define ISO__CLIENT_STOPPED_NS UINT64_C(1000000000)
#define ISO__CLIENT_GRACE_NS   UINT64_C(2000000000)

#define ISO__CLIENT_PINGS_FIRST 5                  // before activation
#define ISO__CLIENT_PING_GAP_NS UINT64_C(20000000) // between an answer and the next of these
#define ISO__CLIENT_PING_JOIN_NS \
    UINT64_C(250000000) // afterwards, until it is active: a slip must not hide that it has caught up
#define ISO__CLIENT_PING_PERIOD_NS UINT64_C(1000000000) // when it is active
#define ISO__CLIENT_PING_LOST_NS   UINT64_C(2000000000) // a ping without an answer is sent again

/// Without a tick for so long, or for as many ticks as a command may be late, and for three ticks' time, inputs are held.
#define ISO__CLIENT_HOLD_NS              UINT64_C(100000000)
#define ISO__CLIENT_HOLD_TICKS           3
#define ISO__CLIENT_CAUGHT_UP_HELD_TICKS 2 // maximum distance behind what can have arrived, to continue

#define ISO__CLIENT_CONFIRM_PERIOD  16                  // ticks
#define ISO__CLIENT_AHEAD_S         60                  // a server's clock may be so far beyond what can be
#define ISO__CLIENT_BEHIND_TICKS    (UINT64_C(1) << 20) // a join may begin so far behind the server; no server keeps more
#define ISO__CLIENT_CAUGHT_UP_TICKS 8                   // behind what can have arrived, at most
#define ISO__CLIENT_INPUT_COMMANDS  8                   // in one message: so many of any kind pass a server's decoder
#define ISO__CLIENT_INPUT_BYTES     3800                // of them, at most
/// Commands that were sent and are not sealed yet: about a second's at a usual rate. Further commands wait, so that
/// none is forgotten.
#define ISO__CLIENT_FLIGHT_MAX    128
#define ISO__CLIENT_LOST_PER_TICK 4 // that are reported; the others with the next ticks
#define ISO__CLIENT_RING_SIZE     (ISO__CLIENT_FLIGHT_MAX + ISO_CLIENT_COMMANDS_MAX)

/// A queued action; the message of a SEND stands beside it.
typedef struct iso__client_pending {
    iso_client_action action;
    iso_message message;
} iso__client_pending;

/// A snapshot under way.
typedef struct iso__client_snapshot {
    bool is_active;
    iso_message_snapshot_begin begin;
    uint8_t *bytes; // begin.size bytes, NULL for a client without a world
    size_t size;    // allocated
    uint32_t next_chunk;
    size_t fill;           // bytes that have arrived
    bool is_decompressing; // DECOMPRESS is out
} iso__client_snapshot;

/// What the scene calls its bodies and joints: one block, the texts behind the entries.
typedef struct iso__client_names {
    iso_name *entries; // rising by (of, index)
    uint32_t count, left_out;
    size_t size; // of the block
} iso__client_names;

/// A command from when it is given until it is sealed or refused.
typedef struct iso__client_command {
    iso_command command;
    uint64_t sequence;
    uint64_t target;    // of the input that it left with
    uint64_t predicted; // the tick in which the predicted world has it; 0: none
    bool is_refused;
    bool is_sealed;
} iso__client_command;

/// The member's commands, and the budgets by which they leave.
typedef struct iso__client_input {
    /// The oldest first: those that have left, then those that wait.
    iso__client_command ring[ISO__CLIENT_RING_SIZE];
    uint32_t first, sent_count, waiting_count;
    uint64_t next_sequence; // of the next command that is given
    // Streams keep the order: when a PONG comes, the server has heard what left before the PING.
    uint64_t pinged_sequence;                     // the last that had left with the last PING; 0: none
    uint64_t heard_sequence;                      // what is above may be under way, or gone with a connection
    uint64_t sealed_sequence;                     // the last own one in a tick
    iso_command sent[ISO__CLIENT_INPUT_COMMANDS]; // of the INPUT in the action queue
    uint32_t command_tokens;
    uint32_t byte_tokens;
    // The control block as last set, and when it was last sent.
    iso_command_set_control control;
    bool has_control;
    uint64_t control_target;
    uint32_t control_refresh; // ticks until it is sent again; 0: never
    // Ticks have stayed away: nothing leaves until they come again and the server's time is known.
    bool is_held;
    uint32_t held_ping; // the first ping that was sent since they came again
    uint64_t tick_ns;   // when the last tick came, or the clock was started
} iso__client_input;

/// A body's pose, or what is left of earlier errors of the prediction: where it is shown beside where it is.
typedef struct iso__client_place {
    uint32_t generation; // of the body; 0: none
    iso_client_pose pose;
} iso__client_place;

/// The same in space.
typedef struct iso__client_place3 {
    uint32_t generation;
    iso_vec3_wide position;
    union {
        iso_quat rotation;
        iso_vec3_wide turn; // what is left of earlier errors: the axis times the angle [rad]
    };
} iso__client_place3;

/// Where all bodies were shown at a tick.
typedef struct iso__client_frame {
    uint64_t number; // rises by the ticks between two frames
    void *places;    // by body index: iso__client_place, in space iso__client_place3
} iso__client_frame;

/// What a moment lies between: the newest frame that is not after it and the next one, or the same twice.
typedef struct iso__client_moment {
    const iso__client_frame *from, *to;
    uint32_t fraction_q16; // of the way
} iso__client_moment;

/// One block, made with the world when there is a prediction or frames are kept.
typedef struct iso__client_display {
    void *offsets; // by body index, as the places of a frame
    uint32_t body_capacity;
    uint32_t place_size; // [bytes]
    bool is_space;
    // With config.interpolate, else the frames have no places.
    iso__client_frame frames[ISO__CLIENT_FRAMES_MAX]; // the oldest first
    uint32_t frame_count;
    iso__client_display_clock clock; // of the frames' numbers
    const iso_world *world;          // that was shown last
    uint64_t tick;                   // of it
    bool is_cut;                     // the confirmed world was replaced since
    bool is_rewritten;               // the newest frame must be rewritten
    size_t size;                     // of the block
} iso__client_display;

typedef enum iso__client_predict_state {
    ISO__CLIENT_PREDICT_BEHIND, // the confirmed world is past it, or nothing was predicted yet
    ISO__CLIENT_PREDICT_RIGHT,  // as far as is known
    ISO__CLIENT_PREDICT_WRONG,  // a tick was sealed with another input than it was predicted with
} iso__client_predict_state;

/// The predicted world. One block, allocated with the confirmed world.
typedef struct iso__client_predict {
    iso_world *world;
    uint64_t tick;                                       // of `world`
    uint8_t state;                                       // iso__client_predict_state
    bool is_resting;                                     // this machine is behind
    uint64_t rest_begin_ns, rest_end_ns;                 // of the last one; 0: there was none
    uint64_t rest_ns;                                    // that it takes at least
    iso_sealed_command commands[ISO__CLIENT_FLIGHT_MAX]; // of the tick that is predicted
    iso__client_outcomes outcomes;
    size_t size; // of the block
} iso__client_predict;

typedef enum iso__client_spare_state {
    ISO__CLIENT_SPARE_NONE,
    ISO__CLIENT_SPARE_CONNECTING,
    ISO__CLIENT_SPARE_ANSWERING, // its HELLO is on the way
} iso__client_spare_state;

/// The connection that is tried beside a silent one.
typedef struct iso__client_spare {
    uint8_t state;        // iso__client_spare_state
    uint64_t since_ns;    // of that state
    uint64_t due_ns;      // before this there is no other try
    uint32_t tries;       // in vain, since the silence began
    uint64_t tick;        // that its HELLO says
    uint64_t given_up_ns; // when one was given up whose HELLO the server may have; 0: none was
    uint64_t late_ns;     // when a try was put off because the host called late; 0: none was
} iso__client_spare;

struct iso_client {
    // Configuration.
    iso_allocator allocator;
    const iso_game *const *games;
    uint32_t game_count;
    char session[ISO_SESSION_NAME_MAX + 1];
    char name[ISO_MEMBER_NAME_MAX + 1];
    char password[ISO_PASSWORD_MAX + 1];
    uint8_t role;
    bool verify;
    uint8_t lead_ticks;
    uint64_t flip_at_tick;
    uint64_t snapshot_size_max;
    uint64_t world_size_max;
    iso_simd simd; // of its worlds
    uint64_t image_memory;
    uint8_t predict_frames;
    bool interpolate;
    uint64_t reconnect_ns;
    uint64_t random; // state of the generator, for the delays

    iso_client_phase phase;
    bool is_leaving;
    uint64_t now_ns;
    uint64_t phase_ns; // when the phase (or leaving) began
    uint64_t heard_ns; // when the last message came
    uint64_t hello_ns; // when HELLO left

    iso__client_pending actions[ISO__CLIENT_ACTIONS_MAX];
    uint32_t action_count, action_taken;
    char text[ISO__CLIENT_TEXT_MAX + 1]; // of REFUSED and ENDED
    char expected[ISO_EXPECTED_TEXT_MAX + 1];

    // Resuming.
    bool is_away;        // from a loss until it is active again
    bool is_resumable;   // it was active: it resumes as the same member
    bool has_claim;      // config.resume is that member, until this client is active or refused
    bool is_rewinding;   // REWIND is to come
    uint64_t away_ns;    // when the connection was lost
    iso_status away_why; // why there is none since the last try
    uint32_t tries;      // since then

    iso__client_spare spare;
    uint64_t grace_until_ns; // before this no time limit of the server's passes; 0: the client was never stopped

    bool is_welcomed;
    iso_message_welcome welcome;
    iso_member members[ISO_MEMBERS_MAX]; // rising by (role, slot), none of them gone
    uint32_t member_count;
    uint32_t spectator_count;
    iso__client_names names;

    // Pings.
    uint32_t ping_id; // of the last one
    bool is_ping_out;
    uint64_t ping_sent_ns;
    uint64_t ping_due_ns;
    uint32_t pong_count;

    iso__client_snapshot snapshot;
    const iso_game *game;
    iso_world *world;
    void *world_memory;
    size_t world_size;
    iso__client_images images;
    iso__client_predict *predict; // NULL without prediction
    iso__client_display *display; // NULL without prediction and interpolation
    iso_sync_test sync_test;
    uint32_t sync_test_interval; // [ticks]; 0: there is no test, or it is over

    // Ticks.
    uint64_t tick;                         // of the world, or acknowledged
    uint64_t told_tick;                    // the last one with a TICK action that was not taken back
    uint64_t wrong_tick;                   // the first whose root is known to be wrong; 0: none
    uint64_t base_tick;                    // of the snapshot: no own root below it
    uint64_t roots[ISO__CLIENT_ROOTS_MAX]; // own, at tick % max
    uint64_t server_root_tick;             // the newest root that the server has sent
    uint64_t server_root;
    bool is_activated; // ACTIVATE has come
    iso_message_activate activation;
    uint64_t report_ns;     // of the DESYNC_REPORT that was not answered yet; 0: none
    bool has_desynced;      // its own world is known to be wrong
    bool is_healing;        // DESYNC_NOTICE has announced a snapshot, which has not arrived yet
    bool is_paused;         // the session's clock is stopped
    uint64_t confirm_until; // every tick before this is confirmed
    uint32_t tick_epoch;    // of the last tick, or of the snapshot

    iso__client_clock clock;
    iso__client_input input;
    iso_client_stats stats;
};

/// @name What always holds, for assertions
/// @{

/// What has left and what waits have room in the ring together, and no more is out than can be remembered.
static inline bool iso__client_input_fits(const iso__client_input *input) {
    return input->first < ISO__CLIENT_RING_SIZE && input->sent_count <= ISO__CLIENT_FLIGHT_MAX &&
           input->sent_count + input->waiting_count <= ISO__CLIENT_RING_SIZE;
}

static inline bool iso__client_fits(const iso_client *client) {
    return client->phase <= ISO_CLIENT_PHASE_AWAY && client->action_taken <= client->action_count &&
           client->action_count <= ISO__CLIENT_ACTIONS_MAX && iso__client_input_fits(&client->input);
}

/// Who may not reconnect tries nothing.
static inline bool iso__client_spare_fits(const iso_client *client) {
    return client->spare.state <= ISO__CLIENT_SPARE_ANSWERING &&
           (client->spare.state == ISO__CLIENT_SPARE_NONE || client->reconnect_ns > 0);
}

/// Messages can leave, and have a server.
static inline bool iso__client_is_connected(const iso_client *client) {
    return client->phase >= ISO_CLIENT_PHASE_HELLO && client->phase <= ISO_CLIENT_PHASE_ACTIVE;
}

/// The world, if there is one, is where the client says that it is.
static inline bool iso__client_is_at_tick(const iso_client *client) {
    return client->world == 0 || iso_world_get_tick(client->world) == client->tick;
}
/// @}

/// @name actions.c
/// @{
iso_client_action *iso__client_action_push(iso_client *client, uint8_t kind);
/// A SEND; the caller fills the message of the given kind.
iso_message *iso__client_action_push_message(iso_client *client, uint8_t kind);
/// @}

/// @name end.c
/// @{
/// Closes the stream, unless it is gone, and ends the client.
void iso__client_end(iso_client *client, iso_status status, const char *text, const char *expected, bool close);
/// The same for what the peer did wrong.
void iso__client_fail(iso_client *client, iso_status status, const char *text);
/// Gives up the connection that is tried beside a silent one, if there is one.
void iso__client_end_spare(iso_client *client);
/// @}

/// @name text.c
/// @{
/// Copies text into an array of `capacity` bytes, cut where it does not fit. @return whether it fitted.
bool iso__client_text_copy(char *to, size_t capacity, const char *from);
/// The same behind what the array has.
bool iso__client_text_append(char *to, size_t capacity, const char *from);
bool iso__client_text_equal(const char *a, const char *b);
/// @}

/// @name games.c
/// @{
/// The game of this name among those of the program, or NULL.
const iso_game *iso__client_games_find(const iso_client *client, const char *name);
/// Says in the client's text that a session's game is not among this program's, and which these are. @return the text, for
/// iso__client_fail
const char *iso__client_games_unknown(iso_client *client, const char *name);
/// @}

/// @name reading.c
/// @{
/// Whether the predicted world follows from the confirmed one, and is not behind it.
bool iso__client_reading_is_predicted(const iso_client *client);
/// @}

/// @name handshake.c
/// @{
void iso__client_handshake_hello(iso_client *client);
/// The message alone; it goes over the connection that is tried, too.
void iso__client_handshake_hello_fill(iso_client *client, iso_message_hello *hello);
void iso__client_handshake_welcome(iso_client *client, const iso_message_welcome *welcome);
void iso__client_handshake_pong(iso_client *client, const iso_message_pong *pong);
void iso__client_handshake_ping_if_due(iso_client *client);
/// @}

/// @name spare.c
/// @{
/// How long the server may be silent [ns] before another connection is tried; the limit of silence: not at all.
uint64_t iso__client_spare_patience(const iso_client *client);
uint64_t iso__client_spare_deadline(const iso_client *client);
/// Begins a try, or ends one that takes too long. Only for a client that is connected. @param before_ns  the time of the event
///        before this one
void iso__client_spare_if_due(iso_client *client, uint64_t before_ns);
/// An event of the connection that is tried.
/// @return true: it is the client's connection now, and its message is to be handled as one of that
bool iso__client_spare_handle(iso_client *client, const iso_client_event *event);
/// The silent connection speaks, while another one is tried: that one is given up, or takes its place.
void iso__client_spare_hear(iso_client *client, const iso_message *message);
/// The connection that is tried takes the place of the other one, if its HELLO is on the way. The phase is then HELLO.
bool iso__client_spare_take_place(iso_client *client, iso_status why);
/// Whether TAKEN_OVER may come of an own HELLO.
bool iso__client_spare_has_taken_over(const iso_client *client);
/// Whether a refusal may be otherwise in a moment.
bool iso__client_refusal_may_pass(iso_status code);
/// @}

/// @name resume.c
/// @{
/// A time to wait before the next try, longer after more of them.
uint64_t iso__client_resume_delay(iso_client *client, uint32_t tries);
/// The connection is lost: what belongs to it is discarded, and the time for trying runs.
void iso__client_resume_away(iso_client *client, iso_status why);
/// Begins to reconnect, if that is configured and may help. The phase is then AWAY.
/// @param close  whether the stream is still open
/// @return false when the client has to end.
/// @param why    the status of the end if it fails
bool iso__client_resume_try(iso_client *client, bool close, iso_status why);
/// When reconnecting is given up [ns].
uint64_t iso__client_resume_deadline(const iso_client *client);
/// Reconnecting is given up.
void iso__client_resume_give_up(iso_client *client);
/// The client is to go on as this member, without its world.
void iso__client_resume_claim(iso_client *client, const iso_resume *claim);
void iso__client_resume_hello(iso_client *client, iso_message_hello *hello);
/// What is wrong with an answer to the HELLO, or NULL. client->welcome is still the one before.
const char *iso__client_resume_find_fault(const iso_client *client, const iso_message_welcome *welcome);
/// The server's answer has been taken over.
void iso__client_resume_welcome(iso_client *client);
void iso__client_resume_rewind(iso_client *client, const iso_message_rewind *rewind);
/// @}

/// @name members.c
/// @{
void iso__client_members_take(iso_client *client, const iso_message_members *message);
/// @}

/// @name notices.c
/// @{
void iso__client_notices_desync(iso_client *client, const iso_message_desync_notice *notice);
void iso__client_notices_state(iso_client *client, const iso_message_state_notice *notice);
void iso__client_notices_people(iso_client *client, const iso_message_notice *notice);
/// @}

/// @name names.c
/// @{
void iso__client_names_take(iso_client *client, const iso_message_names *message);
void iso__client_names_release(iso_client *client);
/// @}

/// @name snapshot.c
/// @{
void iso__client_snapshot_begin(iso_client *client, const iso_message_snapshot_begin *begin);
void iso__client_snapshot_chunk(iso_client *client, const iso_message_snapshot_chunk *chunk);
void iso__client_snapshot_decompressed(iso_client *client, iso_status status, const uint8_t *bytes, size_t size);
void iso__client_snapshot_release(iso_client *client);
/// Frees the world, with its images and its prediction.
void iso__client_world_drop(iso_client *client);
/// @}

/// @name ticks.c
/// @{
void iso__client_ticks_begin(iso_client *client, uint64_t tick, uint64_t root);
void iso__client_ticks_tick(iso_client *client, const iso_message_tick *message);
void iso__client_ticks_activate(iso_client *client, const iso_message_activate *activate);
/// The own world is wrong.
void iso__client_ticks_desync(iso_client *client, uint64_t tick, uint64_t ours, uint64_t theirs);
/// A healing is over: the state after `tick` is that of the server.
void iso__client_ticks_heal(iso_client *client, uint64_t tick, uint64_t root);
/// Sets first_tick and last_tick of an action that takes back what was told of ticks: those after `tick`, and those from
/// the first wrong one on. last_tick is below first_tick when there are none.
void iso__client_ticks_take_back(iso_client *client, uint64_t tick, iso_client_action *action);
/// Sends CAUGHT_UP when it is time.
/// @param server_tick  the last tick that the server can have sent so that it is here by now
void iso__client_ticks_catch_up(iso_client *client, uint64_t server_tick);
/// @}

/// @name commands.c
/// @{
/// The i-th of the ring, the oldest first.
iso__client_command *iso__client_commands_at(iso__client_input *input, uint32_t index);
void iso__client_commands_push(iso__client_input *input, const iso_command *command);
/// Removes commands that were sealed, and reports those that can no longer be.
void iso__client_commands_sealed(iso_client *client, const iso_message_tick *message);
/// A PING leaves; and its PONG is there.
void iso__client_commands_pinged(iso__client_input *input);
void iso__client_commands_heard(iso__client_input *input);
void iso__client_commands_refused(iso_client *client, uint64_t sequence);
/// @}

/// @name predict.c
/// @{
/// Makes the predicted world beside the confirmed one, once. @return whether there was memory.
bool iso__client_predict_create(iso_client *client);
void iso__client_predict_destroy(iso_client *client);
/// The confirmed world will continue from another state: withdraws what was predicted.
void iso__client_predict_reset(iso_client *client);
/// The confirmed world has stepped this tick: was it predicted so?
void iso__client_predict_confirm(iso_client *client, const iso_message_tick *message);
/// Corrects a wrong prediction and runs up to the target tick of the last input.
void iso__client_predict_advance(iso_client *client);
/// @}

/// @name sync_test.c
/// @{
/// The confirmed world has stepped this tick. @return false when the client was ended.
bool iso__client_sync_test_step(iso_client *client, const iso_tick_input *input);
/// @}

/// @name display.c
/// @{
/// Made with the world, once. @return whether there was memory.
bool iso__client_display_create(iso_client *client);
void iso__client_display_destroy(iso_client *client);
/// Remembers where the bodies are shown. The predicted world is about to be put right.
void iso__client_display_hold(iso__client_display *display, const iso_world *world);
/// What the bodies are off by now is where they were shown less where they are.
void iso__client_display_release(iso__client_display *display, const iso_world *world);
/// The predicted world has moved on by a tick: what is left of the errors fades.
void iso__client_display_fade(iso__client_display *display);
/// The confirmed world was brought into another state than that of its next tick.
void iso__client_display_cut(iso_client *client);
/// At the end of each event: keeps what is shown now, if the displayed world has changed.
void iso__client_display_update(iso_client *client);
/// Whether bodies are shown where they are in the confirmed world.
bool iso__client_display_is_plain(const iso_client *client);
/// Finds what a body's pose at a time lies between.
/// @param found  receives the moment, whose `to` has the body
/// @return ISO_OK; ISO_ERR_STATE; ISO_ERR_STALE
iso_status iso__client_display_find(const iso_client *client, uint64_t now_ns, iso_body_id body,
                                    iso__client_moment *found);
/// Whether the last displayed poses are kept.
bool iso__client_display_has_frames(const iso_client *client);
/// @}

/// @name places.c
/// @{
// A build without worlds in space has none of their places either.
#ifdef ISO_ONLY_PLANE
#define ISO__CLIENT_IN_SPACE(display) false
#else
#define ISO__CLIENT_IN_SPACE(display) ((display)->is_space)
#endif

/// Where a body is shown. @param display  NULL: where it is
iso_client_pose iso__client_places_shown(const iso__client_display *display, iso_body_id body,
                                         const iso_body_view *view);
/// Stores the displayed poses of all bodies of a world. @param places  may be the offsets themselves
void iso__client_places_take(const iso__client_display *display, const iso_world *world, iso__client_place *places);
/// The offsets hold where bodies were shown: makes them what the bodies are off by now.
void iso__client_places_release(iso__client_display *display, const iso_world *world);
/// What is left of the errors fades by a tick.
void iso__client_places_fade(iso__client_display *display);
/// A body's pose at a moment. @param at  of iso__client_display_find for this body
iso_client_pose iso__client_places_between(const iso__client_moment *at, iso_body_id body);
/// @}

/// @name places3.c
/// @{
/// The same in space.
iso_client_pose3 iso__client_places3_shown(const iso__client_display *display, iso_body_id body,
                                           const iso_body3_view *view);
void iso__client_places3_take(const iso__client_display *display, const iso_world *world, iso__client_place3 *places);
void iso__client_places3_release(iso__client_display *display, const iso_world *world);
void iso__client_places3_fade(iso__client_display *display);
iso_client_pose3 iso__client_places3_between(const iso__client_moment *at, iso_body_id body);
/// @}

/// @name input.c
/// @{
/// Starts the clock of the inputs.
/// @param first_target  no target is below it
void iso__client_input_start(iso_client *client, uint64_t first_target);
void iso__client_input_send_if_due(iso_client *client);
void iso__client_input_status(iso_client *client, const iso_message_status *status);
/// Whether an answer that took `rtt_ns` was held up as the ticks are.
bool iso__client_input_is_held_up(const iso_client *client, uint64_t rtt_ns);
/// A tick has come, the next that was expected.
/// @param arrived_tick  the last one that can be here by now, if the server keeps its rate
void iso__client_input_tick(iso_client *client, uint64_t arrived_tick);
/// The answer to a ping has come.
void iso__client_input_pong(iso_client *client, uint32_t ping_id);
/// @}

#endif
