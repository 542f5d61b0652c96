/// Members: how a slot is reserved, taken, held and given back.
///
///                        JOIN               DROP               RESUME
///   FREE -> RESERVED -> JOINING -> ACTIVE -> DROPPING -> HELD -> RESUMING -> ACTIVE
///
/// The changes above the arrows go into the next tick, with which the state changes. From each state there is a way
/// back to FREE: at once while the world does not know the member, with a LEAVE in the next tick when it does.
#include "member.h"

#include <string.h>

#include "isostep/assert.h"

#include "commands.h"
#include "invariants.h"
#include "note.h"
#include "roster.h"

/// Whether the world knows the member, or will after the next tick.
static bool member_is_known(const iso__member *member) {
    return member->state >= ISO__MEMBER_ACTIVE;
}

void iso__member_reserve(iso_session *session, uint8_t slot, iso__connection *connection) {
    ISO_ASSERT(slot < session->slot_count && session->members[slot].state == ISO__MEMBER_FREE);
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->slot == ISO_SLOT_NONE);
    iso__member *member = &session->members[slot];
    connection->slot = slot;
    session->player_count += 1;
    member->origin = connection->origin;
    member->state = ISO__MEMBER_RESERVED;
    member->since_ns = session->now_ns;
    member->desync_count = 0;
    session->slots_used |= 1u << slot;
    member->connection = iso__connection_index(session, connection);
    member->late_policy = session->config.late_policy;
    member->has_unknown_secrets = false;
    member->desyncs = (iso__strikes){0, session->now_ns};
    memcpy(member->name, connection->name, sizeof member->name);
    iso__commands_reset(session, member);
}

void iso__member_enter(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_seated(session, connection));
    iso__member *member = &session->members[connection->slot];
    member->is_waited_for = false;
    ISO_ASSERT(member->state == ISO__MEMBER_HELD || member->state == ISO__MEMBER_RESERVED);
    if (member->state == ISO__MEMBER_HELD) {
        member->state = ISO__MEMBER_RESUMING;
        return;
    }
    member->state = ISO__MEMBER_JOINING;
    member->generation += 1;
    member->newcomer_until_ns = session->now_ns + ISO__STRICT_WINDOW_NS;
    iso__commands_reset(session, member);
}

/// A member that was not at fault may resume. When the server shuts down, the recording ends with its members in it.
static bool member_may_return(const iso_session *session, iso_status status) {
    switch (status) {
    case ISO_ERR_CONNECTION:
    case ISO_ERR_TIMEOUT:
    case ISO_ERR_SLOW_CONSUMER:
    case ISO_ERR_JOIN_TIMEOUT:
    case ISO_ERR_TOO_SLOW:
    case ISO_ERR_TAKEN_OVER:
    case ISO_ERR_SHUTDOWN:
    case ISO_ERR_RESTARTING:
        return session->config.secret != NULL;
    default:
        return false;
    }
}

void iso__member_leave(iso_session *session, uint8_t slot, iso_status status) {
    ISO_ASSERT(slot < session->slot_count && session->members[slot].state >= ISO__MEMBER_ACTIVE);
    ISO_ASSERT(!session->members[slot].is_leave_due); // or the world would never get the previous one
    iso__member *member = &session->members[slot];
    session->has_changed_holds = true;
    member->is_leave_due = true;
    member->leave_generation = member->generation;
    member->leave_status = status;
    memcpy(member->leave_name, member->name, sizeof member->leave_name);
    member->state = ISO__MEMBER_FREE;
    member->connection = ISO__NO_CONNECTION;
    iso__commands_reset(session, member);
}

void iso__member_lose(iso_session *session, iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_seated(session, connection));
    ISO_ASSERT(session->members[connection->slot].state != ISO__MEMBER_FREE);
    iso__member *member = &session->members[connection->slot];
    if (!member_is_known(member)) {
        // Its JOIN is in no tick, so the world does not know of it.
        member->generation -= member->state == ISO__MEMBER_JOINING ? 1u : 0u;
        member->state = ISO__MEMBER_FREE;
        member->connection = ISO__NO_CONNECTION;
        iso__commands_reset(session, member);
        return;
    }
    if (!member_may_return(session, status)) {
        iso__member_leave(session, connection->slot, status);
        return;
    }
    member->connection = ISO__NO_CONNECTION;
    session->has_changed_holds = true;
    if (member->state == ISO__MEMBER_ACTIVE) {
        member->state = ISO__MEMBER_DROPPING;
        member->hold_until_ns = session->now_ns + session->config.hold_ms * ISO__NS_PER_MS;
    } else if (member->state == ISO__MEMBER_RESUMING) {
        member->state = ISO__MEMBER_HELD;
    }
}

