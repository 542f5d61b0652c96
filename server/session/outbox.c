/// The messages that several files send.
#include "outbox.h"

#include "isostep/assert.h"

#include "reading.h"
#include "ring.h"

void iso__outbox_send(iso_session *session, iso_session_action *action, const uint64_t *connections, uint32_t count,
                      iso_message_kind kind) {
    ISO_ASSERT(count > 0 && count <= session->connection_capacity && connections != NULL);
    session->message.kind = (uint8_t)kind;
    action->kind = ISO_SESSION_ACTION_SEND;
    action->connections = connections;
    action->connection_count = count;
    action->message = &session->message;
}

const iso_tick_input *iso__outbox_load_tick(iso_session *session, uint64_t tick) {
    ISO_ASSERT(tick > 0 && tick <= session->sealed_tick);
    if (session->input.tick != tick) {
        const bool is_kept = iso__ring_read(&session->ring, tick, session->changes, session->commands, &session->input);
        ISO_ASSERT(is_kept);
    }
    return &session->input;
}

void iso__outbox_fill_tick(iso_session *session, uint64_t tick) {
    ISO_ASSERT(tick <= iso__reading_open_tick(session));
    uint64_t root;
    const bool is_kept = iso__ring_root(&session->ring, tick, &root);
    ISO_ASSERT(is_kept);
    iso__outbox_load_tick(session, tick);
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
