/// Moderation by the server's operator: listing the members and spectators, notices to them, kicks.
#include "moderate.h"

#include <string.h>

#include "isostep/assert.h"

#include "end.h"
#include "invariants.h"
#include "member.h"
#include "outbox.h"
#include "places.h"

// ---- Who is here ------------------------------------------------------------------------------------

static void moderate_describe(const iso__connection *connection, iso_session_person *person) {
    person->connection = connection->id;
    person->round_trip_ns = connection->round_trip_ns;
    person->is_joining = connection->phase != ISO__PHASE_ACTIVE;
}

static void moderate_describe_member(const iso_session *session, uint32_t slot, iso_session_person *person) {
    const iso__member *member = &session->members[slot];
    const bool joins = member->state == ISO__MEMBER_RESERVED;
    *person = (iso_session_person){
        .role = ISO_ROLE_PLAYER,
        .slot = (uint8_t)slot,
        .generation = member->generation + (joins ? 1u : 0u),
        .is_held = member->connection == ISO__NO_CONNECTION,
        .since_ns = member->since_ns,
        .late = member->late_count,
        .desyncs = member->desync_count,
    };
    memcpy(person->name, member->name, sizeof person->name);
    if (member->connection != ISO__NO_CONNECTION) {
        moderate_describe(&session->connections[member->connection], person);
    }
}

static void moderate_describe_spectator(const iso__connection *connection, iso_session_person *person) {
    *person = (iso_session_person){
        .role = ISO_ROLE_SPECTATOR,
        .slot = ISO_SLOT_NONE,
        .since_ns = connection->opened_ns,
        .desyncs = connection->desync_count,
    };
    memcpy(person->name, connection->name, sizeof person->name);
    moderate_describe(connection, person);
}

static bool moderate_is_spectator(const iso__connection *connection) {
    return connection->has_hello && connection->role == ISO_ROLE_SPECTATOR && connection->phase != ISO__PHASE_ENDING;
}

uint32_t iso_session_get_people(const iso_session *session, iso_session_person *people, uint32_t capacity) {
    ISO_ASSERT(session->slot_count <= ISO_SLOT_COUNT_MAX);
    uint32_t count = 0;
    for (uint32_t slot = iso__slot_used_from(session, 0); slot < session->slot_count && count < capacity;
         slot = iso__slot_used_from(session, slot + 1)) {
        if (session->members[slot].state != ISO__MEMBER_FREE) {
            moderate_describe_member(session, slot, &people[count++]);
        }
    }
    for (uint32_t i = 0; i < session->connection_count && count < capacity; ++i) {
        const iso__connection *connection = &session->connections[session->open[i]];
        if (moderate_is_spectator(connection)) {
            moderate_describe_spectator(connection, &people[count++]);
        }
    }
    return count;
}

bool iso_session_find_person(const iso_session *session, uint64_t connection, uint32_t slot,
                             iso_session_person *found) {
    ISO_ASSERT(found != NULL && session->slot_count <= ISO_SLOT_COUNT_MAX);
    for (uint32_t i = iso__slot_used_from(session, 0); i < session->slot_count;
         i = iso__slot_used_from(session, i + 1)) {
        const iso__member *member = &session->members[i];
        const bool is_it = connection == 0 ? i == slot
                                           : member->connection != ISO__NO_CONNECTION &&
                                                 session->connections[member->connection].id == connection;
        if (is_it && member->state != ISO__MEMBER_FREE) {
            moderate_describe_member(session, i, found);
            return true;
        }
    }
    for (uint32_t i = 0; connection != 0 && i < session->connection_count; ++i) {
        const iso__connection *other = &session->connections[session->open[i]];
        if (other->id == connection && moderate_is_spectator(other)) {
            moderate_describe_spectator(other, found);
            return true;
        }
    }
    return false;
}

// ---- Kicks ------------------------------------------------------------------------------------------

void iso__moderate_kick(iso_session *session, const iso_session_event *event) {
    ISO_ASSERT(event->status == ISO_ERR_KICKED || event->status == ISO_ERR_BANNED);
    iso_session_person person;
    if (!iso_session_find_person(session, event->connection, event->slot, &person)) {
        // A connection that is not welcome yet.
        iso__connection *connection = iso__connection_find(session, event->connection);
        if (event->connection != 0 && connection != NULL) {
            iso__connection_end(session, connection, event->status);
        }
        return;
    }
    if (event->generation != 0 && event->generation != person.generation) {
        return; // who was meant has left
    }
    if (person.connection != 0) {
        iso__connection_end(session, iso__connection_find(session, person.connection), event->status);
    } else if (session->members[person.slot].state >= ISO__MEMBER_ACTIVE &&
               !session->members[person.slot].is_leave_due) {
        iso__member_leave(session, person.slot, event->status);
    }
}

// ---- Notices ----------------------------------------------------------------------------------------

static bool moderate_is_to_come(const iso_session *session, const iso__told *told) {
    return told->deadline_ns > session->now_ns;
}

/// Room for a new notice. Of those that are kept the oldest goes that nobody will be told any more who comes later:
/// else some chat would hide when the server ends.
static iso__told *moderate_make_room(iso_session *session) {
    if (session->told_kept < ISO__TOLD_MAX) {
        return &session->told[session->told_kept++];
    }
    uint32_t gone = 0;
    while (gone < ISO__TOLD_MAX && moderate_is_to_come(session, &session->told[gone])) {
        ++gone;
    }
    gone = gone < ISO__TOLD_MAX ? gone : 0;
    memmove(&session->told[gone], &session->told[gone + 1], (ISO__TOLD_MAX - 1 - gone) * sizeof session->told[0]);
    return &session->told[ISO__TOLD_MAX - 1];
}

void iso__moderate_tell(iso_session *session, const iso_session_event *event) {
    ISO_ASSERT(event->message->kind == ISO_MESSAGE_NOTICE);
    iso__told *told = moderate_make_room(session);
    told->message = event->message->as.notice;
    told->connection = event->connection;
    told->deadline_ns =
        told->message.deadline_ms == 0 ? 0 : session->now_ns + told->message.deadline_ms * ISO__NS_PER_MS;
    told->number = session->told_count++;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__connection_touch(session, &session->connections[session->open[i]]);
    }
}

/// Who comes later is told what is still to come.
static bool moderate_is_for(const iso_session *session, const iso__connection *connection, const iso__told *told) {
    const bool is_addressed = told->connection == 0 || told->connection == connection->id;
    return is_addressed && (told->number >= connection->told_first || moderate_is_to_come(session, told));
}

bool iso__moderate_send(iso_session *session, iso__connection *connection, iso_session_action *action) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (!connection->has_hello || connection->phase == ISO__PHASE_ENDING ||
        (connection->features & ISO_FEATURE_NOTICES) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < session->told_kept; ++i) {
        const iso__told *told = &session->told[i];
        if (told->number < connection->told_next) {
            continue;
        }
        connection->told_next = told->number + 1;
        if (!moderate_is_for(session, connection, told)) {
            continue;
        }
        session->message.as.notice = told->message;
        if (told->deadline_ns != 0) {
            const uint64_t left = told->deadline_ns > session->now_ns ? told->deadline_ns - session->now_ns : 0;
            const uint64_t left_ms = (left + ISO__NS_PER_MS - 1u) / ISO__NS_PER_MS;
            session->message.as.notice.deadline_ms = left_ms > 0 ? (uint32_t)left_ms : 1u; // 0 would be no time
        }
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_NOTICE);
        return true;
    }
    return false;
}
