/// One hosted session with all that belongs to it. It is one worker's from the worker's start to its
/// end; what other threads may touch meanwhile is named below.
#ifndef ISO_HOST_HOSTED_H
#define ISO_HOST_HOSTED_H

#include <stdatomic.h>
#include <stdbool.h>

#include "host/event_log.h"
#include "host/key.h"
#include "host/memory.h"
#include "host/recording.h"
#include "host/recovery.h"
#include "host/setup.h"
#include "host/writer.h"
#include "session/session.h"

/// Peers' messages of one session that may wait in its worker's queue.
#define ISO__HOSTED_MESSAGES_MAX 512u

/// Connections of a session that are in the handshake, or are ending, beside its members and spectators.
#define ISO__HOSTED_JOINERS_MAX 16u

/// How old what is known of a session outside its worker may be.
#define ISO__INFO_INTERVAL_NS UINT64_C(100000000)

/// How long a tick may wait for the disk before the recording is given up.
#define ISO__DISK_PATIENCE_NS UINT64_C(2000000000)

#define ISO__LATENESS_BUCKETS 32u

/// How late the ticks were sealed and how long that took. Written by the worker, read after its end.
typedef struct iso__timing {
    uint64_t ticks;
    uint64_t late_buckets[ISO__LATENESS_BUCKETS]; // by the power of two of the microseconds
    uint64_t late_max_ns;
    uint64_t work_total_ns;
    uint64_t work_max_ns;
} iso__timing;

struct iso__worker;

typedef struct iso__hosted {
    char name[ISO_SESSION_NAME_MAX + 1];
    struct iso__worker *worker;
    uint32_t place; // in the worker's list
    iso__memory memory;
    iso__recovery recovery; // what it goes on from
    iso__setup setup;       // its scene and world
    iso_session *session;
    bool is_strict; // the session waits for its members' inputs
    iso__recording recording;
    bool is_recorded;       // `recording` is there
    iso__event_log *events; // where its events are told; NULL: nowhere
    uint8_t uid[ISO_RECORDING_UID_SIZE];
    uint32_t epoch;

    // Any thread's.
    atomic_uint waiting; // peers' messages in the worker's queue
    atomic_bool starved; // a message found no room: wake the I/O thread when there is some
    atomic_bool closed;  // CLOSED was given

    pthread_mutex_t info_mutex; // guards `info`
    iso_session_info info;      // some ticks old at most

    // The worker's.
    uint64_t told_tick;                      // whose events were told last
    uint64_t info_ns;                        // when it was published
    iso_world_counts counts;                 // as counted so far
    uint64_t slips, moved;                   // the same
    iso_status recording_lost;               // not ISO_OK: something could not be handed in
    iso__recording_report report;            // as last told to the session
    bool is_lost;                            // nothing is recorded, and the session knows
    bool is_restart_asked;                   // and is to begin the recording again with its next keyframe
    uint64_t begun_ns;                       // when that was last done
    uint64_t restart_at_ns, restart_wait_ns; // when it is tried next, and how long was waited for that
    bool is_sealed_told;
    uint64_t handed_tick;    // the last that the recording was given
    uint64_t disk_waited_ns; // since when the disk owes the next tick; 0: it owes none
    uint64_t served_ns;      // the worker's time that it had, for the scheduler
    iso__timing timing;
} iso__hosted;

/// What all sessions of a server are made with.
typedef struct iso__hosted_config {
    const iso__options *options;
    const iso_game *const *games;
    size_t game_count;
    iso__writer *writer;   // NULL: without recordings
    const iso__disk *disk; // of the recordings
    iso__key *key;
    iso__event_log *events; // NULL: without
    uint64_t now;           // before anything was made
    uint64_t roll_size;     // [bytes]
} iso__hosted_config;

/// Finds what the session goes on from, or reads the scene; builds the world, makes the session and its recording: all that
/// takes long or can fail. No file is changed; what is to be changed stands in `recovery`.
/// @return an exit code; other than ISO__EXIT_DONE after a message on standard error; iso__hosted_term is due then as well
int iso__hosted_init(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config);

/// Does with the files in the folder what iso__hosted_init has noted.
void iso__hosted_commit(iso__hosted *hosted, const iso__disk *disk);

/// The next tick is due one interval after `now`.
void iso__hosted_start(iso__hosted *hosted, uint64_t now);

/// What the session is and does, for a list. From any thread.
void iso__hosted_get_info(iso__hosted *hosted, iso_session_info *info);

/// Publishes it anew, and counts what the world has clamped and left out since. On the worker's thread, or before
/// that runs.
void iso__hosted_publish(iso__hosted *hosted, uint64_t now);

/// After the worker's and the writer's end.
void iso__hosted_term(iso__hosted *hosted);

#endif
