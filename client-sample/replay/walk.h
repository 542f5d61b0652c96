/// isostep-replay: a world that is stepped over a recording, and memory for ways through one (compare/track.h).
#ifndef ISO_REPLAY_WALK_H
#define ISO_REPLAY_WALK_H

#include "compare/track.h"
#include "replay.h"

/// Allocates the list and reads it. @return ISO_OK; ISO_ERR_MEMORY
iso_status iso__replay_keyframes_make(replay_keyframes *keyframes, const iso_recording *recording);
void iso__replay_keyframes_free(replay_keyframes *keyframes);

/// A world that is stepped over a recording.
typedef struct replay_walk {
    const iso_recording *recording;
    replay_world world;
    iso_recording_tick_buffer *buffer;
    uint64_t cursor;         // behind the last step's TICK
    iso_recording_tick tick; // of the last step
    uint64_t offset;         // of its frame
} replay_walk;

/// Makes the world, which has no state yet. Says on standard error what is wrong.
/// @return what iso__replay_world_make returns
iso_status iso__replay_walk_make(replay_walk *walk, const iso_recording *recording);
void iso__replay_walk_free(replay_walk *walk);

/// Says on standard error that a keyframe cannot be used.
void iso__replay_walk_say(const iso_recording_keyframe *keyframe, iso_status status);

/// Puts the world into a keyframe's state; says so when it cannot. The cursor stands behind its tick.
iso_status iso__replay_walk_load(replay_walk *walk, const iso_recording_keyframe *keyframe);

/// Puts the world into the state after `tick`, which the recording must hold: from the last keyframe at or before it.
iso_status iso__replay_walk_seek(replay_walk *walk, uint64_t tick);

/// The next tick. Says what is wrong. @return ISO_OK; ISO_ERR_TRUNCATED (no tick is left, nothing is said); or what
/// is wrong with the tick
iso_status iso__replay_walk_step(replay_walk *walk);

static inline uint64_t replay_walk_tick(const replay_walk *walk) {
    return iso_world_get_tick(walk->world.world);
}

#endif