/// Whether the slot is held, and no client is about to resume it.
static bool member_is_waited_for(const iso__member *member) {
    return (member->state == ISO__MEMBER_HELD || member->state == ISO__MEMBER_DROPPING) &&
           member->connection == ISO__NO_CONNECTION;
}

iso__hold iso__member_find_hold(iso_session *session, uint64_t *origin) {
    for (uint32_t slot = 0; session->has_changed_holds && slot < session->slot_count; ++slot) {
        iso__member *member = &session->members[slot];
        const bool held = member_is_waited_for(member) && session->run < ISO__RUN_CLOSING;
        const uint64_t now = held ? member->origin : 0;
        if (now == member->told_origin) {
            continue;
        }
        // First the end of the hold that was reported, then the one that replaces it.
        const bool ends = member->told_origin != 0;
        *origin = ends ? member->told_origin : now;
        ISO_ASSERT(*origin != 0);
        member->told_origin = ends ? 0 : now;
        return ends ? ISO__HOLD_ENDS : ISO__HOLD_BEGINS;
    }
    session->has_changed_holds = false;
    return ISO__HOLD_NONE;
}

void iso__member_expire(iso_session *session) {
    ISO_ASSERT(session->slot_count <= ISO_SLOT_COUNT_MAX);
    for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count;
         slot = iso__slot_used_from(session, slot + 1)) {
        const iso__member *member = &session->members[slot];
        if (member_is_waited_for(member) && member->hold_until_ns <= session->now_ns) {
            session->stats.holds_expired += 1;
            iso__member_leave(session, (uint8_t)slot, ISO_ERR_TIMEOUT);
        }
    }
}

uint64_t iso__member_deadline(const iso_session *session) {
    ISO_ASSERT(session->slot_count <= ISO_SLOT_COUNT_MAX);
    uint64_t deadline = UINT64_MAX;
    for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count;
         slot = iso__slot_used_from(session, slot + 1)) {
        const iso__member *member = &session->members[slot];
        if (member_is_waited_for(member) && member->hold_until_ns < deadline) {
            deadline = member->hold_until_ns;
        }
    }
    return deadline;
}

uint32_t iso__member_changes(const iso_session *session, iso_change *changes) {
    static const struct {
        uint8_t state, kind;
    } order[] = {{ISO__MEMBER_DROPPING, ISO_CHANGE_DROP},
                 {ISO__MEMBER_JOINING, ISO_CHANGE_JOIN},
                 {ISO__MEMBER_RESUMING, ISO_CHANGE_RESUME}};
    uint32_t count = 0;
    // Leaves first, so that a slot can be released and taken in one tick.
    for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count;
         slot = iso__slot_used_from(session, slot + 1)) {
        const iso__member *member = &session->members[slot];
        if (member->is_leave_due) {
            changes[count++] = (iso_change){ISO_CHANGE_LEAVE, (uint8_t)slot, member->leave_generation};
        }
    }
    for (uint32_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count;
             slot = iso__slot_used_from(session, slot + 1)) {
            const iso__member *member = &session->members[slot];
            if (member->state == order[i].state) {
                changes[count++] = (iso_change){order[i].kind, (uint8_t)slot, member->generation};
            }
        }
    }
    ISO_ASSERT(count <= ISO_TICK_CHANGES_MAX);
    return count;
}

void iso__member_record(iso_session *session, uint8_t slot, iso_recording_event_kind kind) {
    ISO_ASSERT(slot < session->slot_count && kind != ISO_RECORDING_EVENT_NOTE);
    const iso__member *member = &session->members[slot];
    const bool left = kind == ISO_RECORDING_EVENT_LEFT;
    iso_recording_event *event = iso__record_event(session, kind, slot);
    event->slot_generation = left ? member->leave_generation : member->generation;
    event->status = left ? member->leave_status : ISO_OK;
    event->root = left ? 0 : member->secret_used;
    memcpy(event->name, left ? member->leave_name : member->name, sizeof member->name);
}

static void member_note(iso_session *session, uint8_t slot, const char *text, bool left) {
    const iso__member *member = &session->members[slot];
    iso_session_note *note = iso__note(session, ISO_SESSION_LOG_INFO, text);
    note->slot = slot;
    note->status = left ? member->leave_status : ISO_OK;
    memcpy(note->member, left ? member->leave_name : member->name, sizeof note->member);
    if (!left && member->connection != ISO__NO_CONNECTION) {
        note->connection = session->connections[member->connection].id;
    }
}

static void member_tell(iso_session *session, uint8_t slot, const char *text, iso_recording_event_kind kind) {
    member_note(session, slot, text, kind == ISO_RECORDING_EVENT_LEFT);
    iso__member_record(session, slot, kind);
}

