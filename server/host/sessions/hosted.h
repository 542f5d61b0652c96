/// One hosted session with everything that belongs to it. From the worker's start to its end it is used by that worker
/// only; the members that other threads may use are marked below.
#ifndef ISO_HOST_HOSTED_H
#define ISO_HOST_HOSTED_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/affinity.h"
#include "base/memory.h"
#include "host/recordings/key.h"
#include "host/recordings/recording.h"
#include "host/recordings/settings.h"
#include "host/recordings/writer.h"
#include "host/start/recovery.h"
#include "host/start/setup.h"
#include "host/watch/event_log.h"
#include "session/session.h"

/// Maximum number of peers' messages of one session in its worker's queue.
#define ISO__HOSTED_MESSAGES_MAX 512u

/// [bytes] that these may take on the heap, and one of them.
#define ISO__HOSTED_WAITING_SIZE_MAX (4u << 20)
#define ISO__HOSTED_BLOCK_MAX        (64u << 10)

/// Connections of a session in the handshake, or ending, in addition to its members and spectators.
#define ISO__HOSTED_JOINERS_MAX 16u

/// Maximum age of the published state of a session.
#define ISO__INFO_INTERVAL_NS UINT64_C(100000000)

/// How long a tick may wait for the disk before the recording is ended.
#define ISO__DISK_PATIENCE_NS UINT64_C(2000000000)

/// How long no tick may become durable before it is said that the disk does not sync.
#define ISO__SYNC_PATIENCE_NS UINT64_C(3000000000)

#define ISO__LATENESS_BUCKETS 32u

/// How late ticks were sealed and how long that took. Written by the worker, read after its end.
typedef struct iso__timing {
    uint64_t ticks;
    uint64_t late_buckets[ISO__LATENESS_BUCKETS]; // by the power of two of the microseconds
    uint64_t late_max_ns;
    uint64_t work_total_ns;
    uint64_t work_max_ns;
} iso__timing;

struct iso__worker;

/// How a session keeps up with its clock, since this server began with it.
typedef struct iso__hosted_pace {
    uint64_t ticks_sealed;
    uint64_t ticks_late; // of these, sealed more than one interval after their deadline
    uint64_t slips;      // how often the clock slipped
} iso__hosted_pace;

typedef struct iso__hosted {
    char name[ISO_SESSION_NAME_MAX + 1];
    struct iso__worker *worker;
    uint32_t place;         // in the worker's list
    iso__affinity affinity; // its worker's thread: from that thread's start, or ADD, to its end, or LEFT
    iso__memory memory;
    iso__recovery recovery; // the recording that it continues from
    iso__setup setup;       // its scene and world
    iso_session *session;
    bool is_strict; // the clock waits for members' inputs
    iso__recording recording;
    bool is_recorded;       // `recording` is valid
    iso__event_log *events; // where its events are written; NULL: nowhere
    bool tells_contacts;    // those of contacts, too
    uint8_t uid[ISO_RECORDING_UID_SIZE];
    uint32_t epoch;
    bool saves_settings; // iso__hosted_save_settings has something to write

    // Used by any thread.
    iso__session_settings settings; // do not change any more when the worker has it
    uint16_t dimensions;            // of its world; does not change any more when the worker has it
    atomic_uint waiting;            // peers' messages in the worker's queue
    atomic_uint waiting_size;       // [bytes] of what these point into
    atomic_bool starved;            // a message did not fit: wake the I/O thread when there is room
    atomic_bool closed;             // CLOSED was taken
    // What the disk has of its recording, for whoever asks; written by the worker.
    atomic_uint_least64_t behind_ns; // since when no tick has become durable; 0: all are
    atomic_bool is_lost;             // nothing is recorded, and the session was informed
    atomic_bool is_sync_hanging;     // no tick has become durable for long

    bool is_created; // over HTTP, by this server or one before: it leaves the server when it has closed

    // Used by the I/O thread.
    bool is_ending;      // the session was told to end
    bool has_ended;      // it has closed
    uint32_t peer_count; // connections that have joined it

    pthread_mutex_t info_mutex; // guards `info` and `pace`
    iso_session_info info;      // a few ticks old at most
    iso__hosted_pace pace;      // likewise

    // Used by the worker only.
    uint64_t told_tick;           // the last tick whose events were written
    uint64_t info_ns;             // when it was published
    iso_world_counts counts;      // as counted so far
    uint64_t slips, moved;        // as counted so far
    iso_status recording_lost;    // not ISO_OK: something could not be handed to the recording
    iso__recording_report report; // as last reported to the session
    bool is_restart_asked;        // the session was asked to begin the recording again with its next keyframe
    uint64_t begun_ns;            // when it was last begun again
    uint64_t restart_at_ns, restart_wait_ns; // time of the next attempt, and the delay before it
    bool is_sealed_told;
    bool awaits_start;       // STARTED was not sent yet
    bool is_leaving;         // LEAVE was taken
    bool is_retired;         // the writer does not refer to it any more
    uint32_t compressing;    // snapshots whose SNAPSHOT_ENCODED has not come yet
    uint64_t handed_tick;    // the last tick that was handed to the recording
    uint64_t disk_waited_ns; // since when a tick waits for the disk; 0: none waits
    uint64_t served_ns;      // the worker's time that it has used, for the scheduler
    iso__timing timing;
} iso__hosted;

