/// A hosted session and its recording: reports to the session what has become of what it recorded (record_actions.h),
/// ends the recording early when the disk does not accept it, and begins it again when the disk does.
///
/// Called on the session's worker. A recording that has ended early is begun again with the session's next keyframe, in
/// a new file, as soon as the writer has finished with the old one. When that fails the delay is doubled, up to
/// ISO__RESTART_WAIT_MAX_NS; after a recording has lasted for that time, the delay is the shortest again.
#ifndef ISO_HOST_SESSION_RECORDING_H
#define ISO_HOST_SESSION_RECORDING_H

#include "host/sessions/hosted.h"

#define ISO__RESTART_WAIT_MIN_NS UINT64_C(500000000)
#define ISO__RESTART_WAIT_MAX_NS UINT64_C(32000000000)

/// The recording has something new to report.
void iso__session_recording_hear(iso__hosted *hosted);

/// After every event of the session: ends the recording early if something is missing in it.
void iso__session_recording_check(iso__hosted *hosted);

/// Ends it early when a tick has waited for the disk for too long; begins it again when that is due.
void iso__session_recording_pass_time(iso__hosted *hosted, uint64_t now);

/// When iso__session_recording_pass_time is due. @return UINT64_MAX: never
uint64_t iso__session_recording_deadline(const iso__hosted *hosted);

#endif
