/// The client's state. What its files do with it is in a header for each; README.md says which file calls which.
#ifndef ISO_CLIENT_STATE_H
#define ISO_CLIENT_STATE_H

#include "clock.h"
#include "display_clock.h"
#include "images.h"
#include "isostep/assert.h"
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

#define ISO__CLIENT_INPUT_COMMANDS 8 // in one message: so many of any kind pass a server's decoder

/// Commands that were sent and are not sealed yet: about a second's at a usual rate. Further commands wait, so that
/// none is forgotten.
#define ISO__CLIENT_FLIGHT_MAX 128
#define ISO__CLIENT_RING_SIZE  (ISO__CLIENT_FLIGHT_MAX + ISO_CLIENT_COMMANDS_MAX)

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

#endif