/// What all sessions of a server are created with.
typedef struct iso__hosted_config {
    const iso__options *options;
    const iso_game *const *games;
    size_t game_count;
    iso__writer *writer;   // NULL: without recordings
    const iso__disk *disk; // of the recordings
    iso__key *key;
    iso__event_log *events; // NULL: none
    uint64_t now;           // before anything was created
    bool is_running;        // the workers and the writer run: the recording joins, and the session is added, later
    uint64_t roll_size;     // [bytes]
} iso__hosted_config;

/// Finds the recording that the session continues from, or reads the scene; builds the world, creates the session and
/// its recording: everything that takes long or can fail. No file is changed; the changes to be made are noted in
/// `recovery`.
/// @param spec  `is_created`: only a recording is continued; when there is none `hosted->session` is NULL, and no error
/// @return an exit code; any but ISO__EXIT_DONE follows a message on standard error, and iso__hosted_term must be
/// called then as well
int iso__hosted_init(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config);

/// Creates a new session from a scene, without a look at the folder of the recordings. From any thread.
/// @return as iso__hosted_init
int iso__hosted_begin(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config);

/// [bytes] of --memory that a new session takes: what it is refused for, and what GET /api/scenes says.
/// @param scene_size  [bytes] of the scene's text
/// @return 0: the definition is not valid
uint64_t iso__hosted_measure(const iso_world_def *def, const iso_game *game, size_t scene_size,
                             const iso__hosted_config *config);

/// Applies the changes to files that iso__hosted_init has noted.
void iso__hosted_commit(iso__hosted *hosted, const iso__disk *disk);

/// The next tick is due one interval after `now`.
void iso__hosted_start(iso__hosted *hosted, uint64_t now);

/// The session's name and state, for a list. From any thread.
void iso__hosted_get_info(iso__hosted *hosted, iso_session_info *info);

/// As of the same moment as the session's information.
iso__hosted_pace iso__hosted_get_pace(iso__hosted *hosted);

/// Publishes that state, and counts what the world has clamped and dropped since the last call. On the worker's thread,
/// or before it runs.
void iso__hosted_publish(iso__hosted *hosted, uint64_t now);

/// Whether it has closed, and its recording, if there is one, says so on the disk: no later server continues it.
bool iso__hosted_end_is_durable(iso__hosted *hosted);

/// Whether its recording is complete and has its final name, or there is none.
bool iso__hosted_recording_is_whole(const iso__hosted *hosted);

/// To be called after the worker and the writer have ended, or have let it go.
void iso__hosted_term(iso__hosted *hosted);

#endif
