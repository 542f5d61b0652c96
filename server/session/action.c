/// What the host has to do next, derived from the session's state.
///
/// The order: snapshots to compress, the recording, ticks for all, what is personal, the log, the end. A
/// connection's last message comes after everything else for it, then CLOSE.
#include "state.h"

uint64_t iso__session_open_tick(const iso_session *session) {
    return session->recording ? session->written_tick : session->sealed_tick;
}

static bool action_encode(iso_session *session, iso_session_action *action) {
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        if (image->state != ISO__IMAGE_TAKEN) {
            continue;
        }
        image->state = ISO__IMAGE_ENCODING;
        action->kind = ISO_SESSION_ACTION_ENCODE_SNAPSHOT;
        action->tick = image->tick;
        action->root = image->root;
        action->bytes = image->plain;
        action->byte_count = image->plain_size;
        return true;
    }
    return false;
}

/// The oldest image that is meant for the recording, ready or not: keyframes are recorded in order.
static iso__image *action_find_keyframe(iso_session *session) {
    iso__image *oldest = NULL;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        if (image->keyframe && (oldest == NULL || image->tick < oldest->tick)) {
            oldest = image;
        }
    }
    return oldest;
}

static bool action_keyframe(iso_session *session, iso_session_action *action) {
    iso__image *image = action_find_keyframe(session);
    if (image == NULL || image->state != ISO__IMAGE_READY ||
        (session->record_open && image->tick > session->recorded_tick)) {
        return false;
    }
    image->keyframe = false;
    if (session->record_open && session->recorded_tick - image->tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
        iso__note(session, ISO_SESSION_LOG_WARN, "a keyframe came too late and is left out");
        return action_keyframe(session, action);
    }
    session->record_open = true;
    action->kind = ISO_SESSION_ACTION_RECORD_KEYFRAME;
    action->tick = image->tick;
    action->root = image->root;
    action->bytes = image->packed;
    action->byte_count = image->packed_size;
    action->plain_size = image->plain_size;
    return true;
}

static bool action_record(iso_session *session, iso_session_action *action) {
    if (!session->recording || session->run >= ISO__RUN_SEALING) {
        return false;
    }
    if (action_keyframe(session, action)) {
        return true;
    }
    if (!session->record_open) {
        return false;
    }
    if (session->recorded_tick < session->sealed_tick) {
        const uint64_t tick = ++session->recorded_tick;
        const bool kept = iso__ring_read(&session->ring, tick, session->changes, session->commands, &session->input) &&
                          iso__ring_root(&session->ring, tick, &action->root);
        ISO__SESSION_ASSERT(kept);
        action->kind = ISO_SESSION_ACTION_RECORD_TICK;
        action->tick = tick;
        action->input = &session->input;
        return true;
    }
    if (session->event_count > 0) {
        session->event = session->events[session->event_first];
        session->event_first = (session->event_first + 1u) % ISO__EVENTS_MAX;
        session->event_count -= 1;
        action->kind = ISO_SESSION_ACTION_RECORD_EVENT;
        action->event = &session->event;
        return true;
    }
    return false;
}

static void action_send(iso_session *session, iso_session_action *action, const uint64_t *connections, uint32_t count,
                        iso_message_kind kind) {
    session->message.kind = (uint8_t)kind;
    action->kind = ISO_SESSION_ACTION_SEND;
    action->connections = connections;
    action->connection_count = count;
    action->message = &session->message;
}

static void action_fill_tick(iso_session *session, uint64_t tick) {
    uint64_t root;
    const bool kept = iso__ring_read(&session->ring, tick, session->changes, session->commands, &session->input) &&
                      iso__ring_root(&session->ring, tick, &root);
    ISO__SESSION_ASSERT(kept);
    session->message.as.tick = (iso_message_tick){
        .epoch = session->config.epoch,
        .tick = tick,
        .changes = session->input.changes,
        .change_count = session->input.change_count,
        .commands = session->input.commands,
        .command_count = session->input.command_count,
        .hashed_tick = tick,
        .root = root,
    };
}

