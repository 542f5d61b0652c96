/// Peers: who is connected, what each may say, and how long the session's patience lasts.
#include "state.h"

iso__connection *iso__connection_find(iso_session *session, uint64_t id) {
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        iso__connection *connection = &session->connections[i];
        if (connection->phase != ISO__PHASE_FREE && connection->id == id) {
            return connection;
        }
    }
    return NULL;
}

void iso__connection_open(iso_session *session, uint64_t id) {
    iso__connection *connection = NULL;
    for (uint32_t i = 0; i < session->connection_capacity && connection == NULL; ++i) {
        if (session->connections[i].phase == ISO__PHASE_FREE) {
            connection = &session->connections[i];
        }
    }
    if (connection == NULL) {
        // More at once than there are places for refusals: the host has not taken the actions.
        iso__note(session, ISO_SESSION_LOG_WARN, "a connection beyond the capacity was left unanswered")->connection =
            id;
        return;
    }
    memset(connection, 0, sizeof *connection);
    connection->id = id;
    connection->phase = ISO__PHASE_HELLO;
    connection->slot = ISO_SLOT_NONE;
    connection->image = UINT8_MAX;
    connection->opened_ns = session->now_ns;
    connection->heard_ns = session->now_ns;
    connection->bytes =
        iso__bucket_full(session->now_ns, session->config.bytes_per_second, session->config.bytes_per_second);
    connection->answers = iso__bucket_full(session->now_ns, session->rate_hz, ISO__ANSWERS_BURST);
    connection->strikes_ns = session->now_ns;
    session->connection_count += 1;
    if (session->run != ISO__RUN_OPEN) {
        iso__connection_end(session, connection, ISO_ERR_SHUTDOWN);
    } else if (session->connection_count > session->config.connection_capacity) {
        iso__connection_end(session, connection, ISO_ERR_SERVER_FULL);
    }
}

/// Gives back what the connection holds: its place in the world, its share in an image.
static void connection_release(iso_session *session, iso__connection *connection, iso_status status) {
    const bool waits = connection->phase == ISO__PHASE_IMAGE || connection->phase == ISO__PHASE_CHUNKS;
    if (waits && connection->image != UINT8_MAX) {
        session->images[connection->image].users -= 1;
        connection->image = UINT8_MAX;
    }
    if (connection->slot == ISO_SLOT_NONE) {
        return;
    }
    iso__member *member = &session->members[connection->slot];
    if (member->state == ISO__MEMBER_ACTIVE) {
        member->state = ISO__MEMBER_LEAVING;
    } else if (member->state == ISO__MEMBER_JOINING) {
        // Its JOIN is in no tick, so the world has not heard of it.
        member->state = ISO__MEMBER_FREE;
        member->generation -= 1;
    } else {
        member->state = ISO__MEMBER_FREE;
    }
    member->left_status = status;
    member->connection = UINT32_MAX;
    iso__inbox_reset(session, member);
    connection->slot = ISO_SLOT_NONE;
}

void iso__connection_end(iso_session *session, iso__connection *connection, iso_status status) {
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    const bool expected = status == ISO_OK || status == ISO_ERR_SHUTDOWN;
    iso__note_about(session, expected ? ISO_SESSION_LOG_INFO : ISO_SESSION_LOG_WARN,
                    connection->hello_seen ? "a member is ended" : "a connection is refused", connection, status);
    connection_release(session, connection, status);
    connection->phase = ISO__PHASE_ENDING;
    connection->end_status = status;
    connection->welcome_due = connection->begin_due = connection->activate_due = connection->status_due = false;
}

void iso__connection_forget(iso_session *session, iso__connection *connection, iso_status status) {
    if (connection->phase != ISO__PHASE_ENDING) {
        iso__note_about(session, ISO_SESSION_LOG_INFO, "a connection is gone", connection, status);
        connection_release(session, connection, status);
    }
    connection->phase = ISO__PHASE_FREE;
    session->connection_count -= 1;
}

