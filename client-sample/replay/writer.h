/// isostep-replay: writing recordings.
#ifndef ISO_REPLAY_WRITER_H
#define ISO_REPLAY_WRITER_H

#include "replay.h"

/// A recording that is written. All functions say on standard error what went wrong.
typedef struct replay_writer {
    FILE *out;
    const char *path;
    char *part_path;
    uint64_t offset;
    iso_recording_chain chain; // behind the last frame
    uint8_t *frame;            // room for one frame
    size_t frame_capacity;
    iso_recording_index_entry *index;
    uint32_t index_count;
    uint64_t tick_ends[ISO_RECORDING_KEYFRAME_LAG_MAX + 1]; // where the frame of tick T ends, at T mod 256
    uint64_t last_tick;
    bool has_root; // of the FOOTER: the last one given
    uint64_t root_tick;
    uint64_t root;
    bool is_degraded;
} replay_writer;

/// Whether a file may be written: never the input itself, and no file that exists unless `force`.
/// @param input  NULL: none
bool iso__replay_writer_check_path(const char *path, const char *input, bool force);

/// The same for a recording, which takes the place of what is there. Whatever `force` says, that must be a regular file
/// or none, and PATH.part, where it is written until it is whole, must not exist.
bool iso__replay_writer_check_recording(const char *path, const char *input, bool force);

/// Whether another file is none of the two that a recording is written to, by their places, whether or not they exist.
/// @param option, recording_option  that name them, for the message
bool iso__replay_writer_check_other(const char *option, const char *path, const char *recording_option,
                                    const char *recording);

/// Makes PATH.part, a new file, and begins it with the header; the first keyframe comes next.
bool iso__replay_writer_open(replay_writer *writer, const char *path, const iso_recording_header *header);

/// Writes a keyframe, of the first tick or of one of the last 255, with its stored bytes as they are.
/// @param keyframe  its ticks offset is determined again
bool iso__replay_writer_keyframe(replay_writer *writer, const iso_recording_keyframe *keyframe, const uint8_t *stored);
/// Writes the world's present state as a keyframe. @param root  what it says of its root
bool iso__replay_writer_state(replay_writer *writer, iso_world *world, uint64_t root);
bool iso__replay_writer_tick(replay_writer *writer, const iso_recording_tick *tick);
bool iso__replay_writer_event(replay_writer *writer, const iso_recording_event *event);
/// Gives a root that only the FOOTER can carry, later than all given before.
void iso__replay_writer_root(replay_writer *writer, uint64_t tick, uint64_t root);

/// Seals and renames the recording when `whole`; else removes what it made. Once, also after a failed open.
bool iso__replay_writer_close(replay_writer *writer, bool whole);

#endif
