/// isostep-replay: copies a part of a recording, with changes. Shared by trim and perturb.
#ifndef ISO_REPLAY_REWRITE_H
#define ISO_REPLAY_REWRITE_H

#include "walk.h"
#include "writer.h"

typedef struct replay_rewrite {
    const iso_recording *recording;
    replay_keyframes keyframes;
    replay_writer *writer; // open; its first keyframe is written
    uint64_t from;         // of the first keyframe
    uint64_t to;           // the last tick

    /// Called before each tick is written, which it may change. NULL: ticks are copied.
    /// @return false, after a line on standard error: give up
    bool (*tick)(void *user, iso_recording_tick *tick, iso_recording_tick_buffer *buffer);
    /// Called behind each tick, with its keyframe or NULL. NULL: keyframes are copied.
    bool (*keyframe)(void *user, uint64_t tick, const iso_recording_keyframe *keyframe);
    void *user;
} replay_rewrite;

/// Writes everything behind the first keyframe up to tick `to`. Each keyframe stands directly behind its tick then.
/// Roots of ticks before `from` are left out, that of `to` is kept in the FOOTER when a later tick carries it.
/// @return false, after a line on standard error, when it could not be read or written
bool iso__replay_rewrite_run(replay_rewrite *rewrite, const char *label, bool quiet);

/// Copies a keyframe with its stored bytes.
bool iso__replay_rewrite_copy(replay_rewrite *rewrite, const iso_recording_keyframe *keyframe);

#endif