void iso__connection_reject(iso_session *session, iso__connection *connection, uint64_t sequence, iso_status code) {
    if (sequence == 0) {
        if (session->now_ns - connection->strikes_ns > ISO__STRIKES_NS) {
            connection->strikes = 0;
            connection->strikes_ns = session->now_ns;
        }
        connection->strikes += 1;
    }
    // A refusal costs us an answer.
    const bool patient =
        connection->reject_count < ISO__REJECTS_MAX && connection->strikes < ISO__STRIKES_MAX &&
        iso__bucket_take(&connection->answers, session->now_ns, session->rate_hz, ISO__ANSWERS_BURST, 1);
    if (!patient) {
        iso__connection_end(session, connection, code);
        return;
    }
    connection->rejects[connection->reject_count++] = (iso__reject){sequence, code};
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
    case ISO_MESSAGE_LEAVE:
        iso__connection_end(session, connection, ISO_OK);
        return;
    case ISO_MESSAGE_DESYNC_REPORT:
        iso__confirm_report(session, connection, &message->as.desync_report);
        return;
    default:
        // A second HELLO, or what only a server says.
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
}

void iso__connection_message(iso_session *session, iso__connection *connection, const iso_message *message,
                             uint32_t size) {
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    connection->heard_ns = session->now_ns;
    const uint32_t per_second = session->config.bytes_per_second;
    if (!iso__bucket_take(&connection->bytes, session->now_ns, per_second, per_second, size)) {
        iso__connection_end(session, connection, ISO_ERR_RATE);
        return;
    }
    const bool greeting = message->kind == ISO_MESSAGE_HELLO;
    if (connection->phase == ISO__PHASE_HELLO && greeting) {
        iso__join_hello(session, connection, &message->as.hello);
    } else if (connection->phase == ISO__PHASE_HELLO) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
    } else {
        connection_dispatch(session, connection, message);
    }
}

void iso__connection_bad_frame(iso_session *session, iso__connection *connection, iso_status status) {
    // The stream goes on after a message that was whole, only not acceptable.
    const bool whole = status == ISO_ERR_UNSUPPORTED || status == ISO_ERR_RANGE || status == ISO_ERR_BAD_ENUM ||
                       status == ISO_ERR_GEOMETRY;
    if (connection->phase == ISO__PHASE_ENDING) {
        return;
    }
    if (whole && connection->hello_seen) {
        iso__connection_reject(session, connection, 0, status);
    } else {
        iso__connection_end(session, connection, status);
    }
}

static uint64_t connection_earlier(uint64_t deadline, uint64_t candidate, iso_status reason, iso_status *status) {
    if (candidate < deadline) {
        *status = reason;
        return candidate;
    }
    return deadline;
}

uint64_t iso__connection_deadline(const iso_session *session, const iso__connection *connection, iso_status *status) {
    const iso_session_config *config = &session->config;
    uint64_t deadline = UINT64_MAX;
    *status = ISO_OK;
    switch (connection->phase) {
    case ISO__PHASE_HELLO:
        return connection_earlier(deadline, connection->opened_ns + config->hello_timeout_ms * ISO__NS_PER_MS,
                                  ISO_ERR_TIMEOUT, status);
    case ISO__PHASE_IMAGE:
        return connection_earlier(deadline, connection->progress_ns + config->join_timeout_ms * ISO__NS_PER_MS,
                                  ISO_ERR_JOIN_TIMEOUT, status);
    case ISO__PHASE_CHUNKS:
    case ISO__PHASE_CATCH_UP:
        deadline = connection_earlier(deadline, connection->progress_ns + config->join_timeout_ms * ISO__NS_PER_MS,
                                      ISO_ERR_JOIN_TIMEOUT, status);
        return connection_earlier(deadline, connection->too_slow_ns, ISO_ERR_TOO_SLOW, status);
    case ISO__PHASE_ACTIVE:
        return connection_earlier(deadline, connection->heard_ns + config->silence_timeout_ms * ISO__NS_PER_MS,
                                  ISO_ERR_TIMEOUT, status);
    default:
        return deadline;
    }
}

void iso__connection_check(iso_session *session, iso__connection *connection) {
    iso_status status;
    if (iso__connection_deadline(session, connection, &status) <= session->now_ns) {
        iso__connection_end(session, connection, status);
        return;
    }
    const bool receiving = connection->phase == ISO__PHASE_ACTIVE || connection->phase == ISO__PHASE_CATCH_UP;
    const bool behind = connection->phase == ISO__PHASE_ACTIVE &&
                        connection->sent_tick > connection->acked_tick + session->config.unacked_ticks_max;
    if (behind || (receiving && connection->queued_bytes > session->config.queued_bytes_max)) {
        iso__connection_end(session, connection, ISO_ERR_SLOW_CONSUMER);
    }
}
