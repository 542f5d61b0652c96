/// One file of a recording with the recorder that says what goes into it. Used by the writer's thread.
#ifndef ISO_HOST_RECORDING_FILE_H
#define ISO_HOST_RECORDING_FILE_H

#include <stdbool.h>

#include "host/recordings/disk.h"
#include "recorder/recorder.h"

/// A file with its recorder.
typedef struct iso__recording_file {
    iso__disk disk;         // the folder belongs to the writer
    iso_recorder *recorder; // NULL: the place is free
    uint64_t first_tick;
    uint64_t begin_size;  // [bytes] needed to continue from it: keyframe, roster, ticks handed in with them;
                          // 0: not handed in yet
    iso_status status;    // why there is no recorder, when it is the present one
    bool is_created;      // the file is there, and of this process
    bool is_retired;      // the work after its end is done
    bool name_is_durable; // the folder was synced with it; written by the syncing thread during a SYNC
} iso__recording_file;

/// Makes a recorder and tells it to begin a file, with a salt of its own. `file->status` remembers why that failed.
/// @return as iso_recorder_create and iso_recorder_handle
iso_status iso__recording_file_open(iso__recording_file *file, const iso_recorder_config *config, int folder,
                                    const iso_recording_header *header);

/// Closes its file and frees its place.
void iso__recording_file_close(iso__recording_file *file);

/// Gives an event to the recorder, if there is one.
iso_status iso__recording_file_handle(iso__recording_file *file, const iso_recorder_event *event);

/// What its recorder says; without one, an end with `file->status`.
iso_recorder_progress iso__recording_file_progress(const iso__recording_file *file);

/// What was handed in so far is what the file can be continued with.
void iso__recording_file_mark_begin(iso__recording_file *file);

/// Whether a file that can be continued is left after a power cut.
bool iso__recording_file_is_settled(const iso__recording_file *file);

#endif
