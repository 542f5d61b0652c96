/// Whether the session's clock runs: paused without players or after a desync, resumed when a player joins; and its
/// end.
#include "run.h"

#include "isostep/assert.h"

#include "clock.h"
#include "end.h"
#include "invariants.h"
#include "note.h"
#include "places.h"

void iso__run_notify(iso_session *session, iso__connection *connection, iso_status code) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->has_hello && connection->phase != ISO__PHASE_ENDING) {
        connection->is_state_due = true;
        connection->state_code = code;
        iso__connection_touch(session, connection);
    }
}

static void run_notify_all(iso_session *session, iso_status code) {
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__run_notify(session, &session->connections[session->open[i]], code);
    }
}

void iso__run_pause(iso_session *session, iso_status code) {
    ISO_ASSERT(code == ISO_OK || code == ISO_ERR_DESYNC);
    if (session->is_paused || session->run != ISO__RUN_OPEN) {
        return;
    }
    session->is_paused = true;
    session->strict_tick = 0;
    session->stats.pauses += 1;
    iso__note(session, ISO_SESSION_LOG_INFO, "paused")->status = code;
    run_notify_all(session, code);
}

void iso__run_wake(iso_session *session) {
    if (!session->is_paused) {
        return;
    }
    ISO_ASSERT(session->strict_tick == 0); // a stopped clock waits for no member
    session->is_paused = false;
    session->stats.wakes += 1;
    session->empty_since_ns = session->now_ns;
    iso__clock_start(session, session->now_ns);
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        session->members[slot].margin_q8 = INT32_MAX; // margins measured against a stopped clock mean nothing
    }
    iso__note(session, ISO_SESSION_LOG_INFO, "continued");
    run_notify_all(session, ISO_OK);
}

void iso__run_drain(iso_session *session, iso_status status) {
    ISO_ASSERT(status == ISO_ERR_SHUTDOWN || status == ISO_ERR_RESTARTING || status == ISO_ERR_SESSION_CLOSED);
    if (session->run != ISO__RUN_OPEN) {
        return;
    }
    session->run = ISO__RUN_DRAINING;
    session->drain_status = status;
    session->shutdown_ns = session->now_ns + session->config.shutdown_timeout_ms * ISO__NS_PER_MS;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__connection_end(session, &session->connections[session->open[i]], status);
    }
    iso__note(session, ISO_SESSION_LOG_INFO, "shutting down")->status = status;
}

uint64_t iso__run_empty_deadline(const iso_session *session) {
    ISO_ASSERT(session->player_count <= session->slot_count);
    const bool empty = session->run == ISO__RUN_OPEN && !session->is_paused && session->player_count == 0 &&
                       session->config.empty_policy != ISO_EMPTY_RUN;
    return empty ? session->empty_since_ns + session->config.empty_ms * ISO__NS_PER_MS : UINT64_MAX;
}

void iso__run_check_empty(iso_session *session) {
    ISO_ASSERT(session->config.empty_policy <= ISO_EMPTY_CLOSE);
    if (session->now_ns < iso__run_empty_deadline(session)) {
        return;
    }
    if (session->config.empty_policy == ISO_EMPTY_PAUSE) {
        iso__run_pause(session, ISO_OK);
    } else {
        iso__run_drain(session, ISO_ERR_SESSION_CLOSED);
    }
}
