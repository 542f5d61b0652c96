/// A recording from its session's side: what is handed in, and what is asked of it. On the worker's thread, unless a
/// function says otherwise.
#ifndef ISO_HOST_RECORDING_HAND_IN_H
#define ISO_HOST_RECORDING_HAND_IN_H

#include "host/recordings/recording.h"

/// Gives the recording to a writer that runs. There must be a place: iso__writer_init had the number. On the I/O
/// thread, before the worker has the session.
void iso__recording_join(iso__recording *recording);

/// Its session has ended, and nothing more is handed in: when its files have ended, and nothing that is over can come
/// back, the writer forgets it and calls `left`.
void iso__recording_leave(iso__recording *recording);

/// Hand in; each copies. @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_BUFFER (too many items wait).
/// @param sealed  its changes and commands, as of iso_recording_encode_sealed_tick; copied
iso_status iso__recording_tick(iso__recording *recording, uint64_t tick, uint64_t root, const uint8_t *sealed,
                               size_t size);
iso_status iso__recording_keyframe(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                   const uint8_t *stored);
iso_status iso__recording_event(iso__recording *recording, const iso_recording_event *event);
/// @param goes_on  the session is not over: a later server continues it from the file
iso_status iso__recording_seal(iso__recording *recording, uint64_t root_tick, uint64_t root, bool goes_on);

/// Ends the recording early; what is handed in later is ignored until the recording begins again.
void iso__recording_give_up(iso__recording *recording, iso_status status);

/// Begins it again, in another file, with this keyframe and roster. To be called when it has ended early and the report
/// says that it is idle. @return as above
iso_status iso__recording_restart(iso__recording *recording, const iso_recording_keyframe *keyframe,
                                  const uint8_t *stored, const iso__roster *roster);

/// Marks the session as over. If its last file does not say so, since it ended early or was not sealed, an empty file
/// NAME.ignored is created beside it; when that fails it is tried again, for the last time when the writer stops.
void iso__recording_end_session(iso__recording *recording);

/// Whether a later server would find and continue a session that is over. To be called after iso__writer_stop, whatever
/// that returned.
bool iso__recording_comes_back(iso__recording *recording);

/// Whether the disk has taken that the session is over. To be called after iso__recording_end_session; by any thread.
bool iso__recording_is_over(iso__recording *recording);

/// The present state. Clears the flag behind `wake`.
void iso__recording_get_report(iso__recording *recording, iso__recording_report *report);

#endif
