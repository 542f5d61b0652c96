/// What the recorder's files share.
///
/// Frames go into one linear buffer; an APPEND covers everything that waits in it. During an APPEND waiting bytes are
/// not moved, only added to. Ticks are remembered in a ring, at T mod 256, until they are written and no keyframe can
/// refer to them any more.
///
///   recorder.c          a recorder, its events and its actions
///   recorder_frames.c   what the session hands in, as frames
///   recorder_results.c  what became of actions
///   recorder_end.c      how a file ends: sealed, or cut after an error
///   recorder_buffer.c   the bytes that wait
///   recorder_name.c     the names of files
#ifndef ISO_RECORDER_STATE_H
#define ISO_RECORDER_STATE_H

#include "recorder.h"
#include "recorder_name.h"

#define ISO__RECORDER_TICKS (ISO_RECORDING_KEYFRAME_LAG_MAX + 1u) // in the ring

typedef enum iso__recorder_state {
    ISO__RECORDER_STATE_IDLE,     // before OPEN
    ISO__RECORDER_STATE_CREATING, // the file is being created
    ISO__RECORDER_STATE_OPEN,     // waiting bytes are appended
    ISO__RECORDER_STATE_CUTTING,  // after an error: the file is to be cut after the last complete tick
    ISO__RECORDER_STATE_SYNCING,  // everything is written; the last sync
    ISO__RECORDER_STATE_CLOSING,
    ISO__RECORDER_STATE_RENAMING,
    ISO__RECORDER_STATE_SYNCING_FOLDER,
    ISO__RECORDER_STATE_FINISHED,
} iso__recorder_state;

/// What must be known of a tick until its frame is written, and after that for late keyframes.
typedef struct iso__recorder_tick {
    uint64_t end; // offset after its frame
    uint32_t checksum;
    bool has_root;
    uint64_t hashed_tick;
    uint64_t root;
} iso__recorder_tick;

struct iso_recorder {
    iso_allocator allocator;
    uint64_t sync_interval_ns;
    uint32_t number;
    uint8_t state;    // iso__recorder_state
    bool is_file_out; // an action on the file, other than SYNC, is in progress
    bool is_sync_out;
    bool has_sync_failed; // never sync this file again
    bool has_put_end;     // FOOTER and trailer are in the buffer or in the file
    bool has_end_failed;  // they could not be written even after an error; the file keeps its .part name
    bool is_degraded;
    bool is_sealed;
    bool has_keyframe;
    iso_status status;
    uint8_t action_out; // iso_recorder_action_kind, when file_out

    uint64_t first_tick;
    uint64_t sealed_tick; // the last one that was handed in
    uint64_t written_tick;
    uint64_t durable_tick;
    uint64_t syncing_tick; // what the SYNC in progress covers
    uint64_t last_keyframe;
    uint64_t keyframe_end; // offset after the first keyframe
    uint32_t keyframe_checksum;
    uint64_t skipped_keyframes;

    uint64_t file_size; // written
    uint64_t syncing_size;
    uint64_t syncing_end; // end of the last commit that the SYNC in progress covers
    uint64_t synced_size;
    uint64_t data_end;   // after the last frame other than a MARK: MARKs alone need no sync
    uint64_t marked_end; // what the last MARK states
    uint64_t salt;
    iso_recording_chain chain; // after the last frame
    uint64_t now_ns;
    uint64_t next_sync_ns;

    uint8_t *buffer;
    size_t buffer_size;
    size_t buffer_start;
    size_t buffer_used; // bytes that wait, from buffer_start
    size_t append_size; // of these, what the APPEND in progress covers

    char part_name[ISO_RECORDER_NAME_SIZE];
    char final_name[ISO_RECORDER_NAME_SIZE];

    iso__recorder_tick ticks[ISO__RECORDER_TICKS];
    bool has_final_root; // SEAL gave the last root
    bool goes_on;        // SEAL said that the session is not over
    uint64_t final_root_tick;
    uint64_t final_root;

    uint32_t index_count;
    uint32_t index_stride; // every keyframe, or every second, fourth, … of them is in the index
    uint64_t keyframe_count;
    iso_recording_index_entry index[ISO_RECORDING_INDEX_MAX];
};

static inline iso__recorder_tick *iso__recorder_tick_at(iso_recorder *recorder, uint64_t tick) {
    return &recorder->ticks[tick % ISO__RECORDER_TICKS];
}

#endif
