/// Ways through a recording. Each has its own cursor, since a tick's input, the roots that speak of it and the keyframe
/// of its state stand in different places of the file.
///
/// The files of this folder are pure: no memory of their own, no output. The browser's module has them, too.
#ifndef ISO_REPLAY_COMPARE_TRACK_H
#define ISO_REPLAY_COMPARE_TRACK_H

#include "isostep/proto/recording.h"

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

/// Reads them into a list. @param keyframes  its list has room for recording->keyframe_count
void iso__replay_keyframes_read(replay_keyframes *keyframes, const iso_recording *recording);
/// The keyframe of exactly this tick, or NULL.
const iso_recording_keyframe *iso__replay_keyframes_find(const replay_keyframes *keyframes, uint64_t tick);

/// The next TICK at *cursor, decoded. @return false at the end or when *status is not ISO_OK
bool iso__replay_next_tick(const iso_recording *recording, uint64_t *cursor, iso_recording_tick_buffer *buffer,
                           iso_recording_tick *tick, uint64_t *offset, iso_status *status);

#endif
