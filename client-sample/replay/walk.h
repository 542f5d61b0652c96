/// isostep-replay: ways through a recording. Each has its own cursor, since a tick's input, the roots that speak of it
/// and the keyframe of its state stand in different places of the file.
#ifndef ISO_REPLAY_WALK_H
#define ISO_REPLAY_WALK_H

#include "replay.h"

/// The roots in a file, besides the keyframes', ascending by tick.
typedef struct replay_claims {
    const iso_recording *recording;
    uint64_t cursor;
    bool is_found; // the members below are those of the present claim
    bool has_footer;
    uint64_t tick;
    uint64_t root;
    uint64_t offset; // of the frame
} replay_claims;

/// Begins at the first claim.
void iso__replay_claims_begin(replay_claims *claims, const iso_recording *recording);
void iso__replay_claims_next(replay_claims *claims);

/// A file's keyframes in the order of their ticks.
typedef struct replay_keyframes {
    iso_recording_keyframe *list;
    uint32_t count;
} replay_keyframes;

/// @return ISO_OK; ISO_ERR_MEMORY
iso_status iso__replay_keyframes_make(replay_keyframes *keyframes, const iso_recording *recording);
void iso__replay_keyframes_free(replay_keyframes *keyframes);
/// The keyframe of exactly this tick, or NULL.
const iso_recording_keyframe *iso__replay_keyframes_find(const replay_keyframes *keyframes, uint64_t tick);

/// The next TICK at *cursor, decoded. @return false at the end or when *status is not ISO_OK
bool iso__replay_next_tick(const iso_recording *recording, uint64_t *cursor, iso_recording_tick_buffer *buffer,
                           iso_recording_tick *tick, uint64_t *offset, iso_status *status);

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
