/// The session's actions: messages are encoded here, once, and sent as shared buffers.
#include "host/sessions/worker_actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/sessions/record_actions.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

void iso__worker_flush(iso__worker *worker) {
    ISO__ASSERT_ON(&worker->affinity);
    ISO_ASSERT(worker->out_count <= ISO__OUTBOUND_BATCH);
    size_t pushed = iso__queue_push_some(&worker->outbound, worker->out, worker->out_count);
    if (worker->out_count > 0) {
        uv_async_send(worker->outbound_filled);
    }
    // Woken before waiting as well: the room has to be made by the I/O thread.
    for (; pushed < worker->out_count; ++pushed) {
        iso__queue_push_wait(&worker->outbound, &worker->out[pushed]);
        uv_async_send(worker->outbound_filled);
    }
    worker->out_count = 0;
}

void iso__worker_push_outbound(iso__worker *worker, const iso__outbound *item) {
    ISO__ASSERT_ON(&worker->affinity);
    ISO_ASSERT(worker->out_count <= ISO__OUTBOUND_BATCH);
    if (worker->out_count == ISO__OUTBOUND_BATCH) {
        iso__worker_flush(worker);
    }
    worker->out[worker->out_count++] = *item;
}

/// Encodes a message with its size in front. @return NULL when memory is short.
static iso__buffer *encode(iso__worker *worker, const iso_message *message) {
    size_t size = 0;
    iso_status status = iso_message_encode(message, worker->encode_memory, ISO_ENCODE_MEMORY_SIZE, worker->encode_bytes,
                                           ISO_FRAME_MAX_SERVER, &size);
    if (status != ISO_OK) {
        // The session created a message that the protocol cannot carry: to continue would leave peers with a gap.
        iso__log_error("internal error: %s cannot be encoded: %s", iso_message_kind_name(message->kind),
                       iso_status_text(status));
        abort();
    }
    iso__buffer *buffer = iso__buffer_create(ISO_FRAME_HEADER_SIZE_MAX + size);
    if (buffer == NULL) {
        return NULL;
    }
    size_t header_size = iso_frame_header_write(buffer->bytes, (uint32_t)size);
    memcpy(buffer->bytes + header_size, worker->encode_bytes, size);
    buffer->size = header_size + size;
    buffer->is_secret = message->kind == ISO_MESSAGE_WELCOME;
    if (buffer->is_secret) {
        explicit_bzero(worker->encode_bytes, size);
    }
    return buffer;
}

/// Without memory the message would be missing in the peers' streams, so these connections are ended.
static void give_up(iso__worker *worker, const iso_session_action *action) {
    iso__log_error("out of memory: %u connection%s ended", action->connection_count,
                   action->connection_count == 1 ? " is" : "s are");
    iso__counters_add(worker->counters, ISO__COUNTER_NO_MEMORY, action->connection_count);
    for (uint32_t i = 0; i < action->connection_count; ++i) {
        iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE,
                                                           .connection = action->connections[i],
                                                           .status = ISO_ERR_MEMORY});
    }
}

static void act_send(iso__worker *worker, const iso_session_action *action) {
    uint8_t kind = action->message->kind;
    iso__counters_add_message(worker->counters, action->message, action->connection_count);
    iso__outbound item = {
        .kind = ISO__OUTBOUND_SEND,
        .welcomes = kind == ISO_MESSAGE_WELCOME,
        .activates = kind == ISO_MESSAGE_ACTIVATE,
        .is_farewell = kind == ISO_MESSAGE_BYE || kind == ISO_MESSAGE_REFUSAL,
        .connection = action->connections[0],
        .connection_count = action->connection_count,
    };
    item.buffer = encode(worker, action->message);
    if (item.buffer != NULL && action->connection_count > 1) {
        size_t size = action->connection_count * sizeof item.connections[0];
        item.connections = malloc(size);
        if (item.connections != NULL) {
            memcpy(item.connections, action->connections, size);
        }
    }
    if (item.buffer == NULL || (action->connection_count > 1 && item.connections == NULL)) {
        iso__buffer_release(item.buffer);
        give_up(worker, action);
        return;
    }
    iso__worker_push_outbound(worker, &item);
}

/// A name that a client has chosen must not look like the text around it.
static int append_name(char *text, size_t capacity, const char *name) {
    char quoted[2 * ISO_MEMBER_NAME_MAX + 1];
    size_t fill = 0;
    for (; *name != '\0'; ++name) {
        if (*name == '"' || *name == '\\') {
            quoted[fill++] = '\\';
        }
        quoted[fill++] = *name;
    }
    quoted[fill] = '\0';
    return snprintf(text, capacity, ", \"%s\"", quoted);
}

