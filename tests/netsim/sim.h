/// A whole system in one thread: the real session, recorder, client library, codec and framing, bound to a
/// virtual clock, network and disk. Everything follows from one seed.
///
///   netsim.c       options, the seeds, the summary
///   scenario.c     what a seed draws
///   sim.c          the queue of events, one run from begin to end
///   totals.c       what runs have seen, and what they must have seen
///   virtual_net.c  ordered streams with latency, jitter, tiny segments, stalls, cuts and half-open ends
///   virtual_disk.c files whose operations take time, write in parts, may fail, and lose pages that were not synced
///   node_server.c  the host of the session and its recorder
///   node_addresses.c its account of addresses: the host's own, on the virtual clock
///   node_recording.c its recording: the host's own, on the virtual disk
///   node_restart.c its death and its return from what the disk has
///   node_folder.c  the disk as a real folder, for the host's recovery
///   node_client.c  the host of a client library
///   faults.h       what goes wrong beside that, a file each
///   tamper.c       what a hostile client makes of the messages of an honest one
///   bot.c          what it plays
///   scene.h        what a kind of worlds has of its own: scene_plane.c, scene_space.c
///   oracle.c       what must hold at every event
///   oracle_clock.c what must hold of the clients' clocks
///   oracle_strict.c what must hold of the late policy STRICT
///   oracle_outcome.c what must hold of what predicting clients are told
///   oracle_end.c   what must hold at the end
///
/// Time is in nanoseconds from the begin of the run. Ties are broken by the order of scheduling.
#ifndef ISO_NETSIM_SIM_H
#define ISO_NETSIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isostep/client.h"
#include "isostep/isostep.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"
#include "host/peers/address_limit.h"
#include "host/sessions/hosted.h"
#include "host/recordings/writer.h"
#include "session.h"

#define SIM_MS            UINT64_C(1000000)
#define SIM_SECOND        UINT64_C(1000000000)
#define SIM_LONG          (1000 * SIM_SECOND) // more than any run
#define SIM_CLIENTS_MAX   32u                 // instances, over the whole run
#define SIM_LINKS_MAX     192u                // connections, over the whole run
#define SIM_FILES_MAX     256u
#define SIM_RUN_NUMBERS   65536u // of secrets, from one of the server's runs to the next
#define SIM_MEMBERS_MAX   64u
#define SIM_ADDRESSES_MAX 3u
#define SIM_ACCOUNTS_MAX  (SIM_ADDRESSES_MAX + 1u + ISO_SLOT_COUNT_MAX) // addresses, and slots where there are none
#define SIM_TICKS_MAX     4096u
#define SIM_SENT_MAX      4096u // commands of one client
#define SIM_IMAGES_MAX    2u

#include "faults.h"
#include "scene.h"
#include "totals.h"

/// SplitMix64 (Steele, Lea, Flood 2014).
typedef struct sim_random {
    uint64_t state;
} sim_random;

uint64_t sim_random_next(sim_random *random);
/// 0 to count - 1.
uint64_t sim_random_below(sim_random *random, uint64_t count);
bool sim_random_one_in(sim_random *random, uint64_t count);
/// min to max, both included.
uint64_t sim_random_between(sim_random *random, uint64_t min, uint64_t max);

// ---- events -----------------------------------------------------------------------------------------

