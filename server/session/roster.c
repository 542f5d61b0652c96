/// The list of members and spectators that connections are sent: all after WELCOME, then the changes.
///
/// A change is a bit per entry, not a queue: however often a client joins and leaves, there is one entry to send, with
/// the state at that moment. A slot changes when the tick with its change is sealed, and the change is sent before that
/// tick.
#include "roster.h"

#include <string.h>

#include "isostep/assert.h"

#include "bucket.h"
#include "invariants.h"
#include "outbox.h"

void iso__roster_init(iso_session *session) {
    ISO_ASSERT(session->connection_count == 0);
    iso__roster *roster = &session->roster;
    for (uint32_t seat = 0; seat < ISO_SPECTATORS_TOLD_MAX; ++seat) {
        roster->seats[seat].connection = ISO__NO_CONNECTION;
    }
    roster->members = iso__bucket_full(session->now_ns, ISO__ROSTER_MEMBERS_PER_S, ISO__ROSTER_BURST);
    roster->spectators = iso__bucket_full(session->now_ns, ISO__ROSTER_SPECTATORS_PER_S, ISO__ROSTER_BURST);
}

void iso__roster_change(iso_session *session, uint8_t slot) {
    ISO_ASSERT(slot < session->slot_count && session->slot_count <= ISO_SLOT_COUNT_MAX);
    session->roster.slots_changed |= UINT32_C(1) << slot;
}

/// @return false when all seats are taken
static bool roster_take_seat(iso_session *session, iso__connection *connection) {
    iso__roster *roster = &session->roster;
    for (uint32_t i = 0; i < ISO_SPECTATORS_TOLD_MAX; ++i) {
        iso__seat *seat = &roster->seats[i];
        if (seat->connection == ISO__NO_CONNECTION) {
            seat->connection = iso__connection_index(session, connection);
            seat->generation += 1;
            memcpy(seat->name, connection->name, sizeof seat->name);
            connection->seat = (uint8_t)i;
            roster->seats_changed |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

void iso__roster_sit(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->seat == ISO__SEAT_NONE);
    ISO_ASSERT(connection->role == ISO_ROLE_SPECTATOR && connection->is_activated);
    session->roster.spectator_count += 1;
    if (!roster_take_seat(session, connection)) {
        session->roster.has_changed_count = true;
    }
}

/// A spectator that had none takes the seat that has become free.
static void roster_fill_seat(iso_session *session, const iso__connection *gone) {
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__connection *connection = &session->connections[session->open[i]];
        const bool stands = connection->role == ISO_ROLE_SPECTATOR && connection->is_activated &&
                            connection->phase != ISO__PHASE_ENDING && connection->seat == ISO__SEAT_NONE;
        if (stands && connection != gone) {
            (void)roster_take_seat(session, connection);
            return;
        }
    }
}

void iso__roster_rise(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->role == ISO_ROLE_SPECTATOR);
    iso__roster *roster = &session->roster;
    if (!connection->is_activated) {
        return;
    }
    ISO_ASSERT(roster->spectator_count > 0);
    roster->spectator_count -= 1;
    if (connection->seat == ISO__SEAT_NONE) {
        roster->has_changed_count = true;
        return;
    }
    ISO_ASSERT(connection->seat < ISO_SPECTATORS_TOLD_MAX);
    roster->seats[connection->seat].connection = ISO__NO_CONNECTION;
    roster->seats_changed |= UINT64_C(1) << connection->seat;
    connection->seat = ISO__SEAT_NONE;
    if (roster->spectator_count >= ISO_SPECTATORS_TOLD_MAX) {
        roster_fill_seat(session, connection);
    }
}

static iso_member roster_player(const iso_session *session, uint32_t slot) {
    const iso__member *member = &session->members[slot];
    iso_member entry = {.role = ISO_ROLE_PLAYER, .slot = (uint8_t)slot};
    switch (member->state) {
    case ISO__MEMBER_ACTIVE:
    case ISO__MEMBER_DROPPING: // until its DROP is sealed
        entry.presence = ISO_PRESENCE_HERE;
        break;
    case ISO__MEMBER_HELD:
    case ISO__MEMBER_RESUMING:
        entry.presence = ISO_PRESENCE_HELD;
        break;
    default:
        // The slot may be reserved for another member, whose JOIN is to come. Until the LEAVE is sealed the world has
        // who left: who joins now gets it with a snapshot.
        entry.presence = member->is_leave_due ? ISO_PRESENCE_HERE : ISO_PRESENCE_GONE;
        entry.slot_generation = member->leave_generation;
        memcpy(entry.name, member->leave_name, sizeof entry.name);
        return entry;
    }
    entry.slot_generation = member->generation;
    memcpy(entry.name, member->name, sizeof entry.name);
    return entry;
}