void iso__worker_log(const iso__hosted *hosted, const iso_session_note *note) {
    ISO__ASSERT_ON(&hosted->affinity);
    static const uint8_t levels[] = {
        [ISO_SESSION_LOG_DEBUG] = ISO__LOG_DEBUG,
        [ISO_SESSION_LOG_INFO] = ISO__LOG_INFO,
        [ISO_SESSION_LOG_WARN] = ISO__LOG_WARNING,
        [ISO_SESSION_LOG_ERROR] = ISO__LOG_ERROR,
    };
    char text[400];
    int size = snprintf(text, sizeof text, "tick %" PRIu64 ": %s", note->tick, note->text);
#define APPEND(...)                                                                 \
    do {                                                                            \
        if (size >= 0 && (size_t)size < sizeof text) {                              \
            size += snprintf(text + size, sizeof text - (size_t)size, __VA_ARGS__); \
        }                                                                           \
    } while (0)
    if (note->slot != ISO_SLOT_NONE) {
        APPEND(", slot %u", note->slot);
    }
    if (note->member[0] != '\0' && size >= 0 && (size_t)size < sizeof text) {
        size += append_name(text + size, sizeof text - (size_t)size, note->member);
    }
    if (note->expected != 0) {
        APPEND(", %016" PRIx64 " instead of %016" PRIx64, note->value, note->expected);
    } else if (note->value != 0) {
        APPEND(", %" PRIu64, note->value);
    }
    if (note->status != ISO_OK) {
        APPEND(": %s", iso_status_text(note->status));
    }
#undef APPEND
    iso__log(&(iso__log_about){.level = levels[note->level & 3],
                               .session = hosted->name,
                               .connection = note->connection,
                               .code = note->status},
             "%s", text);
}

static void act_one(iso__hosted *hosted, const iso_session_action *action) {
    iso__worker *worker = hosted->worker;
    switch ((iso_session_action_kind)action->kind) {
    case ISO_SESSION_ACTION_SEND:
        act_send(worker, action);
        break;
    case ISO_SESSION_ACTION_CLOSE:
        iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE,
                                                           .connection = action->connections[0],
                                                           .status = action->status});
        break;
    case ISO_SESSION_ACTION_RECORD_TICK:
    case ISO_SESSION_ACTION_RECORD_KEYFRAME:
    case ISO_SESSION_ACTION_RECORD_EVENT:
    case ISO_SESSION_ACTION_RECORD_SEAL:
        iso__session_recording_do(hosted, action);
        break;
    case ISO_SESSION_ACTION_ENCODE_SNAPSHOT:
        ++hosted->compressing;
        iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_COMPRESS,
                                                           .hosted = hosted,
                                                           .bytes = action->bytes,
                                                           .byte_count = action->byte_count,
                                                           .tick = action->tick});
        break;
    case ISO_SESSION_ACTION_HOLD:
        iso__worker_push_outbound(
            worker, &(iso__outbound){.kind = ISO__OUTBOUND_HOLD, .origin = action->origin, .is_held = action->is_held});
        break;
    case ISO_SESSION_ACTION_LOG:
        iso__worker_log(hosted, action->note);
        break;
    case ISO_SESSION_ACTION_CLOSED:
        iso__session_recording_close(hosted, action->status);
        iso__hosted_publish(hosted, iso__clock_now());
        atomic_store(&hosted->closed, true);
        --worker->open_count;
        iso__worker_push_outbound(
            worker, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSED, .hosted = hosted, .status = action->status});
        break;
    }
}

void iso__worker_act(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity);
    iso_session_action action;
    while (iso_session_next_action(hosted->session, &action)) {
        act_one(hosted, &action);
    }
}

static const char *name_of(void *user, bool is_joint, uint32_t index, uint32_t generation) {
    return iso__names_find(user, is_joint, index, generation);
}

/// An event of the session seals one tick at most; the world keeps its events until the next.
static void tell_events(iso__hosted *hosted) {
    const iso_world *world = iso_session_get_world(hosted->session);
    const uint64_t tick = iso_world_get_tick(world);
    if (hosted->events != NULL && tick != hosted->told_tick) {
        const iso_event_view view = {hosted->tells_contacts, false, name_of, &hosted->setup.names};
        iso__event_log_tick(hosted->events, hosted->name, world, &view);
    }
    hosted->told_tick = tick;
}

void iso__worker_hand_in(iso__hosted *hosted, uint64_t now, const iso_session_event *event) {
    ISO__ASSERT_ON(&hosted->affinity);
    iso_session_handle(hosted->session, now, event);
    tell_events(hosted);
    iso__worker_act(hosted);
}
