/// Peers: how they connect, and which messages they may send.
#include "connection.h"

#include "isostep/assert.h"

#include "bucket.h"
#include "clock.h"
#include "confirm.h"
#include "end.h"
#include "inbox.h"
#include "invariants.h"
#include "join.h"
#include "places.h"
#include "resume.h"

void iso__connection_open(iso_session *session, const iso_session_event *opened) {
    ISO_ASSERT(opened->kind == ISO_SESSION_EVENT_OPENED);
    iso__connection *connection = iso__connection_place(session, opened);
    if (connection == NULL) {
        return;
    }
    if (session->run != ISO__RUN_OPEN) {
        const bool restarts = session->drain_status == ISO_ERR_RESTARTING;
        iso__connection_end(session, connection, restarts ? ISO_ERR_RESTARTING : ISO_ERR_SHUTDOWN);
    } else if (session->connection_count > session->config.connection_capacity) {
        iso__connection_end(session, connection, ISO_ERR_SERVER_FULL);
    }
}

static void connection_ping(iso_session *session, iso__connection *connection, const iso_message_ping *ping) {
    if (connection->pong_count == ISO__PONGS_MAX) {
        return;
    }
    uint64_t fraction;
    const uint64_t tick = iso__clock_tick(session, &fraction);
    connection->pongs[connection->pong_count++] =
        (iso_message_pong){ping->id, ping->client_time_ns, tick, (uint8_t)fraction};
}

static void connection_dispatch(iso_session *session, iso__connection *connection, const iso_message *message) {
    switch (message->kind) {
    case ISO_MESSAGE_INPUT:
        iso__inbox_input(session, connection, &message->as.input);
        return;
    case ISO_MESSAGE_PING:
        connection_ping(session, connection, &message->as.ping);
        return;
    case ISO_MESSAGE_CONFIRM:
        iso__confirm(session, connection, &message->as.confirm);
        return;
    case ISO_MESSAGE_SNAPSHOT_ACK:
        iso__join_ack(session, connection, message->as.snapshot_ack.index);
        return;
    case ISO_MESSAGE_CAUGHT_UP:
        iso__join_caught_up(session, connection, &message->as.caught_up);
        return;
    case ISO_MESSAGE_REWIND_ANSWER:
        iso__resume_rewind_answer(session, connection, message->as.rewind_answer.is_restored);
        return;
    case ISO_MESSAGE_LEAVE:
        iso__connection_end(session, connection, ISO_OK);
        return;
    case ISO_MESSAGE_DESYNC_REPORT:
        iso__confirm_report(session, connection, &message->as.desync_report);
        return;
    default:
        // A second HELLO, or a message that only servers send.
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
}

/// The first message: HELLO, or a request for the list of sessions.
static void connection_greet(iso_session *session, iso__connection *connection, const iso_message *message) {
    if (message->kind == ISO_MESSAGE_HELLO) {
        iso__join_hello(session, connection, &message->as.hello);
    } else if (message->kind == ISO_MESSAGE_LIST) {
        connection->is_list_due = true;
        iso__connection_end(session, connection, ISO_OK);
    } else {
        iso__connection_end(session, connection, ISO_ERR_STATE);
    }
}

void iso__connection_message(iso_session *session, iso__connection *connection, const iso_message *message,
                             uint32_t size) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    connection->heard_ns = session->now_ns;
    const uint32_t per_second = session->config.bytes_per_second;
    if (!iso__bucket_take(&connection->bytes, session->now_ns, per_second, per_second, size)) {
        iso__connection_end(session, connection, ISO_ERR_RATE);
    } else if (connection->phase == ISO__PHASE_HELLO) {
        connection_greet(session, connection, message);
    } else if (connection->phase == ISO__PHASE_CLAIM) {
        iso__connection_end(session, connection, ISO_ERR_STATE); // before WELCOME no other message is allowed
    } else {
        iso__resume_prove(session, connection);
        connection_dispatch(session, connection, message);
    }
}

void iso__connection_bad_frame(iso_session *session, iso__connection *connection, iso_status status) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    // The stream continues after a message that was complete but not acceptable.
    const bool whole = status == ISO_ERR_UNSUPPORTED || status == ISO_ERR_RANGE || status == ISO_ERR_BAD_ENUM ||
                       status == ISO_ERR_GEOMETRY;
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    if (whole && connection->has_hello) {
        iso__connection_reject(session, connection, 0, status);
    } else {
        iso__connection_end(session, connection, status);
    }
}