bool iso_session_get_member(const iso_session *session, uint32_t slot, iso_recording_event *event) {
    ISO_ASSERT(session->slot_count > 0 && session->slot_count <= ISO_SLOT_COUNT_MAX);
    memset(event, 0, sizeof *event);
    const iso__member *member = &session->members[slot < session->slot_count ? slot : 0];
    if (slot >= session->slot_count || !member_is_known(member)) {
        return false;
    }
    const bool held = member->state == ISO__MEMBER_HELD || member->state == ISO__MEMBER_RESUMING;
    event->kind = held ? ISO_RECORDING_EVENT_DROPPED : ISO_RECORDING_EVENT_MEMBER;
    event->slot = (uint8_t)slot;
    event->slot_generation = member->generation;
    event->about_tick = session->sealed_tick;
    event->root = member->secret_used;
    memcpy(event->name, member->name, sizeof member->name);
    return true;
}

void iso__member_forgive_all(iso_session *session, uint64_t now_ns) {
    ISO_ASSERT(now_ns >= session->now_ns);
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso__member *member = &session->members[slot];
        const bool is_held = member->state == ISO__MEMBER_DROPPING || member->state == ISO__MEMBER_HELD;
        const uint64_t least_ns = now_ns + ISO__STOPPED_GRACE_NS;
        if (is_held && member->hold_until_ns < least_ns) {
            member->hold_until_ns = least_ns;
        }
    }
}

void iso__member_apply_changes(iso_session *session) {
    ISO_ASSERT(session->ring.end == session->sealed_tick + 1u); // the tick with the changes was sealed
    for (uint32_t i = iso__slot_used_from(session, 0); i < session->slot_count;
         i = iso__slot_used_from(session, i + 1)) {
        const uint8_t slot = (uint8_t)i;
        iso__member *member = &session->members[slot];
        if (member->is_leave_due) {
            iso__roster_change(session, slot);
            member_tell(session, slot, "left", ISO_RECORDING_EVENT_LEFT);
            member->is_leave_due = false;
            session->stats.leaves += 1;
        }
        const bool changes = member->state == ISO__MEMBER_JOINING || member->state == ISO__MEMBER_DROPPING ||
                             member->state == ISO__MEMBER_RESUMING;
        if (changes) {
            iso__roster_change(session, slot);
        }
        if (member->state == ISO__MEMBER_JOINING) {
            member_tell(session, slot, "joined", ISO_RECORDING_EVENT_MEMBER);
            member->state = ISO__MEMBER_ACTIVE;
            session->stats.joins += 1;
        } else if (member->state == ISO__MEMBER_DROPPING) {
            member_tell(session, slot, "is held", ISO_RECORDING_EVENT_DROPPED);
            member->state = ISO__MEMBER_HELD;
            session->stats.drops += 1;
        } else if (member->state == ISO__MEMBER_RESUMING) {
            member_note(session, slot, "resumed", false); // recorded once it has used its secret
            member->state = ISO__MEMBER_ACTIVE;
            session->stats.resumes += 1;
        } else if (member->state == ISO__MEMBER_FREE) {
            session->slots_used &= ~(1u << slot);
        }
    }
}

/// Members of a world that comes from a recording are not connected. Those that can resume are held, the others leave.
void iso__member_read_slots(iso_session *session) {
    ISO_ASSERT(session->connection_count == 0);
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso_slot_view view;
        iso__member *member = &session->members[slot];
        const bool there = iso_world_get_slot(session->world, slot, &view);
        ISO_ASSERT(there);
        iso__commands_reset(session, member);
        member->last_sequence = view.last_sequence;
        member->generation = view.generation;
        member->connection = ISO__NO_CONNECTION;
        member->late_policy = session->config.late_policy;
        member->has_unknown_secrets = true;
        if (member->secret_used == 0) {
            // No event reports it: it has joined in an earlier run, and its secret is one of the first.
            member->secret_newest = member->secret_used = session->config.run_before;
        }
        member->hold_until_ns = session->now_ns + session->config.hold_ms * ISO__NS_PER_MS;
        member->since_ns = session->now_ns;
        member->state = ISO__MEMBER_FREE;
        if (view.is_occupied) {
            member->state = view.is_held ? ISO__MEMBER_HELD : ISO__MEMBER_DROPPING;
            session->slots_used |= 1u << slot;
        }
        if (view.is_occupied && session->config.secret == NULL) {
            iso__member_leave(session, (uint8_t)slot, ISO_ERR_CONNECTION);
        } else if (view.is_held) {
            member_tell(session, (uint8_t)slot, "is held", ISO_RECORDING_EVENT_DROPPED);
        }
    }
}
