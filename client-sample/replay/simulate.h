/// isostep-replay simulate: what its parts share.
#ifndef ISO_REPLAY_SIMULATE_H
#define ISO_REPLAY_SIMULATE_H

#include "scene.h"
#include "writer.h"

/// The trace: one row per traced tick and body.
typedef struct replay_trace {
    FILE *out;
    const char *path;
    uint64_t every;  // [ticks]
    bool has_header; // which the first world's dimensions choose
    int error;       // of errno, when something could not be written; 0: nothing
} replay_trace;

/// @return false, with a line on standard error, when the file cannot be written
bool iso__replay_trace_open(replay_trace *trace, const char *path, uint64_t every);
/// Writes the rows of the present tick when that is a traced one. @param scene  for names, or NULL @return false,
/// without a word, when they cannot be written
bool iso__replay_trace_write(replay_trace *trace, const iso_world *world, const iso_scene *scene);
/// @return false, with a line on standard error, when not all could be written
bool iso__replay_trace_close(replay_trace *trace);

/// The recording: header and first keyframe, then, after each step, the tick with its root.
/// @return false, with a line on standard error, when the file cannot be written
bool iso__replay_record_open(replay_writer *writer, const char *path, iso_world *world, const iso_scene *scene,
                             const char *scene_text, size_t scene_size);
bool iso__replay_record_tick(replay_writer *writer, iso_world *world);

#endif
