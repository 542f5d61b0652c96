/// Checks that everything a session keeps is consistent: walks over all of it. Called in validating builds, after each
/// event; what a single function can check, it asserts itself, in every build.
#include "sound.h"

#include "isostep/assert.h"

#include "invariants.h"

static bool sound_connection(const iso_session *session, const iso__connection *connection) {
    const bool has_image = connection->phase == ISO__PHASE_IMAGE || connection->phase == ISO__PHASE_CHUNKS;
    const bool image_fits = connection->image == UINT8_MAX || (has_image && connection->image < ISO__IMAGES);
    return iso__connection_is_open(session, connection) && image_fits &&
           (connection->slot == ISO_SLOT_NONE || iso__connection_is_seated(session, connection)) &&
           connection->chunks_acked <= connection->chunks_sent && connection->chunks_sent <= connection->chunk_count &&
           connection->sent_tick <= connection->top_tick && connection->reject_sent <= connection->reject_count &&
           connection->reject_count <= ISO__REJECTS_MAX && connection->pong_sent <= connection->pong_count &&
           connection->pong_count <= ISO__PONGS_MAX;
}

/// The open connections, and the counts of them.
static bool sound_connections(const iso_session *session) {
    uint32_t joiners = 0;
    uint32_t players = 0;
    uint32_t users[ISO__IMAGES] = {0};
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        const iso__connection *connection = &session->connections[session->open[i]];
        if (connection->open_index != i || !sound_connection(session, connection)) {
            return false;
        }
        joiners += connection->phase >= ISO__PHASE_CLAIM && connection->phase <= ISO__PHASE_CATCH_UP ? 1u : 0u;
        players += connection->slot != ISO_SLOT_NONE ? 1u : 0u;
        if (connection->image != UINT8_MAX) {
            users[connection->image] += 1;
        }
    }
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        if (users[i] != session->images[i].users) {
            return false;
        }
    }
    return joiners == session->joiner_count && players == session->player_count;
}

/// A queue's commands are in the order of their sequences, and none was accepted for a later tick than the last one.
static bool sound_queue(const iso__member *member) {
    uint64_t sequence = 0;
    for (uint32_t i = 0; i < member->queue_count; ++i) {
        const iso__queued_command *queued = &member->queue[(member->queue_first + i) % ISO__MEMBER_QUEUE];
        if (queued->sequence <= sequence || queued->sequence > member->last_sequence ||
            queued->target > member->last_target) {
            return false;
        }
        sequence = queued->sequence;
    }
    return true;
}

static bool sound_members(const iso_session *session) {
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        const iso__member *member = &session->members[slot];
        const bool here = member->connection != ISO__NO_CONNECTION && member->state != ISO__MEMBER_FREE;
        const bool is_used = member->state != ISO__MEMBER_FREE || member->is_leave_due;
        if ((is_used && iso__slot_used_from(session, slot) != slot) || !iso__member_is_known(session, member) ||
            member->queue_count > ISO__MEMBER_QUEUE || member->result_count > ISO_STATUS_RESULTS_MAX ||
            member->secret_used > member->secret_newest || !sound_queue(member)) {
            return false;
        }
        if (here &&
            (member->connection >= session->connection_used || session->connections[member->connection].slot != slot)) {
            return false;
        }
    }
    return true;
}

/// The flag is set for exactly the connections in the queue.
static bool sound_due(const iso_session *session) {
    uint32_t queued = 0;
    for (uint32_t i = 0; i < session->connection_used; ++i) {
        queued += session->connections[i].is_due_queued ? 1u : 0u;
    }
    for (uint32_t i = 0; i < session->due_count; ++i) {
        const uint32_t index = session->due[(session->due_first + i) % session->connection_capacity];
        if (index >= session->connection_used || !session->connections[index].is_due_queued) {
            return false;
        }
    }
    return queued == session->due_count;
}

bool iso__session_is_sound(const iso_session *session) {
    ISO_ASSERT(iso__session_fits(session) && iso__session_is_ordered(session));
    return iso__ring_is_ordered(&session->ring) && sound_connections(session) && sound_members(session) &&
           sound_due(session);
}