typedef enum sim_event_kind {
    SIM_DELIVER,     // link, direction, count
    SIM_HANG_UP,     // link, direction: the far end has closed
    SIM_WAKE,        // link: its client reads again
    SIM_WRITER,      // the recording's writer has something to do; count: the server's incarnation
    SIM_SYNCED,      // its sync comes back; count: the same
    SIM_REPORT,      // the session hears of its recording; count: the same
    SIM_ENCODED,     // which image; count: its number
    SIM_CONNECT,     // client: for the first time or again
    SIM_CUT,         // client: both ends are told
    SIM_LOSE,        // client: its end is told, the server is not
    SIM_LEAVE,       // client
    SIM_STALL,       // client: does not read for a while
    SIM_REROUTE,     // client: its latency is another one from now on
    SIM_BOT,         // client: decides something
    SIM_SERVER_BUSY, // the server's thread gets no processor for a while
    SIM_KILL,        // the server's process; count 1: the machine's power
    SIM_RESTART,     // the server comes back
    SIM_SHUTDOWN,
    SIM_PARTITION,     // client; count: for how long
    SIM_CLOCK_JUMP,    // client, SIM_NONE: the server; count: by how much, signed
    SIM_DISK_HANG,     // count: for how long
    SIM_SECOND_SERVER, // starts on the folder of the first
    SIM_STEAL,         // somebody comes with an old secret
    SIM_HUSH,          // client: its connection brings nothing; count: for how long
    SIM_HUSHED,        // link; count: the client's number of clock jumps at the begin: it should be left by now
    SIM_TRY,           // client: connects beside a silent connection; count: the number of the try
} sim_event_kind;

typedef struct sim_event {
    uint64_t time_ns;
    uint64_t order;
    uint8_t kind;
    uint8_t direction;
    uint32_t index; // client, link, operation or image
    uint64_t count;
} sim_event;

void sim_schedule(sim *s, uint64_t time_ns, sim_event event);

// ---- network ----------------------------------------------------------------------------------------

enum { SIM_TO_SERVER, SIM_TO_CLIENT };

typedef struct sim_pipe {
    uint8_t *bytes; // sent and not read
    size_t size, capacity;
    size_t arrived; // of these: not read for a stall
    uint64_t last_arrival_ns;
    uint64_t busy_until_ns; // the line is: it carries only so many bytes a second
    bool is_closed;         // the sender has closed
} sim_pipe;

/// A connection; its id for the session is its index + 1.
typedef struct sim_link {
    uint32_t client;
    bool is_dead;         // nothing arrives any more, and the server is not told
    bool is_broken;       // it did not end in order
    bool is_of_dead_peer; // its server is gone
    bool is_open_at_server, is_open_at_client;
    bool is_stalled;                     // the client does not read
    uint8_t stream;                      // of the client's two framers: which
    uint64_t hushed_ns, hushed_until_ns; // nothing arrives (fault_silence.c)
    sim_pipe pipes[2];
    uint64_t latency_ns, jitter_ns;
    uint32_t segment_max; // bytes that a reader gets at a time
    uint64_t queued_told;
    uint64_t came_ns;  // when it came to the server, unless it came too fast; 0: not yet
    uint8_t slot;      // that its WELCOME gave; ISO_SLOT_NONE: none
    bool is_activated; // by ACTIVATE
} sim_link;

/// @return the connection's index
uint32_t net_open(sim *s, uint32_t client);
void net_send(sim *s, uint32_t index, uint8_t direction, const uint8_t *bytes, size_t size);
/// The sender closes its end: what is under way still arrives.
void net_close(sim *s, uint32_t index, uint8_t direction);
/// Both ends are gone at once, and what is under way with them.
void net_cut(sim *s, uint32_t index);
/// The client's end is gone; the server's hears nothing more and is not told.
void net_lose_client(sim *s, uint32_t index);
/// The server is gone; the client is told after a while.
void net_lose_server(sim *s, uint32_t index);
void net_event(sim *s, const sim_event *event);
void net_free(sim *s);

// ---- disk -------------------------------------------------------------------------------------------

typedef struct sim_file {
    char name[ISO_RECORDER_NAME_SIZE];
    char durable_name[ISO_RECORDER_NAME_SIZE]; // what it may be called after a power cut; empty: as now
    uint8_t *bytes;
    bool name_is_durable; // the folder was synced since it was made
    size_t size, capacity, durable_size;
    uint8_t *cut; // what stood behind `cut_start` before the file was cut there and not synced since; NULL: nothing
    size_t cut_start, cut_size;
    size_t syncing_size; // what the sync that has begun covers
    bool is_syncing_cut; // and whether it covers the last cut
} sim_file;

