/// One session's recording: a chain of files, of which the writer's thread writes the last.
///
/// The session's worker hands in what is sealed and never waits: a recording that has too much in the
/// writer's queue is a disk that does not keep up, and ends early. What became of it is told through a
/// report: the writer sets the numbers, then calls `wake` once until the worker has read them.
///
/// When a file has reached its size the next keyframe begins another one. A keyframe comes some ticks
/// late, so these ticks are kept until then and stand in both files: at every moment one of the two
/// holds all that was broadcast. The first one is sealed when the second one's begin survives a power cut,
/// so that at every moment one that is not sealed is there to go on from; at the session's end the last
/// file is sealed last.
///
/// A recording that the disk does not take ends early; then it can be begun again, in another file. What was
/// not recorded in between is nowhere. A file that nothing can be gone on from is removed.
#ifndef ISO_HOST_RECORDING_H
#define ISO_HOST_RECORDING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/disk.h"
#include "host/memory.h"
#include "host/roster.h"
#include "recorder/recorder.h"

/// Items of one recording that may wait for the writer. More than the ticks and events that a session
/// lets wait.
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
    bool is_idle;          // nothing is left to do for the disk: it can be begun again
    uint32_t generation;   // how often it was begun again; all of the above is about the present one
    bool is_sealed;        // finished, and every file has its final name
    iso_status status;     // of the first error
    uint64_t written_size; // [bytes] of all files together
    uint64_t skipped_keyframes;
    uint32_t file_count;
    char name[ISO_RECORDER_NAME_SIZE]; // of the present file
} iso__recording_report;

/// A file with its recorder.
typedef struct iso__tape {
    iso__disk disk;         // the folder is the writer's
    iso_recorder *recorder; // NULL: the place is free
    uint64_t first_tick;
    uint64_t begin_size;  // [bytes] with which it can be gone on from: keyframe, who is there, ticks that came with
                          // it; 0: not handed in yet
    iso_status status;    // why there is no recorder, when it is the present one
    bool is_created;      // the file is there, and of this process
    bool is_retired;      // what was left to do after its end is done
    bool name_is_durable; // the folder was synced with it; the syncing thread's while a SYNC is out
} iso__tape;

typedef struct iso__kept_tick iso__kept_tick;

typedef struct iso__recording_config {
    iso_recording_header header; // copied; the scene's text must stay
    size_t state_size_max;       // [bytes] that no snapshot of the world exceeds
    uint64_t roll_size;          // [bytes]
    iso__roster roster;          // who is there when it begins
    // The file that this one goes on from; it gets its final name when this one survives a power cut. "": none.
    char part_name[ISO_RECORDER_NAME_SIZE];
    char final_name[ISO_RECORDER_NAME_SIZE];
    iso__memory *memory;
    void (*wake)(void *user); // called on the writer's thread
    void *wake_user;
} iso__recording_config;

typedef struct iso__recording {
    iso__recording_config config;
    struct iso__writer *writer;
    size_t buffer_size;
    atomic_uint waiting; // items in the writer's queue
    bool is_given_up;    // the worker's: nothing more is handed in

    // The writer's.
    iso__tape tapes[2];
    uint32_t present;      // index of the tape that is written; the other one is being sealed
    uint32_t number;       // of the present file
    uint32_t first_number; // of the present generation's first file
    uint32_t generation;
    bool is_seal_due; // the other tape is to be sealed as soon as the present one survives a power cut
    bool is_end_due;  // the session has ended: `end` is the present tape's when the other one is sealed
    iso_recorder_event end;
    bool is_keeping;      // the file is to end: ticks are kept for the next one
    iso__roster roster;   // who is there
    bool is_roster_due;   // the present file does not say so yet
    bool has_ended_badly; // a file before the present one could not be sealed
    uint64_t kept_first;  // number of the first kept tick
    iso__kept_tick *kept, *kept_last;
    uint32_t kept_count;
    uint64_t ended_size; // [bytes] of the files before the present one
    bool is_dirty;
    struct iso__recording *next_dirty;
    uint64_t over_at_ns, over_wait_ns; // when it is tried next to say that the session is over, and how long was waited
    bool is_created_over;              // the file that says so is there, but perhaps not on the disk

    atomic_bool over_due; // the session is over, and no file says so yet

    pthread_mutex_t mutex; // guards `report`
    iso__recording_report report;
    atomic_bool report_is_new;
} iso__recording;

/// Makes the recording's first file known to the writer, which must not run yet.
/// @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_RANGE (the header).
iso_status iso__recording_init(iso__recording *recording, struct iso__writer *writer,
                               const iso__recording_config *config);

/// After the writer has stopped.
void iso__recording_term(iso__recording *recording);

/// Hand in; each copies. @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_BUFFER (too much waits).
iso_status iso__recording_tick(iso__recording *recording, const iso_tick_input *input, uint64_t root);
iso_status iso__recording_keyframe(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                   const uint8_t *stored);
iso_status iso__recording_event(iso__recording *recording, const iso_recording_event *event);
/// @param goes_on  the session is not over: a later server goes on from the file
iso_status iso__recording_seal(iso__recording *recording, uint64_t root_tick, uint64_t root, bool goes_on);

/// Ends the recording early; what is handed in later is ignored, until it is begun again.
void iso__recording_give_up(iso__recording *recording, iso_status status);

/// Begins it again, in another file, with this keyframe and who is there. To be called when it has ended early and the
/// report says that it is idle. @return as above
iso_status iso__recording_restart(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                  const uint8_t *stored, const iso__roster *roster);

/// The session is over. Where its last file does not say that, since it ended early or was not sealed, an empty file beside it
/// does, NAME.ignored; when that cannot be made it is tried again, and once more when the writer stops.
void iso__recording_end_session(iso__recording *recording);

/// Whether a later server will find a session that is over, and go on with it. After the writer has stopped, or did not.
bool iso__recording_comes_back(iso__recording *recording);

/// What became of it, as of now. Clears the flag behind `wake`.
void iso__recording_get_report(iso__recording *recording, iso__recording_report *report);

/// @name For the writer
/// @{

/// An item of the writer's queue: a recorder's event with what it points to behind it, in one block.
typedef struct iso__recording_item {
    iso__recording *recording; // NULL: stop
    uint8_t tape;              // DONE of a SYNC: whose
    iso_recorder_event event;
    void *block;
} iso__recording_item;

/// Takes an item and gives its block back.
void iso__recording_take(iso__recording *recording, iso__recording_item *item);

/// Tells the recorders the time.
void iso__recording_pass_time(iso__recording *recording, uint64_t now);

/// Carries out what the recorders ask for, then tells the worker what is new.
void iso__recording_act(iso__recording *recording);

/// The writer stops: what is still to be said of the session's end is tried for the last time.
void iso__recording_finish(iso__recording *recording);

uint64_t iso__recording_next_deadline(const iso__recording *recording);

/// Carries out a SYNC of one of the two files, with its name if that is new. On a syncing thread.
iso_status iso__recording_sync(iso__recording *recording, uint8_t tape);
/// @}

#endif
