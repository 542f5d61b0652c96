/// Messages to one connection: answers, snapshots, replayed ticks, the last message.
#include "send.h"

#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/wipe.h"

#include "end.h"
#include "invariants.h"
#include "moderate.h"
#include "outbox.h"
#include "reading.h"
#include "ring.h"
#include "roster.h"
#include "text.h"

static void send_fill_welcome(iso_session *session, const iso__connection *connection) {
    iso_message_welcome *welcome = &session->message.as.welcome;
    memset(welcome, 0, sizeof *welcome);
    welcome->protocol = ISO_PROTOCOL_VERSION;
    iso__text_copy(welcome->session, sizeof welcome->session, session->config.name);
    memcpy(welcome->uid, session->config.uid, sizeof welcome->uid);
    welcome->epoch = session->config.epoch;
    welcome->hold_ms = session->config.secret != NULL ? session->config.hold_ms : 0;
    welcome->late_policy = session->config.late_policy;
    welcome->state = (uint8_t)iso__reading_get_state(session);
    welcome->resumed = connection->resumed;
    memcpy(welcome->secret, connection->secret, sizeof welcome->secret);
    if (connection->slot != ISO_SLOT_NONE) {
        const iso__member *member = &session->members[connection->slot];
        const bool joins = member->state == ISO__MEMBER_RESERVED;
        welcome->late_policy = member->late_policy;
        welcome->last_sequence = joins ? 0 : member->last_sequence;
        welcome->slot_generation = member->generation + (joins ? 1u : 0u);
    }
    welcome->role = connection->role;
    welcome->slot = connection->slot;
    welcome->tick = session->sealed_tick;
    welcome->tick_rate_hz = (uint16_t)session->rate_hz;
    welcome->limits = (iso_member_limits){
        .commands_per_tick = session->config.commands_per_tick,
        .command_burst = session->config.commands_burst,
        .ahead_ticks_max = session->config.future_ticks_max,
        .late_ticks_max = session->config.late_ticks_max,
        .input_bytes_per_second = session->config.bytes_per_second,
    };
    const uint32_t eight_ticks_ms = (8u * 1000u + session->rate_hz - 1u) / session->rate_hz;
    const uint32_t silence_ms = session->config.client_silence_ms;
    welcome->silence_ms = silence_ms > eight_ticks_ms ? silence_ms : eight_ticks_ms;
    welcome->features = ISO_FEATURE_NOTICES;
    welcome->scene_hash = session->config.scene_hash;
    welcome->fingerprint = session->fingerprint;
    if (session->game != NULL && session->game->control_layout != NULL) {
        iso__text_copy(welcome->control_layout, sizeof welcome->control_layout, session->game->control_layout);
    }
}

static bool send_names(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (!connection->is_names_due) {
        return false;
    }
    connection->is_names_due = false;
    if (session->config.names == NULL) {
        return false;
    }
    session->message.as.names = *session->config.names;
    iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_NAMES);
    return true;
}

static bool send_snapshot(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->phase != ISO__PHASE_CHUNKS) {
        return false;
    }
    const iso__image *image = &session->images[connection->image];
    const uint8_t *bytes = connection->is_packed ? image->packed : image->plain;
    const size_t size = connection->is_packed ? image->packed_size : image->plain_size;
    if (connection->is_begin_due) {
        connection->is_begin_due = false;
        session->message.as.snapshot_begin = (iso_message_snapshot_begin){
            .tick = image->tick,
            .epoch = session->config.epoch,
            .raw_size = (uint32_t)image->plain_size,
            .size = (uint32_t)size,
            .compression = connection->is_packed ? ISO_COMPRESSION_ZSTD : ISO_COMPRESSION_NONE,
            .chunk_count = connection->chunk_count,
            .chunk_size = ISO_SNAPSHOT_CHUNK_SIZE,
            .root = image->root,
        };
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_SNAPSHOT_BEGIN);
        return true;
    }
    if (connection->chunks_sent == connection->chunk_count ||
        connection->chunks_sent - connection->chunks_acked >= ISO_SNAPSHOT_WINDOW) {
        return false;
    }
    const uint32_t index = connection->chunks_sent++;
    const size_t offset = (size_t)index * ISO_SNAPSHOT_CHUNK_SIZE;
    const size_t left = size - offset;
    session->message.as.snapshot_chunk = (iso_message_snapshot_chunk){
        .index = index,
        .bytes = bytes + offset,
        .size = (uint32_t)(left < ISO_SNAPSHOT_CHUNK_SIZE ? left : ISO_SNAPSHOT_CHUNK_SIZE),
    };
    iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_SNAPSHOT_CHUNK);
    return true;
}

/// The ticks since the snapshot, several times as fast as they were sealed, unless the joiner does not read.
static bool send_replay(iso_session *session, iso__connection *connection, iso_session_action *action) {
    const bool may = connection->phase == ISO__PHASE_CATCH_UP && connection->sent_tick < session->sent_tick &&
                     connection->replay_budget > 0 && connection->queued_bytes <= ISO__REPLAY_QUEUED &&
                     connection->sent_tick + 1 >= session->ring.first;
    if (!may) {
        return false;
    }
    connection->replay_budget -= 1;
    connection->sent_tick += 1;
    connection->top_tick = connection->top_tick > connection->sent_tick ? connection->top_tick : connection->sent_tick;
    iso__outbox_fill_tick(session, connection->sent_tick);
    iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_TICK);
    return true;
}

/// The results of the ticks that the peer was sent. @return how many
static uint32_t send_take_results(iso_session *session, iso__member *member, uint64_t sent_tick) {
    uint32_t count = 0;
    while (member->result_count > 0 && member->results[member->result_first].tick <= sent_tick) {
        session->results[count++] = member->results[member->result_first].result;
        member->result_first = (member->result_first + 1u) % ISO_STATUS_RESULTS_MAX;
        member->result_count -= 1;
    }
    return count;
}