/// The next tick for all who have the one before it.
static bool action_broadcast(iso_session *session, iso_session_action *action) {
    while (session->sent_tick < iso__session_open_tick(session)) {
        const uint64_t tick = session->sent_tick + 1;
        uint32_t count = 0;
        for (uint32_t i = 0; i < session->connection_capacity; ++i) {
            iso__connection *connection = &session->connections[i];
            const bool receiving = connection->phase == ISO__PHASE_ACTIVE || connection->phase == ISO__PHASE_CATCH_UP;
            if (receiving && connection->sent_tick + 1 == tick) {
                connection->sent_tick = tick;
                session->recipients[count++] = connection->id;
            }
        }
        session->sent_tick = tick;
        if (count > 0) {
            action_fill_tick(session, tick);
            action_send(session, action, session->recipients, count, ISO_MESSAGE_TICK);
            return true;
        }
    }
    return false;
}

static void action_fill_welcome(iso_session *session, const iso__connection *connection) {
    iso_message_welcome *welcome = &session->message.as.welcome;
    memset(welcome, 0, sizeof *welcome);
    welcome->protocol = ISO_PROTOCOL_VERSION;
    iso__text_copy(welcome->session, sizeof welcome->session, session->config.name);
    memcpy(welcome->uid, session->config.uid, sizeof welcome->uid);
    welcome->epoch = session->config.epoch;
    welcome->late_policy = session->config.late_policy;
    welcome->state = ISO_SESSION_RUNNING;
    welcome->resumed = ISO_RESUMED_NEW;
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
    welcome->scene_hash = session->config.scene_hash;
    welcome->fingerprint = session->fingerprint;
    if (session->game != NULL && session->game->control_layout != NULL) {
        iso__text_copy(welcome->control_layout, sizeof welcome->control_layout, session->game->control_layout);
    }
}

static bool action_snapshot(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->phase != ISO__PHASE_CHUNKS) {
        return false;
    }
    const iso__image *image = &session->images[connection->image];
    const uint8_t *bytes = connection->packed ? image->packed : image->plain;
    const size_t size = connection->packed ? image->packed_size : image->plain_size;
    if (connection->begin_due) {
        connection->begin_due = false;
        session->message.as.snapshot_begin = (iso_message_snapshot_begin){
            .tick = image->tick,
            .epoch = session->config.epoch,
            .raw_size = (uint32_t)image->plain_size,
            .size = (uint32_t)size,
            .compression = connection->packed ? ISO_COMPRESSION_ZSTD : ISO_COMPRESSION_NONE,
            .chunk_count = connection->chunk_count,
            .chunk_size = ISO_SNAPSHOT_CHUNK_SIZE,
            .root = image->root,
        };
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_SNAPSHOT_BEGIN);
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
    action_send(session, action, &connection->id, 1, ISO_MESSAGE_SNAPSHOT_CHUNK);
    return true;
}

/// The ticks since the snapshot, several times as fast as they were sealed, unless the joiner does not read.
static bool action_replay(iso_session *session, iso__connection *connection, iso_session_action *action) {
    const bool may = connection->phase == ISO__PHASE_CATCH_UP && connection->sent_tick < session->sent_tick &&
                     connection->replay_budget > 0 && connection->queued_bytes <= ISO__REPLAY_QUEUED &&
                     connection->sent_tick + 1 >= session->ring.first;
    if (!may) {
        return false;
    }
    connection->replay_budget -= 1;
    connection->sent_tick += 1;
    action_fill_tick(session, connection->sent_tick);
    action_send(session, action, &connection->id, 1, ISO_MESSAGE_TICK);
    return true;
}

static void action_fill_status(iso_session *session, iso__connection *connection) {
    iso_message_status *status = &session->message.as.status;
    *status = (iso_message_status){
        .server_tick = session->sealed_tick, .margin_ticks_q8 = INT32_MAX, .durable_tick = session->durable_tick};
    if (connection->slot != ISO_SLOT_NONE) {
        iso__member *member = &session->members[connection->slot];
        status->acked_sequence = member->last_sequence;
        status->margin_ticks_q8 = member->margin_q8;
        status->late_count = member->late_count;
        member->margin_q8 = INT32_MAX;
    }
}