typedef struct sim_disk {
    sim_file files[SIM_FILES_MAX];
    uint32_t file_count;
    uint64_t used, room;
    uint64_t room_until_ns; // then there is room again
    uint64_t fault_ns;      // when an operation failed last
    uint64_t op_count;
    uint64_t fails_at_op; // UINT64_MAX: never
    uint64_t spent_ns;    // by operations, since the writer last began
    uint64_t ops_left;    // before the process is dead; UINT64_MAX: it lives
    bool has_failed;      // since the server's last start
    bool has_ever_failed; // an operation
    uint64_t hangs_until_ns;
    uint64_t sync_fails_from_ns, sync_fails_until_ns;
} sim_disk;

/// Operations, as server/host/recordings/disk.h has them; a file is known by its number.
iso_status disk_create(sim *s, const char *name, int *file);
iso_status disk_write(sim *s, int file, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written);
/// A sync begins: it covers what is there now.
void disk_begin_sync(sim *s);
iso_status disk_sync(sim *s, int file);
iso_status disk_truncate(sim *s, int file, uint64_t size);
iso_status disk_rename(sim *s, const char *name, const char *new_name);
iso_status disk_sync_folder(sim *s);
/// The process has died with its operations on their way; or the machine, with what was not synced.
void disk_crash(sim *s, bool power_cut);
iso_status disk_remove(sim *s, const char *name);
/// @return the number of the file of that name; -1: there is none
int disk_number(sim *s, const char *name);
/// Whether the file is there, for one who looks into the folder; and is a recording.
bool disk_has(const sim_file *file);
bool disk_has_recording(const sim_file *file);
void disk_free(sim *s);

// ---- nodes ------------------------------------------------------------------------------------------

typedef struct sim_server_peer {
    iso_framer framer;
    uint8_t buffer[ISO_FRAME_MAX_CLIENT];
    bool is_deaf;     // its stream is lost
    bool is_greeted;  // its first message has come
    uint32_t address; // its place in the table of addresses
} sim_server_peer;

typedef struct sim_image {
    bool is_out;
    uint64_t number;
    uint64_t tick;
    const uint8_t *bytes;
    size_t size;
} sim_image;

/// The server's recording and its writer: node_recording.c.
typedef struct sim_recording {
    bool is_up;
    iso__writer writer;
    iso__hosted
        hosted;      // what host/sessions/session_recording.c works on; nothing is used but what concerns the recording
    uint32_t number; // of its file, for the count of rolls
    uint64_t writer_due_ns, report_due_ns;
    uint64_t writer_busy_until_ns;
    bool is_syncing;
    bool is_lost; // as it was seen last
    uint64_t lost_ns;
    bool is_begun_again; // and goes on
    uint32_t generation; // of the recording: how often it has begun again
} sim_recording;

typedef struct sim_server {
    bool is_up;
    uint32_t incarnation;                    // from 1
    uint32_t held[SIM_ADDRESSES_MAX + 1];    // slots, by the address of who had them, as the session says
    uint32_t strikes[SIM_ADDRESSES_MAX + 1]; // garbage that has come from an address
    uint64_t origins[SIM_ADDRESSES_MAX + 1]; // what the session knows the addresses by; 0: not known yet
    iso__address_limit address_limit;
    iso_session *session;
    iso_world *world;
    void *world_memory;
    sim_recording recording;
    int lock_file; // on the folder; -1: there is none
    sim_clock clock;
    uint32_t clock_jumps; // of the clock when due_ns was drawn
    uint64_t deadline_ns; // that due_ns was drawn for
    uint64_t due_ns;
    uint64_t busy_until_ns;
    bool power_was_cut;       // since it served last
    uint32_t deaths;          // while it started, since it served last
    bool is_killed_again;     // it died last on its way back, before anything was safe in a file of its own
    uint64_t far_deadline_ns; // of a tick far ahead: it moves when the clock stands still or slips
    uint64_t shifted_ns;      // when it did last, or the server was busy
    bool is_shutting_down, is_closed;
    sim_server_peer peers[SIM_LINKS_MAX];
    sim_image images[SIM_IMAGES_MAX];
    uint64_t image_number;
    char scene[64];
    uint8_t key[32]; // of the secrets; on the disk from the first start
} sim_server;