static void send_fill_status(iso_session *session, iso__connection *connection) {
    iso_message_status *status = &session->message.as.status;
    *status = (iso_message_status){
        .server_tick = session->sealed_tick,
        .margin_ticks_q8 = INT32_MAX,
        .durable_tick = session->durable_tick,
        .is_degraded = iso_session_is_degraded(session),
    };
    if (connection->slot != ISO_SLOT_NONE) {
        iso__member *member = &session->members[connection->slot];
        status->acked_sequence = member->last_sequence;
        status->margin_ticks_q8 = member->margin_q8;
        status->late_count = member->late_count;
        status->results = session->results;
        status->result_count = send_take_results(session, member, connection->sent_tick);
        member->margin_q8 = INT32_MAX;
    }
}

/// Answers that wait in the connection's own lists.
static bool send_answer(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->reject_sent < connection->reject_count) {
        const iso__reject *reject = &connection->rejects[connection->reject_sent++];
        memset(&session->message.as.reject, 0, sizeof session->message.as.reject);
        session->message.as.reject.sequence = reject->sequence;
        session->message.as.reject.code = reject->code;
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_REJECT);
        return true;
    }
    connection->reject_count = connection->reject_sent = 0;
    if (connection->pong_sent < connection->pong_count) {
        session->message.as.pong = connection->pongs[connection->pong_sent++];
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_PONG);
        return true;
    }
    connection->pong_count = connection->pong_sent = 0;
    if (connection->is_status_due && !connection->is_activation_due) {
        connection->is_status_due = false;
        send_fill_status(session, connection);
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_STATUS);
        return true;
    }
    if (connection->is_state_due) {
        connection->is_state_due = false;
        const bool player = connection->slot != ISO_SLOT_NONE;
        session->message.as.state_notice = (iso_message_state_notice){
            .state = (uint8_t)iso__reading_get_state(session),
            .tick = session->sealed_tick,
            .late_policy = player ? session->members[connection->slot].late_policy : session->config.late_policy,
            .code = connection->state_code,
        };
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_STATE_NOTICE);
        return true;
    }
    return false;
}

static bool send_notice(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (!connection->is_notice_due) {
        return false;
    }
    connection->is_notice_due = false;
    session->message.as.desync_notice = connection->notice;
    iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_DESYNC_NOTICE);
    return true;
}

static bool send_end(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->phase != ISO__PHASE_ENDING) {
        return false;
    }
    if (!connection->has_said_end) {
        connection->has_said_end = true;
        if (connection->is_list_due) {
            iso_session_get_info(session, &session->info);
            session->message.as.session_list = (iso_message_session_list){&session->info, 1};
            iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_SESSION_LIST);
        } else if (connection->has_hello) {
            session->message.as.bye.code = connection->end_status;
            iso__text_copy(session->message.as.bye.text, sizeof session->message.as.bye.text,
                           iso_status_text(connection->end_status));
            iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_BYE);
        } else {
            iso_message_refusal *refusal = &session->message.as.refusal;
            refusal->code = connection->end_status;
            iso__text_copy(refusal->text, sizeof refusal->text, iso_status_text(connection->end_status));
            iso__text_copy(refusal->expected, sizeof refusal->expected, connection->end_expected);
            iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_REFUSAL);
        }
        return true;
    }
    action->kind = ISO_SESSION_ACTION_CLOSE;
    action->connections = &connection->id;
    action->connection_count = 1;
    action->status = connection->end_status;
    iso__connection_forget(session, connection, connection->end_status);
    return true;
}

static bool send_may_activate(const iso_session *session, const iso__connection *connection) {
    return connection->phase == ISO__PHASE_ACTIVE &&
           (connection->role != ISO_ROLE_PLAYER || connection->join_tick <= iso__reading_open_tick(session));
}

bool iso__send_personal(iso_session *session, iso__connection *connection, iso_session_action *action) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    if (connection->is_welcome_due) {
        connection->is_welcome_due = false;
        send_fill_welcome(session, connection);
        iso_wipe(connection->secret, sizeof connection->secret);
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_WELCOME);
        return true;
    }
    if (connection->is_members_due) {
        connection->is_members_due = false;
        iso__roster_send_all(session, connection, action);
        return true;
    }
    if (send_names(session, connection, action)) {
        return true;
    }
    if (connection->is_rewind_due) {
        connection->is_rewind_due = false;
        const uint64_t tick = connection->rewind_tick;
        session->message.as.rewind = (iso_message_rewind){.tick = tick, .epoch = session->config.epoch};
        const bool known = iso__ring_root(&session->ring, tick, &session->message.as.rewind.root);
        ISO_ASSERT(known);
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_REWIND);
        return true;
    }
    if (send_notice(session, connection, action) || iso__moderate_send(session, connection, action) ||
        send_snapshot(session, connection, action) || send_replay(session, connection, action)) {
        return true;
    }
    // A client that gets ACTIVATE can resume: the tick of its JOIN or RESUME is in the recording.
    if (connection->is_activation_due && send_may_activate(session, connection)) {
        connection->is_activation_due = false;
        const uint8_t slot = connection->slot;
        session->message.as.activate = (iso_message_activate){
            slot, slot == ISO_SLOT_NONE ? 0 : session->members[slot].generation, connection->join_tick};
        iso__outbox_send(session, action, &connection->id, 1, ISO_MESSAGE_ACTIVATE);
        return true;
    }
    return send_answer(session, connection, action) || send_end(session, connection, action);
}
