/// Sealing a tick: from here on its input is fixed, and the world has taken it.
#include "state.h"

bool iso__seal_is_held(const iso_session *session) {
    return session->recording && session->sealed_tick - session->written_tick >= ISO__IN_FLIGHT_MAX;
}

/// Leaves first, so that a slot can be given back and taken in one tick.
static uint32_t seal_changes(iso_session *session) {
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        const iso__member *member = &session->members[slot];
        if (member->state == ISO__MEMBER_LEAVING) {
            session->changes[count++] = (iso_change){ISO_CHANGE_LEAVE, (uint8_t)slot, member->generation};
        }
    }
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        const iso__member *member = &session->members[slot];
        if (member->state == ISO__MEMBER_JOINING) {
            session->changes[count++] = (iso_change){ISO_CHANGE_JOIN, (uint8_t)slot, member->generation};
        }
    }
    return count;
}

static void seal_tell_change(iso_session *session, uint8_t slot, const iso__member *member, bool joined) {
    iso_session_note *note = iso__note(session, ISO_SESSION_LOG_INFO, joined ? "joined" : "left");
    note->slot = slot;
    note->status = joined ? ISO_OK : member->left_status;
    const iso__connection *connection = joined ? &session->connections[member->connection] : NULL;
    if (connection != NULL) {
        note->connection = connection->id;
        memcpy(note->member, connection->name, sizeof note->member);
    }
    iso_recording_event *event =
        iso__record_event(session, joined ? ISO_RECORDING_EVENT_MEMBER : ISO_RECORDING_EVENT_LEFT, slot);
    event->slot_generation = member->generation;
    event->status = note->status;
    memcpy(event->name, note->member, sizeof note->member);
}

/// What the world has now done stands in the members' states, too.
static void seal_apply_changes(iso_session *session) {
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso__member *member = &session->members[slot];
        if (member->state == ISO__MEMBER_LEAVING) {
            seal_tell_change(session, (uint8_t)slot, member, false);
            member->state = ISO__MEMBER_FREE;
            session->stats.leaves += 1;
        } else if (member->state == ISO__MEMBER_JOINING) {
            seal_tell_change(session, (uint8_t)slot, member, true);
            member->state = ISO__MEMBER_ACTIVE;
            session->stats.joins += 1;
        }
    }
}

static void seal_wake_connections(iso_session *session) {
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        iso__connection *connection = &session->connections[i];
        if (connection->phase == ISO__PHASE_CATCH_UP) {
            const uint32_t budget = connection->replay_budget + ISO__REPLAY_PER_TICK;
            connection->replay_budget = budget < ISO__REPLAY_BURST ? budget : ISO__REPLAY_BURST;
        }
        // Not all in the same tick.
        if (connection->phase == ISO__PHASE_ACTIVE && (session->sealed_tick + i) % session->status_ticks == 0) {
            connection->status_due = true;
        }
    }
}

void iso__seal(iso_session *session) {
    const uint64_t tick = session->sealed_tick + 1;
    if (session->now_ns > iso_session_tick_deadline(session, tick + 1)) {
        session->stats.ticks_late += 1;
    }
    iso_tick_input input = {.tick = tick, .changes = session->changes, .commands = session->commands};
    input.change_count = seal_changes(session);
    input.command_count = iso__inbox_take(session, tick, session->commands);

    // The input is ours, so the world cannot refuse it.
    const iso_status status = iso_world_step(session->world, &input);
    ISO__SESSION_ASSERT(status == ISO_OK);
    iso__ring_append(&session->ring, &input, iso_world_root(session->world));
    session->sealed_tick = tick;
    session->stats.ticks_sealed += 1;

    seal_apply_changes(session);
    seal_wake_connections(session);
    iso__image_take_keyframe(session);
}