void server_start(sim *s);
/// Counts what the session has done, and gives its memory back.
void server_stop(sim *s);
/// Builds the world of the scene.
void server_build_world(sim *s);
/// What its clock says.
uint64_t server_now_ns(sim *s);
void server_handle(sim *s, iso_session_event event);
void server_create_session(sim *s);
void server_drain(sim *s);
/// The process dies, or the machine: see disk_crash.
void server_kill(sim *s, bool power_cut);
/// Starts it again from what the disk has.
void server_restart(sim *s);
void server_opened(sim *s, uint32_t index);
void server_bytes(sim *s, uint32_t index, const uint8_t *bytes, size_t size);
void server_gone(sim *s, uint32_t index);
void server_queued(sim *s, uint32_t index, size_t size);
void server_event(sim *s, const sim_event *event);
/// When the server's thread wants to run, by its own deadlines.
uint64_t server_next_ns(sim *s);
void server_time(sim *s);

/// What addresses may have.
void addresses_plan(sim *s);
/// The account of them, as a server starts it.
void addresses_begin(sim *s);
/// A client connects. @return false: it is turned away
bool addresses_enter(sim *s, uint32_t link);
/// What the session may know of its address.
uint64_t addresses_origin(const sim *s, uint32_t link);
/// Whether nobody new may join from there.
bool addresses_are_over(sim *s, uint32_t link);
void addresses_leave(sim *s, uint32_t link);
/// The server has ended the connection for that.
void addresses_strike(sim *s, uint32_t link, iso_status status);
/// The session holds a slot for an address, or no longer. @return the address
uint8_t addresses_hold(sim *s, uint64_t origin, bool held);

/// The run that the host's code works for from now on.
void recording_bind(sim *s);
/// Makes the recording of a run that begins at that tick. @param previous  the file that it goes on from, or NULL
void recording_start(sim *s, uint64_t first_tick, const iso__recovery *previous);
/// An action of the session's that is for it.
void recording_act(sim *s, const iso_session_action *action);
void recording_event(sim *s, const sim_event *event);
/// After every event of the session.
void recording_check(sim *s);
/// When the server gives up waiting for the disk, or tries again, by its clock; UINT64_MAX: never.
uint64_t recording_deadline_ns(const sim *s);
void recording_time(sim *s);
/// It is not left lost on a disk that works. When the server shuts down.
void recording_check_begun_again(sim *s);
/// Whether what is sent now is on the disk.
bool recording_is_safe(const sim *s);
/// What the host has said last.
const char *recording_last_log(void);

/// The folder as a starting server finds it, as a real one: node_folder.c.
/// @return its descriptor
int folder_show(sim *s);
/// What is done with these files from now on is done with those of the virtual disk as well. @param ops_left  see
/// sim_disk
void folder_begin(sim *s, uint64_t ops_left);
void folder_end(sim *s);
/// Whether it is under way.
bool folder_is_shown(void);
/// Operations of host/recordings/disk.h while it is.
iso_status folder_create(sim *s, const char *name, int *file);
iso_status folder_write(sim *s, int file, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written);
iso_status folder_sync(sim *s, int file);
iso_status folder_truncate(sim *s, int file, uint64_t size);
iso_status folder_rename(sim *s, const char *name, const char *new_name);
iso_status folder_remove(sim *s, const char *name);
void recording_stop(sim *s);
/// The process dies.
void recording_die(sim *s);

typedef enum sim_bot_kind {
    SIM_BOT_IDLE,
    SIM_BOT_WANDER,
    SIM_BOT_BUILD,
    SIM_BOT_WATCH,  // a spectator
    SIM_BOT_TAMPER, // a client whose messages are changed on their way out
    SIM_BOT_RUDE,   // no client at all: sends nonsense
    SIM_BOT_THIEF,  // nor this: has an old secret of a member's
    SIM_BOT_KINDS,
} sim_bot_kind;

