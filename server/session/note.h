/// What the session reports: log lines and the recording's events.
#ifndef ISO_SESSION_NOTE_H
#define ISO_SESSION_NOTE_H

#include "state.h"

iso_session_note *iso__note(iso_session *session, iso_session_log_level level, const char *text);
iso_session_note *iso__note_about(iso_session *session, iso_session_log_level level, const char *text,
                                  const iso__connection *connection, iso_status status);
iso_recording_event *iso__record_event(iso_session *session, iso_recording_event_kind kind, uint8_t slot);

#endif
