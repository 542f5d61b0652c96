/// isostep-replay simulate: what its parts share.
#ifndef ISO_REPLAY_SIMULATE_H
#define ISO_REPLAY_SIMULATE_H

#include "isostep/proto/scene.h"
#include "replay.h"

/// The trace: one row per traced tick and body.
typedef struct replay_trace {
    FILE *out;
    const char *path;
    uint64_t every; // [ticks]
} replay_trace;

/// @return false, with a line on standard error, when the file cannot be written
bool replay_trace_open(replay_trace *trace, const char *path, uint64_t every);
/// Writes the rows of the present tick when that is a traced one.
void replay_trace_write(replay_trace *trace, const iso_world *world, const iso_scene *scene);
bool replay_trace_close(replay_trace *trace);

/// The recording: written as PATH.part, renamed when it is whole.
typedef struct replay_record {
    FILE *out;
    const char *path;
    char *part_path;
    uint64_t offset;
    uint8_t *frame; // room for one frame
    size_t frame_capacity;
    uint8_t *snapshot; // room for a state and for its compressed form
    size_t snapshot_capacity;
    uint8_t *stored;
    size_t stored_capacity;
    iso_recording_index_entry *index;
    uint32_t index_count;
    uint64_t tick_end; // where the last tick's frame ends
} replay_record;

/// @return false, with a line on standard error, when the file cannot be written. So with the two below.
bool replay_record_open(replay_record *record, const char *path, iso_world *world, const iso_scene *scene,
                        const char *scene_text, size_t scene_size);
/// After each step.
bool replay_record_tick(replay_record *record, iso_world *world);
/// Seals the recording when `whole`; else removes what was written.
bool replay_record_close(replay_record *record, iso_world *world, bool whole);

#endif