typedef struct sim_sent {
    uint64_t sequence;
    uint64_t target;
    uint64_t digest;       // of the canonical bytes
    uint64_t handled_tick; // last sealed tick when it came to the session; UINT64_MAX: not yet
    uint64_t sealed_tick;  // 0: not
    uint32_t link;         // over which it was sent last
    bool is_rejected;
    bool again;        // sent more than once
    bool is_told;      // its client knows what became of it
    bool is_lost;      // and what it knows is that it will not hear of it
    bool is_withdrawn; // it stood in a tick that never happened: whether to say it again is for the user to decide
} sim_sent;

/// A client's time in a slot, from the JOIN to the LEAVE, over all its connections and the server's lives.
typedef struct sim_member {
    uint32_t client;
    uint32_t link; // over which it joined
    uint8_t slot;
    uint32_t generation;
    uint32_t epoch;                 // in which it became a member
    uint64_t join_tick, leave_tick; // 0: not in any tick that was told of
    bool is_present;                // in the server's world, held or not
    uint64_t gone_tick;             // 0: not yet
    uint64_t dropped_tick;          // of the last DROP; 0: none
    uint64_t changed_tick;          // of the last change that was told of
    uint32_t life;                  // the server's incarnation that it joined or came back in last
    bool is_forgotten;              // its JOIN was in a tick that is no more
    sim_sent sent[SIM_SENT_MAX];
    uint32_t sent_count;
    uint64_t last_sealed; // sequence
    uint64_t last_target; // that the session has heard
} sim_member;

#define SIM_NONE UINT32_MAX

/// A slot that a Welcome has reserved.
typedef struct sim_promise {
    uint32_t client, link;
    uint32_t generation;
} sim_promise;

typedef enum sim_flip_state {
    SIM_NO_FLIP,
    SIM_TO_FLIP,
    SIM_FLIPPED, // and found out
    SIM_HEALED,
} sim_flip_state;

typedef struct sim_client {
    bool is_used, is_connected, has_ended;
    uint32_t link; // the present one; SIM_NONE: none
    uint8_t bot;   // sim_bot_kind
    bool rejoins;
    uint8_t address; // 1 to SIM_ADDRESSES_MAX; 0: exempt, as on the server's own machine
    uint8_t predict_frames;
    uint64_t flip_at_tick; // 0: never
    uint8_t flip_state;    // sim_flip_state
    bool has_come_back;    // at least once over another connection
    uint64_t resumed_ns;   // when it was active again over the present one; 0: not
    bool is_settled;       // it was so for a while when the server shut down
    uint32_t last_link;
    bool has_stalled_once;
    bool is_told_full; // that the session is full, when it was
    iso_client *client;
    iso_framer framers[2]; // of the present connection and of one that is tried beside it
    uint8_t *buffers[2];
    uint8_t stream;      // which of them is the present one's
    uint32_t spare;      // the connection that is tried; SIM_NONE: there is none
    uint64_t try_number; // of the last one
    bool is_trying;      // that one is begun and does not stand yet
    bool is_leaving;
    bool is_rerouted; // its latency has changed
    uint32_t seat;    // the member that it was when it left a silent connection; SIM_NONE: it is back, or was none
    uint64_t partition_until_ns;
    uint64_t bytes_per_second; // that its line carries in each direction; 0: any number
    sim_clock clock;
    uint32_t clock_jumps; // of the clock when due_ns was drawn
    uint64_t due_ns, deadline_ns;
    iso_status end_status;

    // What it is told by a hostile server (fault_lies.c).
    uint8_t lies; // sim_lies
    uint64_t lies_from_ns;
    uint64_t lied_ns, lied_tick; // SIM_LIES_ONE_ROOT: when that was; 0: not yet
    uint64_t heard_lie_ns;       // and when it arrived
    uint8_t *late_frame;         // that is sent after the next one
    size_t late_size;
    uint64_t told_tick, told_root; // by the message that it takes in; 0: none
    uint64_t said;                 // messages that it has sent

    // What it was given, and how it introduced itself (fault_secrets.c).
    sim_secret secrets[SIM_SECRETS_MAX];
    uint32_t secret_count;
    iso_message_hello hello;

    // What the oracle knows of it.
    uint64_t tick; // last that it has stepped; 0: none
    bool has_tick;
    uint64_t active_tick;        // the first that it has stepped as a member or spectator; 0: none
    uint32_t member;             // the present one; SIM_NONE: none
    uint64_t disturbed_until_ns; // what befell its clock or its line is over then
    uint64_t margin_from_ns;     // inputs since then count for the next (oracle_clock.c)
    int64_t margin_ns;           // the least that one of them was early
    uint64_t gone_ns;            // when the server last lost its connection, or came back itself
    iso_client_outcome *open;    // predicted, and neither confirmed nor withdrawn yet
    uint32_t open_count, open_capacity;
    bool is_told;            // it has joined: it hears of the outcomes of each tick from here on
    uint64_t wrong_tick;     // of the last DESYNC
    uint64_t confirmed_tick; // the last with a confirmed outcome that was not withdrawn
    uint64_t owed_tick;      // the last that was stepped
    uint32_t owed_count;     // of its game's events that are not confirmed yet

    // What its bot remembers.
    iso_body_id bodies[16];
    uint32_t body_count;
    iso_joint_id joint;
    uint64_t spawn_sequences[16];
    uint32_t spawn_count;
    uint64_t joint_sequence;
} sim_client;

