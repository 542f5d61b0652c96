/// The host's next action, derived from the session's state.
///
/// The order: snapshots to compress, the recording, membership changes, ticks for all, messages for single connections,
/// the log, the end. A connection's last message comes after all others for it, then CLOSE.
#include "isostep/assert.h"
#include "isostep/proto/wipe.h"

#include "image.h"
#include "invariants.h"
#include "member.h"
#include "note.h"
#include "outbox.h"
#include "places.h"
#include "reading.h"
#include "replay.h"
#include "ring.h"
#include "roster.h"
#include "round_trip.h"
#include "send.h"

static bool action_encode(iso_session *session, iso_session_action *action) {
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        if (image->state != ISO__IMAGE_TAKEN) {
            continue;
        }
        image->state = ISO__IMAGE_ENCODING;
        action->kind = ISO_SESSION_ACTION_ENCODE_SNAPSHOT;
        action->tick = image->tick;
        action->root = image->root;
        action->bytes = image->plain;
        action->byte_count = image->plain_size;
        return true;
    }
    return false;
}

/// The oldest image for the recording, whether ready or not: keyframes are recorded in order.
static iso__image *action_find_keyframe(iso_session *session) {
    iso__image *oldest = NULL;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        if (image->is_keyframe && (oldest == NULL || image->tick < oldest->tick)) {
            oldest = image;
        }
    }
    return oldest;
}

/// Whether a keyframe that would begin the recording again is so old that the ticks since might not fit, or are not
/// kept.
static bool action_is_stale(const iso_session *session, const iso__image *image) {
    return session->is_restarting && !session->is_record_open &&
           (session->sealed_tick - image->tick > ISO__RESTART_LAG_MAX ||
            (image->tick < session->sealed_tick && image->tick + 1 < session->ring.first));
}

static bool action_keyframe(iso_session *session, iso_session_action *action) {
    iso__image *image = action_find_keyframe(session);
    if (image == NULL || image->state != ISO__IMAGE_READY ||
        (session->is_record_open && image->tick > session->recorded_tick)) {
        return false;
    }
    image->is_keyframe = false;
    if (action_is_stale(session, image)) {
        iso__note(session, ISO_SESSION_LOG_WARN, "a keyframe came too late and is left out");
        session->is_record_begun = false;
        iso__image_take_keyframe(session);
        return false;
    }
    if (session->is_record_open && session->recorded_tick - image->tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
        iso__note(session, ISO_SESSION_LOG_WARN, "a keyframe came too late and is left out");
        return action_keyframe(session, action);
    }
    if (!session->is_record_open) {
        session->is_record_open = true;
        session->record_tick = session->recorded_tick = image->tick;
    }
    action->kind = ISO_SESSION_ACTION_RECORD_KEYFRAME;
    action->tick = image->tick;
    action->root = image->root;
    action->bytes = image->packed;
    action->byte_count = image->packed_size;
    action->plain_size = image->plain_size;
    return true;
}

static bool action_record(iso_session *session, iso_session_action *action) {
    if (!iso_session_records(session) || session->run >= ISO__RUN_SEALING) {
        return false;
    }
    if (action_keyframe(session, action)) {
        return true;
    }
    if (!session->is_record_open) {
        return false;
    }
    // An event is recorded before the tick that it belongs to.
    if (session->event_count > 0) {
        session->event = session->events[session->event_first];
        session->event_first = (session->event_first + 1u) % ISO__EVENTS_MAX;
        session->event_count -= 1;
        action->kind = ISO_SESSION_ACTION_RECORD_EVENT;
        action->event = &session->event;
        return true;
    }
    if (session->recorded_tick < session->sealed_tick) {
        const uint64_t tick = ++session->recorded_tick;
        const bool kept = iso__ring_root(&session->ring, tick, &action->root);
        ISO_ASSERT(kept);
        action->kind = ISO_SESSION_ACTION_RECORD_TICK;
        action->tick = tick;
        action->input = iso__outbox_load_tick(session, tick);
        action->bytes = iso__ring_bytes(&session->ring, tick, &action->byte_count);
        return true;
    }
    return false;
}

