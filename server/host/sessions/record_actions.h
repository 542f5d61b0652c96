/// What a session asks of its recording: RECORD actions are handed in to it, and its end is.
///
/// Called on the session's worker. What becomes of it the recording reports, see session_recording.h.
#ifndef ISO_HOST_RECORD_ACTIONS_H
#define ISO_HOST_RECORD_ACTIONS_H

#include "host/sessions/hosted.h"

/// Carries out one of the RECORD actions. A failure to hand it in is noted for iso__session_recording_check.
void iso__session_recording_do(iso__hosted *hosted, const iso_session_action *action);

/// The session has ended. @param status  ISO_ERR_RESTARTING: it is not over
void iso__session_recording_close(iso__hosted *hosted, iso_status status);

#endif
