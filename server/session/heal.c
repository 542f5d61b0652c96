/// What follows a desync, by the session's policy: a snapshot that replaces the client's world, the end of the
/// connection, a pause of the session, or nothing.
#include "heal.h"

#include <string.h>

#include "isostep/assert.h"

#include "bucket.h"
#include "end.h"
#include "invariants.h"
#include "note.h"
#include "run.h"
#include "stage.h"

static void heal_tell(iso_session *session, const iso__connection *connection, uint64_t tick, uint64_t expected,
                      uint64_t actual) {
    iso_session_note *note =
        iso__note_about(session, ISO_SESSION_LOG_ERROR, "the client's state differs", connection, ISO_ERR_DESYNC);
    note->tick = tick;
    note->value = actual;
    note->expected = expected;
    iso_recording_event *event = iso__record_event(session, ISO_RECORDING_EVENT_DESYNC, connection->slot);
    event->slot_generation = connection->slot == ISO_SLOT_NONE ? 0 : session->members[connection->slot].generation;
    event->about_tick = tick;
    event->root = expected;
    event->other_root = actual;
}

/// The client stays member or spectator; only its world is replaced.
static void heal_begin(iso_session *session, iso__connection *connection) {
    session->stats.heals += 1;
    connection->is_healing = true;
    connection->is_root_shown = false;
    iso__stage_image(session, connection);
    iso_recording_event *event = iso__record_event(session, ISO_RECORDING_EVENT_HEALED, connection->slot);
    event->slot_generation = connection->slot == ISO_SLOT_NONE ? 0 : session->members[connection->slot].generation;
    memcpy(event->name, connection->name, sizeof connection->name);
}

/// A client may cause so many replacements of its world. @return HEAL or KICK
static iso_desync_action heal_count(iso_session *session, iso__connection *connection) {
    const bool player = connection->slot != ISO_SLOT_NONE;
    iso__strikes *strikes = player ? &session->members[connection->slot].desyncs : &connection->desyncs;
    return iso__strikes_add(strikes, session->now_ns) ? ISO_DESYNC_HEAL : ISO_DESYNC_KICK;
}

/// A joiner has to show a right root first, so it can only be healed or ended.
static iso_desync_action heal_choose(iso_session *session, iso__connection *connection) {
    const iso_desync_action policy = (iso_desync_action)session->config.desync_policy;
    if (policy == ISO_DESYNC_HEAL) {
        return heal_count(session, connection);
    }
    return connection->is_activated ? policy : ISO_DESYNC_KICK;
}

void iso__heal_desync(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t expected,
                      uint64_t actual) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && !connection->is_healing);
    ISO_ASSERT(expected != actual && tick <= connection->sent_tick);
    session->stats.desyncs += 1;
    *(connection->slot != ISO_SLOT_NONE ? &session->members[connection->slot].desync_count
                                        : &connection->desync_count) += 1;
    heal_tell(session, connection, tick, expected, actual);
    const iso_desync_action action = heal_choose(session, connection);
    connection->notice = (iso_message_desync_notice){connection->slot, tick, expected, actual, (uint8_t)action};
    connection->is_notice_due = true;
    const bool kicked = session->config.desync_policy == ISO_DESYNC_KICK && connection->is_activated;
    switch (action) {
    case ISO_DESYNC_HEAL:
        heal_begin(session, connection);
        return;
    case ISO_DESYNC_KICK:
        iso__connection_end(session, connection, kicked ? ISO_ERR_KICKED : ISO_ERR_DESYNC);
        return;
    case ISO_DESYNC_PAUSE:
        connection->is_not_compared = true;
        iso__run_pause(session, ISO_ERR_DESYNC);
        return;
    default:
        connection->is_not_compared = true;
        return;
    }
}

/// The client's state is right, so the policy does not apply: it receives a snapshot, as often as other clients do.
void iso__heal_doubt(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t root) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && !connection->is_healing);
    ISO_ASSERT(tick <= connection->sent_tick);
    session->stats.false_reports += 1;
    iso__note_about(session, ISO_SESSION_LOG_WARN, "a client reports a desync but shows the right root", connection,
                    ISO_OK);
    const iso_desync_action action = heal_count(session, connection);
    connection->notice = (iso_message_desync_notice){connection->slot, tick, root, root, (uint8_t)action};
    connection->is_notice_due = true;
    if (action == ISO_DESYNC_HEAL) {
        heal_begin(session, connection);
    } else {
        iso__connection_end(session, connection, ISO_ERR_DESYNC);
    }
}
