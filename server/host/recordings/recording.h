/// One session's recording: a chain of files, of which the writer's thread writes the last.
///
/// The session's worker hands in what is sealed and never waits. A recording with too many items in the writer's queue
/// ends early, since the disk is too slow. Results are passed in a report: the writer updates it, then calls `wake`
/// once until the worker has read it.
///
/// When a file has reached its size the next keyframe begins another one. A keyframe arrives some ticks late, so these
/// ticks are kept until then and written to both files: at every moment one of the two holds all that was broadcast.
/// The first file is sealed when the second one's beginning survives a power cut, so that at every moment there is an
/// unsealed one to continue from. At the session's end the last file is sealed last.
///
/// A recording that the disk does not accept ends early; it can then begin again, in another file. The ticks in between
/// are recorded nowhere. A file that cannot be continued is removed.
#ifndef ISO_HOST_RECORDING_H
#define ISO_HOST_RECORDING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/affinity.h"
#include "base/memory.h"
#include "host/recordings/recording_file.h"
#include "host/recordings/roster.h"
#include "recorder/recorder_name.h"

/// Maximum items of one recording in the writer's queue. More than the ticks and events that a session lets wait.
#define ISO__RECORDING_WAITING_MAX 384u

/// [bytes] A file that is larger ends at the next keyframe.
#define ISO__RECORDING_ROLL_SIZE (UINT64_C(256) << 20)

struct iso__writer;

typedef struct iso__recording_report {
    uint64_t written_tick;
    uint64_t durable_tick;
    bool has_started;
    bool is_degraded;
    bool is_finished;
    bool is_idle;          // no disk operation is left: it can begin again
    uint32_t generation;   // how often it has begun again; all of the above is about the present generation
    bool is_sealed;        // finished, and every file has its final name
    iso_status status;     // of the first error
    uint64_t written_size; // [bytes] of all files together
    uint64_t skipped_keyframes;
    uint32_t file_count;
    char name[ISO_RECORDER_NAME_SIZE]; // of the present file
} iso__recording_report;

typedef struct iso__kept_tick iso__kept_tick;

typedef struct iso__recording_config {
    iso_recording_header header; // copied; the scene's text must stay
    size_t state_size_max;       // [bytes] maximum size of a snapshot of the world
    uint64_t roll_size;          // [bytes]
    iso__roster roster;          // who is there when the recording begins
    // The file that this one continues from; it gets its final name when this one survives a power cut. "": none.
    char part_name[ISO_RECORDER_NAME_SIZE];
    char final_name[ISO_RECORDER_NAME_SIZE];
    iso__memory *memory;
    bool joins;    // the writer runs: iso__recording_join adds it
    bool has_mark; // its folder has a mark of it (host/recordings/created_mark.h), which another folder needs as well
    const struct iso__session_settings *settings; // likewise; NULL: none
    const iso__affinity *owner;                   // whose thread hands in; NULL: any
    void (*wake)(void *user);                     // called on the writer's thread
    void (*left)(void *user);                     // the same, once, after iso__recording_leave; NULL: it does not leave
    void *wake_user;
} iso__recording_config;

typedef struct iso__recording {
    iso__recording_config config;
    struct iso__writer *writer;
    size_t buffer_size;
    iso__affinity affinity; // the writer's thread: from its start, or iso__recording_join, to its end, or `left`
    atomic_uint waiting;    // items in the writer's queue
    bool is_given_up;       // used by the worker: nothing more is handed in

    // Used by the writer.
    iso__recording_file files[2];
    uint32_t present;      // index of the file that is being written; the other one is being sealed
    uint32_t number;       // of the present file
    uint32_t first_number; // of the present generation's first file
    uint32_t generation;
    bool is_seal_due; // the other file is to be sealed as soon as the present one survives a power cut
    bool is_end_due;  // the session has ended: `end` goes to the present file when the other one is sealed
    iso_recorder_event end;
    bool is_keeping;      // the file is about to end: ticks are kept for the next one
    iso__roster roster;   // who is there
    bool is_roster_due;   // the roster is not in the present file yet
    bool has_ended_badly; // a file before the present one could not be sealed
    uint64_t kept_first;  // number of the first kept tick
    iso__kept_tick *kept, *kept_last;
    uint32_t kept_count;
    uint64_t ended_size; // [bytes] of the files before the present one
    uint32_t syncs;      // that were not answered yet
    bool is_leaving;     // iso__recording_leave was called
    bool is_dirty;
    struct iso__recording *next_dirty;
    uint64_t over_at_ns,
        over_wait_ns;      // time of the next attempt to write that the session is over, and the delay before it
    uint32_t folder_moves; // as the writer's folder had them when the session's settings and mark were put there
    bool is_created_over;  // the file that says so exists, but perhaps not on the disk yet

    atomic_bool over_due; // the session is over, and no file says so yet

    pthread_mutex_t mutex; // guards `report`
    iso__recording_report report;
    atomic_bool report_is_new;
} iso__recording;

/// [bytes] of the session's memory that a file's recorder takes, most of it for what waits to be written.
size_t iso__recording_memory(size_t scene_size, size_t state_size_max);

/// Opens the recording's first file for the writer, which must not run yet unless the configuration says that it joins.
/// @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_RANGE (the header).
iso_status iso__recording_init(iso__recording *recording, struct iso__writer *writer,
                               const iso__recording_config *config);

/// To be called after the writer has stopped, after `left`, or instead of iso__recording_join.
void iso__recording_term(iso__recording *recording);

/// @name For the writer
/// @{

typedef enum iso__recording_order {
    ISO__RECORDING_EVENT, // `event`
    ISO__RECORDING_JOIN,
    ISO__RECORDING_LEAVE,
} iso__recording_order;

/// An item of the writer's queue: a recorder's event, followed in the same block by what it points to.
typedef struct iso__recording_item {
    iso__recording *recording; // NULL: stop
    uint8_t order;             // iso__recording_order
    uint8_t file;              // DONE of a SYNC: of which file
    iso_recorder_event event;
    void *block;
} iso__recording_item;

/// Processes an item and frees its block.
void iso__recording_take(iso__recording *recording, iso__recording_item *item);

/// Gives the recorders the time.
void iso__recording_pass_time(iso__recording *recording, uint64_t now);

/// Carries out what the recorders ask for, then updates the report.
void iso__recording_act(iso__recording *recording);

/// The writer stops: the last attempt to write that the session is over.
void iso__recording_finish(iso__recording *recording);

uint64_t iso__recording_next_deadline(const iso__recording *recording);

/// Whether nothing is left to do for a recording that leaves.
bool iso__recording_is_done(const iso__recording *recording);

/// Carries out a SYNC of one of the two files, with its name if that is new. Called on a syncing thread.
iso_status iso__recording_sync(iso__recording *recording, uint8_t file);
/// @}

#endif
