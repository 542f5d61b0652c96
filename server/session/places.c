/// The storage of connections: the array, the list of open ones, the table by id, the queue of those that may have
/// something to send. So the cost of an event depends on what it touches, not on the number of connections.
#include "places.h"

#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/wipe.h"

#include "bucket.h"
#include "invariants.h"
#include "note.h"

static uint16_t *place_bucket(iso_session *session, uint64_t id) {
    return &session->buckets[(id * UINT64_C(0x9E3779B97F4A7C15)) >> 53]; // 2^11 buckets
}

iso__connection *iso__connection_find(iso_session *session, uint64_t id) {
    for (uint32_t at = *place_bucket(session, id); at != 0; at = session->connections[at - 1u].next) {
        ISO_ASSERT(at <= session->connection_used);
        if (session->connections[at - 1u].id == id) {
            return &session->connections[at - 1u];
        }
    }
    return NULL;
}

/// @return NULL when the array is full
static iso__connection *place_take(iso_session *session) {
    if (session->connection_free != 0) {
        iso__connection *connection = &session->connections[session->connection_free - 1u];
        session->connection_free = connection->next;
        return connection;
    }
    if (session->connection_used == session->connection_capacity) {
        return NULL;
    }
    iso__connection *connection = &session->connections[session->connection_used++];
    connection->is_due_queued = false;
    return connection;
}

iso__connection *iso__connection_place(iso_session *session, const iso_session_event *opened) {
    ISO_ASSERT(opened->kind == ISO_SESSION_EVENT_OPENED);
    ISO_VALIDATE_ASSERT(iso__connection_find(session, opened->connection) == NULL);
    const uint64_t id = opened->connection;
    iso__connection *connection = place_take(session);
    if (connection == NULL) {
        // More at once than the array can hold for refusals: the host has not taken the actions.
        iso__note(session, ISO_SESSION_LOG_WARN, "a connection beyond the capacity was left unanswered")->connection =
            id;
        return NULL;
    }
    ISO_ASSERT(session->connection_count < session->connection_capacity);
    const uint32_t index = iso__connection_index(session, connection);
    const bool due_queued = connection->is_due_queued; // the connection may still be in the queue
    memset(connection, 0, sizeof *connection);
    connection->is_due_queued = due_queued;
    connection->id = id;
    connection->origin = opened->origin;
    connection->is_origin_full = opened->is_origin_full;
    connection->open_index = session->connection_count;
    session->open[session->connection_count++] = index;
    uint16_t *bucket = place_bucket(session, id);
    connection->next = *bucket;
    *bucket = (uint16_t)(index + 1u);

    connection->slot = ISO_SLOT_NONE;
    connection->image = UINT8_MAX;
    connection->seat = ISO__SEAT_NONE;
    connection->told_first = session->told_count;
    connection->opened_ns = session->now_ns;
    connection->heard_ns = session->now_ns;
    connection->bytes =
        iso__bucket_full(session->now_ns, session->config.bytes_per_second, session->config.bytes_per_second);
    connection->reports = iso__bucket_full(session->now_ns, 1, ISO__REPORTS_BURST);
    connection->answers = iso__bucket_full(session->now_ns, session->rate_hz, ISO__ANSWERS_BURST);
    connection->refused_messages.since_ns = connection->desyncs.since_ns = session->now_ns;
    iso__connection_enter(session, connection, ISO__PHASE_HELLO);
    return connection;
}

void iso__connection_free(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(connection->slot == ISO_SLOT_NONE && connection->image == UINT8_MAX);
    const uint32_t index = iso__connection_index(session, connection);
    iso__connection_enter(session, connection, ISO__PHASE_FREE);
    iso_wipe(connection->secret, sizeof connection->secret); // of one that ended before its WELCOME
    uint16_t *bucket = place_bucket(session, connection->id);
    if (*bucket == index + 1u) {
        *bucket = (uint16_t)connection->next;
    } else {
        iso__connection *before = &session->connections[*bucket - 1u];
        while (before->next != index + 1u) {
            before = &session->connections[before->next - 1u];
        }
        before->next = connection->next;
    }
    const uint32_t last = session->open[--session->connection_count];
    session->open[connection->open_index] = last;
    session->connections[last].open_index = connection->open_index;
    connection->next = session->connection_free;
    session->connection_free = index + 1u;
}

