/// What the session hands in, as frames at the buffer's end. Each returns what iso_recorder_handle does.
#ifndef ISO_RECORDER_FRAMES_H
#define ISO_RECORDER_FRAMES_H

#include "recorder_state.h"

iso_status iso__recorder_take_open(iso_recorder *recorder, const iso_recording_header *header);

/// Whether the file is neither ended nor about to be.
bool iso__recorder_takes_frames(const iso_recorder *recorder);

/// These only while it takes frames.
iso_status iso__recorder_take_keyframe(iso_recorder *recorder, const iso_recorder_event *event);
iso_status iso__recorder_take_tick(iso_recorder *recorder, const iso_recorder_event *event);
iso_status iso__recorder_take_note(iso_recorder *recorder, const iso_recording_event *note);
iso_status iso__recorder_take_seal(iso_recorder *recorder, const iso_recorder_event *event);

/// An action in progress on the disk is not cancelled; the file is cut when its result arrives.
void iso__recorder_give_up(iso_recorder *recorder, iso_status status);

#endif
