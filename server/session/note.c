/// What the session reports: log lines and the recording's events.
#include "note.h"

#include <string.h>

#include "isostep/assert.h"

#include "invariants.h"
#include "reading.h"

iso_session_note *iso__note(iso_session *session, iso_session_log_level level, const char *text) {
    ISO_ASSERT(session->note_count <= ISO__NOTES_MAX && level <= ISO_SESSION_LOG_ERROR);
    if (session->note_count == ISO__NOTES_MAX) {
        // The oldest line is dropped: the latest ones matter more in a log.
        session->note_first = (session->note_first + 1u) % ISO__NOTES_MAX;
        session->note_count -= 1;
        session->stats.notes_lost += 1;
    }
    iso_session_note *note = &session->notes[(session->note_first + session->note_count++) % ISO__NOTES_MAX];
    *note =
        (iso_session_note){.level = (uint8_t)level, .slot = ISO_SLOT_NONE, .text = text, .tick = session->sealed_tick};
    return note;
}

iso_session_note *iso__note_about(iso_session *session, iso_session_log_level level, const char *text,
                                  const iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    iso_session_note *note = iso__note(session, level, text);
    note->slot = connection->slot;
    note->connection = connection->id;
    note->status = status;
    memcpy(note->member, connection->name, sizeof note->member);
    return note;
}

iso_recording_event *iso__record_event(iso_session *session, iso_recording_event_kind kind, uint8_t slot) {
    ISO_ASSERT(session->event_count <= ISO__EVENTS_MAX && (slot < session->slot_count || slot == ISO_SLOT_NONE));
    ISO_ASSERT(kind >= ISO_RECORDING_EVENT_MEMBER && kind <= ISO_RECORDING_EVENT_HEALED);
    if (!iso_session_records(session)) {
        session->event_count = 0; // it will not be asked for
    }
    if (session->event_count == ISO__EVENTS_MAX) {
        session->event_first = (session->event_first + 1u) % ISO__EVENTS_MAX;
        session->event_count -= 1;
        session->stats.notes_lost += 1;
    }
    iso_recording_event *event = &session->events[(session->event_first + session->event_count++) % ISO__EVENTS_MAX];
    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)kind;
    event->slot = slot;
    event->about_tick = session->sealed_tick;
    return event;
}