/// The next tick, for all that have the one before it.
static bool action_broadcast(iso_session *session, iso_session_action *action) {
    while (session->sent_tick < iso__reading_open_tick(session)) {
        const uint64_t tick = session->sent_tick + 1;
        uint32_t count = 0;
        for (uint32_t i = 0; i < session->connection_count; ++i) {
            iso__connection *connection = &session->connections[session->open[i]];
            // A connection that is still to get WELCOME receives the tick from the ring after that.
            const bool receiving =
                (connection->phase == ISO__PHASE_ACTIVE || connection->phase == ISO__PHASE_CATCH_UP) &&
                !connection->is_welcome_due && !connection->is_members_due;
            if (receiving && connection->sent_tick + 1 == tick) {
                connection->sent_tick = tick;
                if (connection->phase == ISO__PHASE_ACTIVE) {
                    iso__round_trip_sent(session, connection, tick);
                }
                if (connection->is_activation_due) {
                    iso__connection_touch(session, connection);
                }
                connection->top_tick = connection->top_tick > tick ? connection->top_tick : tick;
                session->recipients[count++] = connection->id;
            }
        }
        session->sent_tick = tick;
        if (count > 0) {
            iso__outbox_fill_tick(session, tick);
            iso__outbox_send(session, action, session->recipients, count, ISO_MESSAGE_TICK);
            return true;
        }
    }
    return false;
}

static bool action_hold(iso_session *session, iso_session_action *action) {
    const iso__hold hold = iso__member_find_hold(session, &action->origin);
    if (hold == ISO__HOLD_NONE) {
        return false;
    }
    action->kind = ISO_SESSION_ACTION_HOLD;
    action->is_held = hold == ISO__HOLD_BEGINS;
    return true;
}

/// All last messages are sent, and the recording is sealed; after that the session is closed.
static bool action_shutdown(iso_session *session, iso_session_action *action) {
    if (session->run == ISO__RUN_DRAINING && session->connection_count == 0) {
        bool keyframe_due = !session->is_record_open;
        for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
            keyframe_due = keyframe_due || session->images[i].is_keyframe;
        }
        if (!session->is_recording && !(session->is_restarting && session->is_record_open)) {
            session->run = ISO__RUN_CLOSING;
        } else if (!keyframe_due) {
            const bool known = iso__ring_root(&session->ring, session->sealed_tick, &action->root);
            ISO_ASSERT(known);
            session->run = ISO__RUN_SEALING;
            action->kind = ISO_SESSION_ACTION_RECORD_SEAL;
            action->status = session->drain_status;
            action->tick = session->sealed_tick;
            return true;
        }
    }
    if (session->run == ISO__RUN_CLOSING) {
        session->has_changed_holds = true;
        if (action_hold(session, action)) {
            return true;
        }
        session->run = ISO__RUN_CLOSED;
        action->kind = ISO_SESSION_ACTION_CLOSED;
        action->status = session->goes_on ? ISO_ERR_RESTARTING : session->drain_status;
        return true;
    }
    return false;
}

bool iso_session_next_action(iso_session *session, iso_session_action *action) {
    ISO_ASSERT(iso__session_fits(session));
    *action = (iso_session_action){0};
    if (session->message.kind == ISO_MESSAGE_WELCOME) { // the host has sent it
        iso_wipe(session->message.as.welcome.secret, sizeof session->message.as.welcome.secret);
    }
    iso__replay_begin(session);
    if (session->run == ISO__RUN_CLOSED) {
        return false;
    }
    if (action_encode(session, action) || action_record(session, action) || iso__roster_send(session, action) ||
        action_broadcast(session, action)) {
        return true;
    }
    while (session->due_count > 0) {
        iso__connection *connection = &session->connections[session->due[session->due_first]];
        if (connection->phase != ISO__PHASE_FREE && iso__send_personal(session, connection, action)) {
            return true;
        }
        connection->is_due_queued = false;
        session->due_first = (session->due_first + 1u) % session->connection_capacity;
        session->due_count -= 1;
    }
    if (action_hold(session, action)) {
        return true;
    }
    if (session->note_count > 0) {
        session->note = session->notes[session->note_first];
        session->note_first = (session->note_first + 1u) % ISO__NOTES_MAX;
        session->note_count -= 1;
        action->kind = ISO_SESSION_ACTION_LOG;
        action->note = &session->note;
        return true;
    }
    return action_shutdown(session, action);
}