void iso__connection_touch(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_index(session, connection) < session->connection_used);
    if (!connection->is_due_queued) {
        ISO_ASSERT(session->due_count < session->connection_capacity);
        connection->is_due_queued = true;
        const uint32_t end = (session->due_first + session->due_count++) % session->connection_capacity;
        session->due[end] = iso__connection_index(session, connection);
    }
}

static bool place_is_joining(uint8_t phase) {
    return phase >= ISO__PHASE_CLAIM && phase <= ISO__PHASE_CATCH_UP;
}

void iso__connection_enter(iso_session *session, iso__connection *connection, iso__phase phase) {
    ISO_ASSERT(iso__connection_index(session, connection) < session->connection_used && phase <= ISO__PHASE_ENDING);
    session->joiner_count -= place_is_joining(connection->phase) ? 1u : 0u;
    session->joiner_count += place_is_joining((uint8_t)phase) ? 1u : 0u;
    ISO_ASSERT(session->joiner_count <= session->connection_count);
    connection->phase = (uint8_t)phase;
    iso_status status;
    const uint64_t patience = iso__connection_deadline(session, connection, &status);
    session->patience_ns = patience < session->patience_ns ? patience : session->patience_ns;
    iso__connection_touch(session, connection);
}

static uint64_t place_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/// The time from which on a limit has the grace left at least, of which all is needed when the limit is shorter.
static uint64_t place_forgiven(uint64_t since_ns, uint64_t now_ns, uint32_t limit_ms) {
    const uint64_t limit_ns = limit_ms * ISO__NS_PER_MS;
    const uint64_t grace_ns = limit_ns < ISO__STOPPED_GRACE_NS ? limit_ns : ISO__STOPPED_GRACE_NS;
    const uint64_t back_ns = limit_ns - grace_ns;
    return place_later(since_ns, now_ns > back_ns ? now_ns - back_ns : 0);
}

void iso__connection_forgive_all(iso_session *session, uint64_t now_ns) {
    ISO_ASSERT(now_ns >= session->now_ns);
    const iso_session_config *config = &session->config;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__connection *connection = &session->connections[session->open[i]];
        connection->opened_ns = place_forgiven(connection->opened_ns, now_ns, config->hello_timeout_ms);
        connection->heard_ns = place_forgiven(connection->heard_ns, now_ns, config->silence_timeout_ms);
        connection->progress_ns = place_forgiven(connection->progress_ns, now_ns, config->join_timeout_ms);
        connection->too_slow_ns = place_later(connection->too_slow_ns, now_ns + ISO__STOPPED_GRACE_NS);
    }
}

static uint64_t place_earlier(uint64_t deadline, uint64_t candidate, iso_status reason, iso_status *status) {
    if (candidate < deadline) {
        *status = reason;
        return candidate;
    }
    return deadline;
}

uint64_t iso__connection_deadline(const iso_session *session, const iso__connection *connection, iso_status *status) {
    ISO_ASSERT(iso__connection_index(session, connection) < session->connection_used);
    const iso_session_config *config = &session->config;
    const uint64_t silence = connection->heard_ns + config->silence_timeout_ms * ISO__NS_PER_MS;
    const uint64_t progress = connection->progress_ns + config->join_timeout_ms * ISO__NS_PER_MS;
    uint64_t deadline = UINT64_MAX;
    *status = ISO_OK;
    switch (connection->phase) {
    case ISO__PHASE_HELLO:
        return place_earlier(deadline, connection->opened_ns + config->hello_timeout_ms * ISO__NS_PER_MS,
                             ISO_ERR_TIMEOUT, status);
    case ISO__PHASE_CHUNKS:
        deadline = place_earlier(deadline, connection->too_slow_ns, ISO_ERR_TOO_SLOW, status);
        return place_earlier(deadline, progress, ISO_ERR_JOIN_TIMEOUT, status);
    case ISO__PHASE_CLAIM:
    case ISO__PHASE_REWIND:
    case ISO__PHASE_IMAGE:
    case ISO__PHASE_CATCH_UP:
        return place_earlier(deadline, progress, ISO_ERR_JOIN_TIMEOUT, status);
    case ISO__PHASE_ACTIVE:
        return place_earlier(deadline, silence, ISO_ERR_TIMEOUT, status);
    default:
        return deadline;
    }
}
