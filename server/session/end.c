/// How peers end: refused, ended with a reason, gone. Also their limits.
#include "end.h"

#include "isostep/assert.h"

#include "bucket.h"
#include "invariants.h"
#include "member.h"
#include "note.h"
#include "places.h"
#include "roster.h"
#include "stats.h"

/// Releases what the connection holds: its slot or seat, its use of an image.
static void end_release(iso_session *session, iso__connection *connection, iso_status status) {
    if (connection->image != UINT8_MAX) {
        ISO_ASSERT(connection->image < ISO__IMAGES && session->images[connection->image].users > 0);
        session->images[connection->image].users -= 1;
        connection->image = UINT8_MAX;
    }
    if (connection->has_hello && connection->role == ISO_ROLE_SPECTATOR) {
        session->spectator_count -= 1;
        iso__roster_rise(session, connection);
    }
    if (connection->slot != ISO_SLOT_NONE) {
        iso__member_lose(session, connection, status);
        connection->slot = ISO_SLOT_NONE;
        session->player_count -= 1;
        session->empty_since_ns = session->now_ns;
    }
}

void iso__connection_end(iso_session *session, iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    const bool expected = status == ISO_OK || status == ISO_ERR_SHUTDOWN || status == ISO_ERR_RESTARTING ||
                          status == ISO_ERR_SESSION_CLOSED;
    // A member has left when the tick with its LEAVE is sealed; that is logged then.
    const char *text = connection->has_hello     ? (status == ISO_OK ? "leaves" : "disconnected")
                       : connection->is_list_due ? "asked for the list of sessions"
                                                 : "a connection is refused";
    iso__note_about(session, expected ? ISO_SESSION_LOG_INFO : ISO_SESSION_LOG_WARN, text, connection, status);
    iso__stats_end(session, connection, status);
    end_release(session, connection, status);
    connection->end_status = status;
    connection->is_welcome_due = connection->is_members_due = connection->is_rewind_due = connection->is_begin_due =
        false;
    connection->is_activation_due = connection->is_status_due = connection->is_state_due = false;
    connection->is_names_due = false;
    iso__connection_enter(session, connection, ISO__PHASE_ENDING);
}

void iso__connection_forget(iso_session *session, iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->phase != ISO__PHASE_ENDING) {
        iso__note_about(session, ISO_SESSION_LOG_INFO, "connection ended", connection, status);
        session->stats.ended_by_peer += 1;
        end_release(session, connection, status);
    }
    iso__connection_free(session, connection);
}

void iso__connection_reject(iso_session *session, iso__connection *connection, uint64_t sequence, iso_status code) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && code != ISO_OK);
    ISO_ASSERT(connection->reject_sent <= connection->reject_count);
    if (sequence == 0) {
        session->stats.rejected_messages += 1;
    }
    // A refusal also costs the session an answer.
    const bool patient =
        (sequence != 0 || iso__strikes_add(&connection->refused_messages, session->now_ns)) &&
        connection->reject_count < ISO__REJECTS_MAX &&
        iso__bucket_take(&connection->answers, session->now_ns, session->rate_hz, ISO__ANSWERS_BURST, 1);
    if (!patient) {
        session->stats.ended_rejects += 1;
        iso__connection_end(session, connection, code);
        return;
    }
    connection->rejects[connection->reject_count++] = (iso__reject){sequence, code};
}

void iso__connection_check(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    iso_status status;
    if (iso__connection_deadline(session, connection, &status) <= session->now_ns) {
        iso__connection_end(session, connection, status);
        return;
    }
    const bool catching_up = connection->phase == ISO__PHASE_CATCH_UP;
    const bool active = connection->phase == ISO__PHASE_ACTIVE;
    if (catching_up && session->sealed_tick >= connection->too_slow_tick) {
        iso__connection_end(session, connection, ISO_ERR_TOO_SLOW);
        return;
    }
    const bool behind = active && connection->sent_tick > connection->acked_tick + session->config.unacked_ticks_max;
    if (behind || ((active || catching_up) && connection->queued_bytes > session->config.queued_bytes_max)) {
        iso__connection_end(session, connection, ISO_ERR_SLOW_CONSUMER);
    }
}

void iso__connection_check_all(iso_session *session) {
    ISO_ASSERT(iso__session_fits(session));
    session->patience_ns = UINT64_MAX;
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        iso__connection *connection = &session->connections[session->open[i]];
        iso__connection_check(session, connection);
        iso_status status;
        const uint64_t patience = iso__connection_deadline(session, connection, &status);
        session->patience_ns = patience < session->patience_ns ? patience : session->patience_ns;
    }
}