static iso_member roster_spectator(const iso_session *session, uint32_t place) {
    const iso__seat *seat = &session->roster.seats[place];
    iso_member entry = {.role = ISO_ROLE_SPECTATOR, .slot = (uint8_t)place, .slot_generation = seat->generation};
    entry.presence = seat->connection != ISO__NO_CONNECTION ? ISO_PRESENCE_HERE : ISO_PRESENCE_GONE;
    memcpy(entry.name, seat->name, sizeof entry.name);
    return entry;
}

/// The changes that may be sent now, round-robin: a member that joins and leaves again and again does not delay the
/// changes of the others. @param changed  bits of `count` places
/// @param next  the place to begin with; becomes the one after the last that was taken
/// @return bits of those that may be sent now
static uint64_t roster_take_turns(const iso_session *session, uint64_t changed, uint32_t count, uint8_t *next,
                                  iso__bucket *bucket, uint32_t per_second) {
    ISO_ASSERT(*next < count && count <= ISO_SPECTATORS_TOLD_MAX);
    uint64_t taken = 0;
    const uint32_t first = *next;
    for (uint32_t i = 0; i < count && taken != changed; ++i) {
        const uint32_t place = (first + i) % count;
        const uint64_t bit = UINT64_C(1) << place;
        if ((changed & bit) == 0) {
            continue;
        }
        if (!iso__bucket_take(bucket, session->now_ns, per_second, ISO__ROSTER_BURST, 1)) {
            break;
        }
        taken |= bit;
        *next = (uint8_t)((place + 1) % count);
    }
    return taken;
}

/// The entries that have changed, as many as may be sent now, in the order of their places. @return how many
static uint32_t roster_take_changes(iso_session *session) {
    iso__roster *roster = &session->roster;
    const uint64_t slots = roster_take_turns(session, roster->slots_changed, session->slot_count, &roster->next_slot,
                                             &roster->members, ISO__ROSTER_MEMBERS_PER_S);
    const uint64_t seats = roster_take_turns(session, roster->seats_changed, ISO_SPECTATORS_TOLD_MAX,
                                             &roster->next_seat, &roster->spectators, ISO__ROSTER_SPECTATORS_PER_S);
    roster->slots_changed &= ~(uint32_t)slots;
    roster->seats_changed &= ~seats;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        if ((slots >> slot & 1u) != 0) {
            roster->entries[count++] = roster_player(session, slot);
        }
    }
    for (uint32_t place = 0; place < ISO_SPECTATORS_TOLD_MAX; ++place) {
        if ((seats >> place & 1u) != 0) {
            roster->entries[count++] = roster_spectator(session, place);
        }
    }
    return count;
}

static bool roster_is_told(const iso__connection *connection) {
    return connection->phase >= ISO__PHASE_REWIND && connection->phase <= ISO__PHASE_ACTIVE &&
           !connection->is_welcome_due && !connection->is_members_due;
}

static void roster_fill(iso_session *session, bool complete, uint32_t count) {
    session->message.as.members =
        (iso_message_members){complete, session->roster.spectator_count, session->roster.entries, count};
}

bool iso__roster_send(iso_session *session, iso_session_action *action) {
    ISO_ASSERT(session->slot_count <= ISO_SLOT_COUNT_MAX);
    iso__roster *roster = &session->roster;
    if (roster->slots_changed == 0 && roster->seats_changed == 0 && !roster->has_changed_count) {
        return false;
    }
    const uint32_t count = roster_take_changes(session);
    const bool counted =
        roster->has_changed_count &&
        iso__bucket_take(&roster->spectators, session->now_ns, ISO__ROSTER_SPECTATORS_PER_S, ISO__ROSTER_BURST, 1);
    if (count == 0 && !counted) {
        return false;
    }
    roster->has_changed_count = false;
    uint32_t recipient_count = 0;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        const iso__connection *connection = &session->connections[session->open[i]];
        if (roster_is_told(connection)) {
            session->recipients[recipient_count++] = connection->id;
        }
    }
    if (recipient_count == 0) {
        return false;
    }
    roster_fill(session, false, count);
    iso__outbox_send(session, action, session->recipients, recipient_count, ISO_MESSAGE_MEMBERS);
    return true;
}

void iso__roster_send_all(iso_session *session, iso__connection *connection, iso_session_action *action) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && session->slot_count <= ISO_SLOT_COUNT_MAX);
    uint32_t count = 0;
    for (uint32_t place = 0; place < session->slot_count + ISO_SPECTATORS_TOLD_MAX; ++place) {
        const iso_member entry = place < session->slot_count ? roster_player(session, place)
                                                             : roster_spectator(session, place - session->slot_count);
        if (entry.presence != ISO_PRESENCE_GONE) {
            session->roster.entries[count++] = entry;
        }
    }
    roster_fill(session, true, count);
    iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_MEMBERS);
}
