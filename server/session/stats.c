/// Counters, and why connections ended.
#include "stats.h"

#include "isostep/assert.h"

#include "invariants.h"

#define STATS_CASE(name, status) \
    case status:                 \
        return &stats->name;

static uint64_t *stats_of_refusal(iso_session_stats *stats, iso_status status) {
    switch (status) {
        ISO_SESSION_REFUSED_LIST(STATS_CASE)
    case ISO_ERR_SHUTDOWN:
    case ISO_ERR_RESTARTING:
    case ISO_ERR_SESSION_CLOSED:
        return &stats->refused_shutdown;
    default:
        return &stats->refused_form;
    }
}

static uint64_t *stats_of_end(iso_session_stats *stats, iso_status status) {
    switch (status) {
        ISO_SESSION_ENDED_LIST(STATS_CASE)
    case ISO_ERR_KICKED:
    case ISO_ERR_BANNED:
        return &stats->ended_kicked;
    case ISO_ERR_SHUTDOWN:
    case ISO_ERR_RESTARTING:
    case ISO_ERR_SESSION_CLOSED:
        return &stats->ended_shutdown;
    default:
        return &stats->ended_by_peer;
    }
}

#undef STATS_CASE

void iso__stats_end(iso_session *session, const iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    iso_session_stats *stats = &session->stats;
    if (connection->is_list_due) {
        stats->lists += 1;
    } else if (connection->has_hello) {
        *stats_of_end(stats, status) += 1;
    } else {
        *stats_of_refusal(stats, status) += 1;
    }
}

void iso__stats_reject(iso_session *session, iso_status code) {
    ISO_ASSERT(code != ISO_OK);
    iso_session_stats *stats = &session->stats;
    stats->commands_rejected += 1;
    switch (code) {
    case ISO_ERR_ROLE:
        stats->rejected_role += 1;
        return;
    case ISO_ERR_TICK_FUTURE:
        stats->rejected_future += 1;
        return;
    case ISO_ERR_REPLAY:
        stats->rejected_replay += 1;
        return;
    case ISO_ERR_RATE:
        stats->rejected_rate += 1;
        return;
    default:
        stats->rejected_late += 1;
        return;
    }
}

void iso_session_get_stats(const iso_session *session, iso_session_stats *stats) {
    *stats = session->stats;
    stats->tick = session->sealed_tick;
    stats->written_tick = session->sent_tick;
    stats->durable_tick = session->durable_tick;
    stats->connections = session->connection_count;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        const iso__connection *connection = &session->connections[session->open[i]];
        const bool seated = connection->is_activated && connection->phase != ISO__PHASE_ENDING;
        stats->members += seated && connection->role == ISO_ROLE_PLAYER ? 1u : 0u;
        stats->spectators += seated && connection->role == ISO_ROLE_SPECTATOR ? 1u : 0u;
    }
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        const uint8_t state = session->members[slot].state;
        stats->held += state == ISO__MEMBER_DROPPING || state == ISO__MEMBER_HELD ? 1u : 0u;
    }
    ISO_ASSERT(stats->members + stats->held <= session->slot_count);
}