/// Answers that wait in the connection's own lists.
static bool action_answer(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->reject_sent < connection->reject_count) {
        const iso__reject *reject = &connection->rejects[connection->reject_sent++];
        memset(&session->message.as.reject, 0, sizeof session->message.as.reject);
        session->message.as.reject.sequence = reject->sequence;
        session->message.as.reject.code = reject->code;
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_REJECT);
        return true;
    }
    connection->reject_count = connection->reject_sent = 0;
    if (connection->pong_sent < connection->pong_count) {
        session->message.as.pong = connection->pongs[connection->pong_sent++];
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_PONG);
        return true;
    }
    connection->pong_count = connection->pong_sent = 0;
    if (connection->status_due) {
        connection->status_due = false;
        action_fill_status(session, connection);
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_STATUS);
        return true;
    }
    if (connection->notice_due) {
        connection->notice_due = false;
        session->message.as.desync_notice = connection->notice;
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_DESYNC_NOTICE);
        return true;
    }
    return false;
}

static bool action_end(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->phase != ISO__PHASE_ENDING) {
        return false;
    }
    if (!connection->end_said) {
        connection->end_said = true;
        if (connection->hello_seen) {
            session->message.as.bye.code = connection->end_status;
            iso__text_copy(session->message.as.bye.text, sizeof session->message.as.bye.text,
                           iso_status_text(connection->end_status));
            action_send(session, action, &connection->id, 1, ISO_MESSAGE_BYE);
        } else {
            iso_message_refusal *refusal = &session->message.as.refusal;
            refusal->code = connection->end_status;
            iso__text_copy(refusal->text, sizeof refusal->text, iso_status_text(connection->end_status));
            iso__text_copy(refusal->expected, sizeof refusal->expected, connection->end_expected);
            action_send(session, action, &connection->id, 1, ISO_MESSAGE_REFUSAL);
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

static bool action_personal(iso_session *session, iso__connection *connection, iso_session_action *action) {
    if (connection->welcome_due) {
        connection->welcome_due = false;
        action_fill_welcome(session, connection);
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_WELCOME);
        return true;
    }
    if (action_snapshot(session, connection, action) || action_replay(session, connection, action)) {
        return true;
    }
    if (connection->activate_due) {
        connection->activate_due = false;
        const uint8_t slot = connection->slot;
        session->message.as.activate = (iso_message_activate){
            slot, slot == ISO_SLOT_NONE ? 0 : session->members[slot].generation, connection->join_tick};
        action_send(session, action, &connection->id, 1, ISO_MESSAGE_ACTIVATE);
        return true;
    }
    return action_answer(session, connection, action) || action_end(session, connection, action);
}

/// Goodbyes said, the recording is sealed; when that is done, too, the session is closed.
static bool action_shutdown(iso_session *session, iso_session_action *action) {
    if (session->run == ISO__RUN_DRAINING && session->connection_count == 0) {
        bool keyframe_due = !session->record_open;
        for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
            keyframe_due = keyframe_due || session->images[i].keyframe;
        }
        if (!session->recording) {
            session->run = ISO__RUN_CLOSING;
        } else if (!keyframe_due) {
            const bool known = iso__ring_root(&session->ring, session->sealed_tick, &action->root);
            ISO__SESSION_ASSERT(known);
            session->run = ISO__RUN_SEALING;
            action->kind = ISO_SESSION_ACTION_RECORD_SEAL;
            action->tick = session->sealed_tick;
            return true;
        }
    }
    if (session->run == ISO__RUN_CLOSING) {
        session->run = ISO__RUN_CLOSED;
        action->kind = ISO_SESSION_ACTION_CLOSED;
        return true;
    }
    return false;
}

bool iso_session_next_action(iso_session *session, iso_session_action *action) {
    *action = (iso_session_action){0};
    if (session->run == ISO__RUN_CLOSED) {
        return false;
    }
    if (action_encode(session, action) || action_record(session, action) || action_broadcast(session, action)) {
        return true;
    }
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        iso__connection *connection = &session->connections[i];
        if (connection->phase != ISO__PHASE_FREE && action_personal(session, connection, action)) {
            return true;
        }
    }
    if (session->note_count > 0) {
        session->note = session->notes[session->note_first];
        session->note_first = (session->note_first + 1u) % ISO__NOTES_MAX;
        session->note_count -= 1;
        action->kind = ISO_SESSION_ACTION_LOG;
        action->note = &session->note;
        return true;
    }
    return action_shutdown(session, action);
}
