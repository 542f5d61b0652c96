/// The recorder: turns the session's events into a recording on disk. A pure state machine.
///
/// The host's recorder thread hands in events (what was sealed, results of disk operations) and carries out actions
/// (append, sync, rename). The rules:
///
/// - A tick counts as written when its whole frame was written; the session broadcasts it then, so that a killed
///   process loses nothing that a client has received. It counts as durable when a sync that began after that has
///   succeeded.
/// - A SYNC is requested at most once per sync interval, and only when something was written since the last one.
/// - After a sync that has made more ticks durable, a MARK states so in the file, with the header's salt.
/// - A file is called .part until its footer is written and synced.
/// - The first disk error degrades the recording: no more ticks are accepted, and the file is cut after the last
///   complete written tick and sealed there. A file whose sync failed is never synced again, so it keeps its .part
///   name. The session continues and must not wait for a degraded recorder.
///
/// At most one file action and one SYNC are in progress at a time; a SYNC may run during APPENDs, also on another
/// thread. The host calls all functions from one thread at a time.
#ifndef ISO_RECORDER_RECORDER_H
#define ISO_RECORDER_RECORDER_H

#include "isostep/allocator.h"
#include "isostep/proto/recording.h"

#define ISO_RECORDER_SYNC_INTERVAL_NS UINT64_C(250000000)

typedef struct iso_recorder iso_recorder;

typedef struct iso_recorder_config {
    iso_allocator allocator;   // called by create and destroy only
    size_t buffer_size;        // [bytes] for frames that wait for the disk; see iso_recorder_buffer_size
    uint64_t sync_interval_ns; // 0: ISO_RECORDER_SYNC_INTERVAL_NS
    uint32_t number;           // of the file among those of its session and epoch; 0 and 1: the first
} iso_recorder_config;

/// Buffer size for a header with such a scene, two of the largest compressed keyframes and the ticks that may wait with
/// them.
size_t iso_recorder_buffer_size(size_t scene_size, size_t stored_keyframe_size_max);
/// All that iso_recorder_create allocates [bytes].
size_t iso_recorder_memory(size_t buffer_size);

/// @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_RANGE (a buffer below 64 KiB)
iso_status iso_recorder_create(const iso_recorder_config *config, iso_recorder **recorder);
void iso_recorder_destroy(iso_recorder *recorder);

typedef enum iso_recorder_event_kind {
    ISO_RECORDER_OPEN = 1,     // once, first: header
    ISO_RECORDER_KEYFRAME = 2, // keyframe and stored; the first one, of header.first_tick, before any tick
    ISO_RECORDER_TICK = 3,     // tick; each number is one above the last
    ISO_RECORDER_NOTE = 4,     // note: written before the next tick
    ISO_RECORDER_SEAL = 5,     // the end; root_tick and root if the last tick's root is known
    ISO_RECORDER_DONE = 6,     // result of an action: action, status, size
    ISO_RECORDER_TIME = 7,     // only the time
    ISO_RECORDER_GIVE_UP = 8,  // the disk takes too long: end the recording early, with `status`
} iso_recorder_event_kind;

typedef enum iso_recorder_action_kind {
    ISO_RECORDER_CREATE_FILE = 1, // create `name`, which must not exist (O_EXCL), for writing
    ISO_RECORDER_APPEND = 2,      // write `bytes` at the file's end; a part of them is enough
    ISO_RECORDER_SYNC = 3,        // fdatasync
    ISO_RECORDER_TRUNCATE = 4,    // cut the file to `offset` bytes and continue writing there
    ISO_RECORDER_CLOSE = 5,       // close the file
    ISO_RECORDER_RENAME = 6,      // `name` becomes `new_name`, which must not exist
    ISO_RECORDER_SYNC_FOLDER = 7, // fsync the folder
} iso_recorder_action_kind;

typedef struct iso_recorder_event {
    uint8_t kind; // iso_recorder_event_kind
    const iso_recording_header *header;
    const iso_recording_keyframe *keyframe; // tick, root, raw_size, stored_size are read
    const uint8_t *stored;                  // the keyframe's compressed bytes; copied
    const iso_recording_tick *tick;
    const uint8_t *sealed; // TICK: as of iso_recording_encode_sealed_tick; NULL: tick->input has changes and commands
    size_t sealed_size;
    const iso_recording_event *note;
    bool has_root; // SEAL: root_tick and root are given
    bool goes_on;  // SEAL: the session is not over
    uint64_t root_tick;
    uint64_t root;
    uint8_t action;    // DONE: iso_recorder_action_kind
    iso_status status; // DONE: ISO_OK or ISO_ERR_IO; GIVE_UP: why
    size_t size;       // DONE of APPEND: bytes that were written, also when status is not ISO_OK
} iso_recorder_event;

typedef struct iso_recorder_action {
    uint8_t kind;         // iso_recorder_action_kind
    const uint8_t *bytes; // APPEND: valid until its DONE
    size_t size;
    uint64_t offset;  // APPEND: where the bytes go; TRUNCATE: the new size
    const char *name; // file names without a folder, valid while the recorder lives
    const char *new_name;
} iso_recorder_action;

/// Takes an event. Ticks, keyframes and notes after a degradation are ignored with ISO_OK.
/// @return ISO_OK; ISO_ERR_STATE (the event is not allowed now: a tick out of order, a second open, a DONE
///         without its action; nothing changes); ISO_ERR_RANGE (a value is out of the format's bounds);
///         ISO_ERR_BUFFER (a keyframe that does not fit now is left out, later ones may fit). A tick or first
///         keyframe that does not fit the buffer degrades the recording.
iso_status iso_recorder_handle(iso_recorder *recorder, uint64_t now_ns, const iso_recorder_event *event);

/// The next action to carry out, if any; each one is answered by a DONE.
bool iso_recorder_next_action(iso_recorder *recorder, iso_recorder_action *action);

/// When TIME must be handed in at the latest if nothing else happens; UINT64_MAX: never.
uint64_t iso_recorder_next_deadline(const iso_recorder *recorder);

typedef struct iso_recorder_progress {
    bool has_started;      // header and first keyframe are written
    bool is_settled;       // both are durable
    bool is_degraded;      // a disk error ended the recording early
    bool is_finished;      // nothing is left to do; the file is closed
    bool is_sealed;        // finished, and the file has its final name
    iso_status status;     // of the first error
    uint64_t written_tick; // first_tick while no tick is written
    uint64_t durable_tick; // first_tick while no tick is durable
    uint64_t written_size; // [bytes] of the file
    uint64_t synced_size;  // [bytes] of these that are durable
    uint64_t waiting_size; // [bytes] in the buffer
    uint64_t skipped_keyframes;
    const char *name; // present name of the file; empty before OPEN
} iso_recorder_progress;

void iso_recorder_get_progress(const iso_recorder *recorder, iso_recorder_progress *progress);

#endif
