/// The comparison of roots: what clients have computed against what we have.
#include "state.h"

void iso__confirm_desync(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t expected,
                         uint64_t actual) {
    session->stats.desyncs += 1;
    iso__note_about(session, ISO_SESSION_LOG_ERROR, "the client's state differs", connection, ISO_ERR_DESYNC);
    iso_session_note *note = &session->notes[(session->note_first + session->note_count - 1u) % ISO__NOTES_MAX];
    note->tick = tick;
    note->value = actual;
    note->expected = expected;

    iso_recording_event *event = iso__record_event(session, ISO_RECORDING_EVENT_DESYNC, connection->slot);
    event->slot_generation = connection->slot == ISO_SLOT_NONE ? 0 : session->members[connection->slot].generation;
    event->about_tick = tick;
    event->root = expected;
    event->other_root = actual;

    connection->notice = (iso_message_desync_notice){connection->slot, tick, expected, actual, ISO_DESYNC_KICK};
    connection->notice_due = true;
    iso__connection_end(session, connection, ISO_ERR_DESYNC);
}

/// The root of a tick that this peer can know. @return false when it cannot, or it is not kept any more
static bool confirm_find_root(const iso_session *session, const iso__connection *connection, uint64_t tick,
                              uint64_t *root) {
    const bool receiving = connection->phase == ISO__PHASE_CATCH_UP || connection->phase == ISO__PHASE_ACTIVE;
    return receiving && tick >= connection->snapshot_tick && tick <= connection->sent_tick &&
           iso__ring_root(&session->ring, tick, root);
}

void iso__confirm(iso_session *session, iso__connection *connection, const iso_message_confirm *confirm) {
    uint64_t root;
    if (!confirm_find_root(session, connection, confirm->tick, &root)) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    if (root != confirm->root) {
        iso__confirm_desync(session, connection, confirm->tick, root, confirm->root);
        return;
    }
    session->stats.confirms += 1;
    connection->progress_ns = session->now_ns;
    if (confirm->tick > connection->acked_tick) {
        connection->acked_tick = confirm->tick;
    }
}

void iso__confirm_report(iso_session *session, iso__connection *connection, const iso_message_desync_report *report) {
    uint64_t root;
    if (!confirm_find_root(session, connection, report->tick, &root)) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    if (report->root == root) {
        iso__note_about(session, ISO_SESSION_LOG_WARN, "a client reports a desync but shows the right root", connection,
                        ISO_OK);
        return;
    }
    iso__confirm_desync(session, connection, report->tick, root, report->root);
}
