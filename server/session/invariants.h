/// Invariants of a session, for assertions: each looks only at its argument. Checks that walk over everything are in
/// sound.c, for validating builds.
#ifndef ISO_SESSION_INVARIANTS_H
#define ISO_SESSION_INVARIANTS_H

#include "isostep/assert.h"

#include "state.h"

static inline uint32_t iso__connection_index(const iso_session *session, const iso__connection *connection) {
    return (uint32_t)(connection - session->connections);
}

/// A connection of this session that is in use, and is in the list of open ones at its index.
static inline bool iso__connection_is_open(const iso_session *session, const iso__connection *connection) {
    const uint32_t index = iso__connection_index(session, connection);
    return index < session->connection_used && connection->phase > ISO__PHASE_FREE &&
           connection->phase <= ISO__PHASE_ENDING && connection->open_index < session->connection_count &&
           session->open[connection->open_index] == index;
}

/// It has a slot, and the member there refers back to it.
static inline bool iso__connection_is_seated(const iso_session *session, const iso__connection *connection) {
    return connection->slot < session->slot_count &&
           session->members[connection->slot].connection == iso__connection_index(session, connection);
}

/// The first slot from `slot` on that is in use; slot_count when there is none.
static inline uint32_t iso__slot_used_from(const iso_session *session, uint32_t slot) {
    const uint32_t left = slot < ISO_SLOT_COUNT_MAX ? session->slots_used >> slot : 0;
    return left != 0 ? slot + (uint32_t)__builtin_ctz(left) : session->slot_count;
}

/// A member of this session, in a valid state.
static inline bool iso__member_is_known(const iso_session *session, const iso__member *member) {
    return (size_t)(member - session->members) < session->slot_count && member->state <= ISO__MEMBER_RESUMING;
}

/// The numbers that a tick passes, from the last to the first: written and durable, given to the recorder, sealed; and
/// the ring ends with the last sealed tick.
static inline bool iso__session_is_ordered(const iso_session *session) {
    return session->written_tick <= session->recorded_tick && session->durable_tick <= session->recorded_tick &&
           session->recorded_tick <= session->sealed_tick && session->sent_tick <= session->sealed_tick &&
           session->keyframe_tick <= session->sealed_tick && session->ring.end == session->sealed_tick + 1u;
}

/// Its bytes are only of ticks whose roots are kept, and it holds no more ticks than it has room for.
static inline bool iso__ring_is_ordered(const iso__ring *ring) {
    return ring->first_root <= ring->first && ring->first <= ring->end &&
           ring->end - ring->first_root <= ring->tick_capacity && ring->write_offset <= ring->byte_capacity;
}

/// The numbers of waiting items are within the queues' sizes.
static inline bool iso__session_fits(const iso_session *session) {
    return session->connection_count <= session->connection_used &&
           session->connection_used <= session->connection_capacity &&
           session->due_count <= session->connection_capacity && session->joiner_count <= session->connection_count &&
           session->player_count <= session->slot_count && session->spectator_count <= session->connection_count &&
           session->note_count <= ISO__NOTES_MAX && session->event_count <= ISO__EVENTS_MAX;
}

#endif