void client_bytes(sim *s, uint32_t link, const uint8_t *bytes, size_t size);
/// It has lost a connection. @param link  SIM_NONE: there could be none
void client_gone(sim *s, uint32_t index, uint32_t link, iso_status status);
void client_event(sim *s, const sim_event *event);
uint64_t client_next_ns(sim *s, uint32_t index);
void client_time(sim *s, uint32_t index);
void client_free(sim *s, uint32_t index);
/// Encodes a message and sends it over one of its connections.
void client_put(sim *s, uint32_t index, uint32_t link, const iso_message *message);
/// Changes what a hostile client says. @return how often it is sent
uint32_t tamper(sim *s, uint32_t index, iso_message *message);
/// The bot's turn.
void bot_act(sim *s, uint32_t index);
void bot_results(sim *s, uint32_t index, const iso_client_action *tick);

// ---- oracle -----------------------------------------------------------------------------------------

typedef struct sim_tick {
    bool is_known;   // its input was seen
    uint64_t root;   // of the server's world, computed here
    uint64_t digest; // of the input
} sim_tick;

/// What the late policy STRICT has cost, by the server's clock, since it started.
typedef struct sim_strict {
    uint64_t tick;    // that the clock waits for; 0: none
    uint64_t missing; // the accounts of those who are
    uint64_t seen_ns; // at the last look
    uint64_t waits;   // ticks that it has waited for
    uint64_t used_ns[SIM_ACCOUNTS_MAX];
} sim_strict;

void oracle_strict_begin(sim *s);
/// After every event of the session.
void oracle_strict_stepped(sim *s);
/// The session tells a client how it is.
void oracle_strict_told(sim *s, uint32_t link, const iso_message_state_notice *notice);
/// The server's world has made a step.
void oracle_stepped(sim *s);
/// The session says what a tick contains: to the recorder or to clients.
void oracle_sealed(sim *s, uint64_t tick, const iso_change *changes, uint32_t change_count,
                   const iso_sealed_command *commands, uint32_t command_count);
/// The server is back at that tick, the state after which has this root. What was later never happened.
void oracle_restarted(sim *s, uint64_t tick);
/// The session sends a message.
void oracle_server_sends(sim *s, uint32_t link, const iso_message *message);
/// A client sends one, and the session gets it.
void oracle_client_sends(sim *s, uint32_t index, const iso_message *message);
void oracle_server_hears(sim *s, uint32_t link, const iso_message *message);
void oracle_client_ticks(sim *s, uint32_t index, const iso_client_action *action);
/// The client has stepped a tick: it has to know by name who is in its world.
void oracle_members_known(sim *s, uint32_t index);
/// REFUSED or LOST.
void oracle_client_loses(sim *s, uint32_t index, const iso_client_action *action);
/// Whether somebody was told what all of these ticks contain. Without members and with a recording that has ended
/// nobody is.
bool oracle_were_told(const sim *s, uint64_t first, uint64_t last);
/// A slot is held for an address, or no longer.
void oracle_held(sim *s, const iso_session_action *action);
void oracle_client_ended(sim *s, uint32_t index, iso_status status);
/// Something befalls a client's clock or line, or the server's clock (SIM_NONE), for so long.
void oracle_clock_disturb(sim *s, uint32_t client, uint64_t for_ns);
/// An input of a client comes to the session.
void oracle_clock_input(sim *s, uint32_t client, const iso_message_input *input);
/// Of a PREDICTED action.
void oracle_outcomes(sim *s, uint32_t index, const iso_client_action *action);
/// The client has joined anew, or is gone.
void oracle_outcomes_forget(sim *s, uint32_t index);
/// Of a TICK action: the game's events of the tick before were confirmed, and those of this one have to be.
void oracle_outcomes_owed(sim *s, uint32_t index, uint64_t tick);
/// Of a REWOUND or HEALED action.
void oracle_outcomes_withdrawn(sim *s, uint32_t index, const iso_client_action *action);
void oracle_end(sim *s);
sim_sent *oracle_sent_find(sim_member *m, uint64_t sequence);
uint64_t oracle_digest(uint64_t digest, const void *bytes, size_t size);

// ---- the run ----------------------------------------------------------------------------------------

struct sim {
    uint64_t seed;
    const sim_scene *scene;
    bool verbose;
    uint64_t now_ns;
    uint64_t trace; // digest of everything that happened, in order
    sim_random random;
    sim_random entry;   // draws what addresses may have
    sim_random trouble; // draws the faults of faults.h, so that a new one does not change everything else
    sim_random hush;    // draws silences and steady runs, for the same reason
    bool is_impatient;  // the session's timeouts are short
    bool is_flaky;      // connections last a second or so
    bool is_steady;     // it is long enough to see where the clocks of the clients settle
    bool has_addresses; // clients come from few addresses, which the session may tell apart
    bool is_crowded;    // and these may have little
    iso__address_limit_config address_limits;

    sim_event *heap;
    size_t heap_count, heap_capacity;
    uint64_t order;

    iso_session_config config;
    const iso_game *game;
    iso_world_def def;
    uint32_t static_bodies;
    uint64_t roll_size; // [bytes] of a file of the recording
    uint64_t shutdown_ns;

    sim_link links[SIM_LINKS_MAX];
    uint32_t link_count;
    sim_disk disk;
    sim_server server;
    sim_client clients[SIM_CLIENTS_MAX];
    uint32_t client_count; // instances that were ever planned
    sim_tick ticks[SIM_TICKS_MAX];
    uint64_t last_tick;    // of the server's world
    uint64_t disk_tick;    // last one that was read back from the disk
    uint64_t shown_tick;   // the newest that any client was sent while the recording had it
    uint64_t durable_tick; // the newest that any client was told to survive a power cut
    uint32_t epoch;
    bool is_after_degraded; // a run ended whose recording had a gap: files may hold what never happened
    sim_member *members;
    uint32_t member_count;
    uint32_t slot_members[ISO_SLOT_COUNT_MAX]; // who was there last, by JOIN; SIM_NONE: nobody
    sim_promise promises[ISO_SLOT_COUNT_MAX];  // who was promised the slot last
    sim_strict strict;

    // Scratch that nobody keeps.
    uint8_t *encode_memory, *decode_memory, *frame;

    int64_t blocks; // that are allocated
    sim_totals totals;
};

/// Ends the program and says how to repeat the run.
_Noreturn void sim_fail(const sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_log(const sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_trace(sim *s, uint64_t a, uint64_t b);
iso_allocator sim_allocator(sim *s);
/// Another instance of a client, at that time. @return its index, UINT32_MAX when there are enough
uint32_t scenario_plan_client(sim *s, uint64_t time_ns);
void scenario_draw(sim *s);

/// Runs a seed from begin to end. @return a digest of all that happened, in order
uint64_t sim_run(uint64_t seed, const sim_scene *scene, bool verbose, sim_totals *totals);

#define SIM_CHECK(s, condition, ...) ((condition) ? (void)0 : sim_fail((s), __VA_ARGS__))

#endif
