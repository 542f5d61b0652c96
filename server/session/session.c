/// A session's life: made, fed with events, shut down.
#include "state.h"

iso_session_config iso_session_config_default(void) {
    return (iso_session_config){
        .name = "main",
        .epoch = 1,
        .late_policy = ISO_LATE_MOVE,
        .desync_policy = ISO_DESYNC_HEAL,
        .empty_policy = ISO_EMPTY_PAUSE,
        .empty_ms = 10000,
        .hold_ms = 45000,
        .memory_max = 64u << 20,
        .connection_capacity = 256,
        .spectator_capacity = 64,
        .ring_ticks = 4096,
        .ring_bytes = 8u << 20,
        .keyframe_interval = ISO_RECORDING_KEYFRAME_INTERVAL,
        .hello_timeout_ms = 5000,
        .silence_timeout_ms = 30000,
        .join_timeout_ms = 20000,
        .shutdown_timeout_ms = 5000,
        .status_interval_ms = 200,
        .commands_per_tick = 4,
        .commands_burst = 32,
        .bytes_per_second = 16384,
        .late_ticks_max = 8,
        .future_ticks_max = 120,
        .unacked_ticks_max = 300,
        .queued_bytes_max = 256u << 10,
        .catch_up_ticks_max = 4,
    };
}

static bool config_within(uint32_t value, uint32_t min, uint32_t max) {
    return value >= min && value <= max;
}

static bool config_name_is_good(const char *name) {
    uint32_t length = 0;
    for (; length <= ISO_SESSION_NAME_MAX && name[length] != 0; ++length) {
        const char c = name[length];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
            return false;
        }
    }
    return config_within(length, 1, ISO_SESSION_NAME_MAX);
}

static bool config_is_good(const iso_session_config *config) {
    const uint32_t hour_ms = 3600u * 1000u;
    return config_name_is_good(config->name) && config_within(config->connection_capacity, 1, 1024) &&
           config->spectator_capacity <= 1024 && config_within(config->ring_ticks, 256, 1u << 20) &&
           (config->ring_ticks & (config->ring_ticks - 1u)) == 0 &&
           config_within(config->ring_bytes, 1u << 20, 1u << 30) &&
           config_within(config->keyframe_interval, 1, 1u << 20) &&
           config_within(config->hello_timeout_ms, 1, hour_ms) &&
           config_within(config->silence_timeout_ms, 1, hour_ms) &&
           config_within(config->join_timeout_ms, 1, hour_ms) &&
           config_within(config->shutdown_timeout_ms, 1, hour_ms) &&
           config_within(config->status_interval_ms, 100, 250) && config_within(config->commands_per_tick, 1, 64) &&
           config_within(config->commands_burst, 1, 1024) && config_within(config->bytes_per_second, 4096, 1u << 24) &&
           config->late_ticks_max <= 64 && config_within(config->future_ticks_max, 1, 1024) &&
           config_within(config->unacked_ticks_max, 1, config->ring_ticks - 1u) &&
           config->queued_bytes_max >= 4u * ISO_SNAPSHOT_CHUNK_SIZE && config_within(config->catch_up_ticks_max, 1, 64);
}

static void *session_allocate(iso_session *session, size_t size) {
    return session->allocator.allocate(session->allocator.user, size, 64);
}

static void session_release(iso_session *session, void *memory, size_t size) {
    if (memory != NULL) {
        session->allocator.release(session->allocator.user, memory, size);
    }
}

static bool session_allocate_parts(iso_session *session) {
    const iso_session_config *config = &session->config;
    session->connections = session_allocate(session, session->connection_capacity * sizeof *session->connections);
    session->recipients = session_allocate(session, session->connection_capacity * sizeof *session->recipients);
    session->ring.ticks = session_allocate(session, config->ring_ticks * sizeof *session->ring.ticks);
    session->ring.bytes = session_allocate(session, config->ring_bytes);
    bool complete = session->connections != NULL && session->recipients != NULL && session->ring.ticks != NULL &&
                    session->ring.bytes != NULL;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        session->images[i].plain = session_allocate(session, session->plain_capacity);
        session->images[i].packed = session_allocate(session, session->packed_capacity);
        complete = complete && session->images[i].plain != NULL && session->images[i].packed != NULL;
    }
    return complete;
}

/// Members of a world that comes from a snapshot are not here; they leave with the first tick.
static void session_read_slots(iso_session *session) {
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso_slot_view view;
        iso__member *member = &session->members[slot];
        const bool there = iso_world_get_slot(session->world, slot, &view);
        ISO__SESSION_ASSERT(there);
        iso__inbox_reset(session, member);
        member->generation = view.generation;
        member->connection = UINT32_MAX;
        member->state = view.occupied ? ISO__MEMBER_LEAVING : ISO__MEMBER_FREE;
        member->left_status = ISO_ERR_CONNECTION;
    }
}

static void session_make_core_fingerprint(iso_session *session, const iso_world_def *def) {
    iso_world_def without_game = *def;
    memset(without_game.game, 0, sizeof without_game.game);
    memset(without_game.game_params, 0, sizeof without_game.game_params);
    iso_fingerprint_make(&without_game, NULL, &session->fingerprint_core);
}

static void session_start(iso_session *session, uint64_t now_ns) {
    const iso_world_def *def = iso_world_get_def(session->world);
    const uint64_t tick = iso_world_get_tick(session->world);
    memset(session->connections, 0, session->connection_capacity * sizeof *session->connections);
    session->game = iso_world_get_game(session->world);
    iso_fingerprint_make(def, session->game, &session->fingerprint);
    session_make_core_fingerprint(session, def);
    session->rate_hz = def->tick_rate_hz;
    session->slot_count = def->slot_capacity;
    session->status_ticks = (uint64_t)session->config.status_interval_ms * session->rate_hz / 1000u;
    session->status_ticks = session->status_ticks > 0 ? session->status_ticks : 1u;
    session->now_ns = now_ns;
    session->first_tick = session->sealed_tick = session->sent_tick = tick;
    session->written_tick = session->recorded_tick = session->keyframe_tick = tick;
    session->recording = session->config.recording;
    iso__clock_start(session, now_ns);
    session_read_slots(session);

    // The initial state stands in the ring like a tick without input: a joiner may show its root.
    session->ring.tick_capacity = session->config.ring_ticks;
    session->ring.byte_capacity = session->config.ring_bytes;
    iso__ring_init(&session->ring, tick);
    const iso_tick_input initial = {.tick = tick};
    iso__ring_append(&session->ring, &initial, iso_world_root(session->world));
    iso__image_take_keyframe(session);
}

iso_status iso_session_create(const iso_session_config *config, const iso_allocator *allocator, iso_world *world,
                              uint64_t now_ns, iso_session **session) {
    if (!config_is_good(config)) {
        return ISO_ERR_RANGE;
    }
    iso_session *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL) {
        return ISO_ERR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->config = *config;
    made->allocator = *allocator;
    made->world = world;
    made->connection_capacity = config->connection_capacity + ISO__REFUSED_MAX;
    // A snapshot writes what an image copies, without what is derived, after a short head.
    made->plain_capacity = iso_world_image_size_max(world) + 4096u;
    made->packed_capacity = made->plain_capacity + made->plain_capacity / 128u + 1024u;
    if (!session_allocate_parts(made)) {
        iso_session_destroy(made);
        return ISO_ERR_MEMORY;
    }
    session_start(made, now_ns);
    *session = made;
    return ISO_OK;
}

void iso_session_destroy(iso_session *session) {
    const iso_session_config *config = &session->config;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        session_release(session, session->images[i].packed, session->packed_capacity);
        session_release(session, session->images[i].plain, session->plain_capacity);
    }
    session_release(session, session->ring.bytes, config->ring_bytes);
    session_release(session, session->ring.ticks, config->ring_ticks * sizeof *session->ring.ticks);
    session_release(session, session->recipients, session->connection_capacity * sizeof *session->recipients);
    session_release(session, session->connections, session->connection_capacity * sizeof *session->connections);
    const iso_allocator allocator = session->allocator;
    allocator.release(allocator.user, session, sizeof *session);
}

static void handle_time(iso_session *session) {
    if (session->run == ISO__RUN_OPEN && !iso__seal_is_held(session) &&
        iso_session_tick_deadline(session, session->sealed_tick + 1) <= session->now_ns) {
        iso__clock_limit(session);
        iso__seal(session);
    }
    if (iso__seal_is_held(session) && !session->behind_noted) {
        session->behind_noted = true;
        iso__note(session, ISO_SESSION_LOG_WARN, "the recorder is behind, the clock waits");
    }
    const bool draining = session->run == ISO__RUN_DRAINING || session->run == ISO__RUN_SEALING;
    if (draining && session->now_ns >= session->shutdown_ns) {
        iso__note(session, ISO_SESSION_LOG_ERROR, "the recording was not sealed in time")->status = ISO_ERR_TIMEOUT;
        session->run = ISO__RUN_CLOSING;
    }
}

static void handle_degraded(iso_session *session, iso_status status) {
    if (!session->recording) {
        return;
    }
    session->recording = false;
    session->stats.degraded = true;
    session->event_count = 0;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        session->images[i].keyframe = false;
    }
    if (session->run == ISO__RUN_SEALING) {
        session->run = ISO__RUN_CLOSING;
    }
    iso__note(session, ISO_SESSION_LOG_ERROR, "the recording ended early")->status = status;
}

static void handle_shutdown(iso_session *session) {
    if (session->run != ISO__RUN_OPEN) {
        return;
    }
    session->run = ISO__RUN_DRAINING;
    session->shutdown_ns = session->now_ns + session->config.shutdown_timeout_ms * ISO__NS_PER_MS;
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        if (session->connections[i].phase != ISO__PHASE_FREE) {
            iso__connection_end(session, &session->connections[i], ISO_ERR_SHUTDOWN);
        }
    }
    iso__note(session, ISO_SESSION_LOG_INFO, "shutting down");
}

static void handle_recorder(iso_session *session, const iso_session_event *event) {
    switch (event->kind) {
    case ISO_SESSION_EVENT_RECORDER_WRITTEN:
        if (event->tick > session->written_tick && event->tick <= session->recorded_tick) {
            session->written_tick = event->tick;
            session->behind_noted = false;
        }
        return;
    case ISO_SESSION_EVENT_RECORDER_DURABLE:
        if (event->tick > session->durable_tick && event->tick <= session->recorded_tick) {
            session->durable_tick = event->tick;
        }
        return;
    case ISO_SESSION_EVENT_RECORDER_DEGRADED:
        handle_degraded(session, event->status);
        return;
    default:
        if (session->run == ISO__RUN_SEALING) {
            session->run = ISO__RUN_CLOSING;
        }
        return;
    }
}

static void handle_connection(iso_session *session, const iso_session_event *event) {
    iso__connection *connection = iso__connection_find(session, event->connection);
    if (connection == NULL) {
        return; // ended by us while the event was under way
    }
    switch (event->kind) {
    case ISO_SESSION_EVENT_MESSAGE:
        iso__connection_message(session, connection, event->message, event->size);
        return;
    case ISO_SESSION_EVENT_BAD_FRAME:
        iso__connection_bad_frame(session, connection, event->status);
        return;
    case ISO_SESSION_EVENT_QUEUED:
        connection->queued_bytes = event->size;
        iso__connection_check(session, connection);
        return;
    default:
        iso__connection_forget(session, connection, ISO_ERR_CONNECTION);
        return;
    }
}

static bool session_has_keyframe(const iso_session *session) {
    bool any = false;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        any = any || session->images[i].keyframe;
    }
    return any;
}

static void handle_event(iso_session *session, const iso_session_event *event) {
    switch (event->kind) {
    case ISO_SESSION_EVENT_OPENED:
        iso__connection_open(session, event->connection);
        return;
    case ISO_SESSION_EVENT_MESSAGE:
    case ISO_SESSION_EVENT_BAD_FRAME:
    case ISO_SESSION_EVENT_DISCONNECTED:
    case ISO_SESSION_EVENT_QUEUED:
        handle_connection(session, event);
        return;
    case ISO_SESSION_EVENT_TIME:
        handle_time(session);
        return;
    case ISO_SESSION_EVENT_RECORDER_WRITTEN:
    case ISO_SESSION_EVENT_RECORDER_DURABLE:
    case ISO_SESSION_EVENT_RECORDER_DEGRADED:
    case ISO_SESSION_EVENT_RECORDER_SEALED:
        handle_recorder(session, event);
        return;
    case ISO_SESSION_EVENT_SNAPSHOT_ENCODED:
        iso__image_encoded(session, event->tick, event->bytes, event->byte_count);
        if (session->recording && !session->record_open && !session_has_keyframe(session)) {
            handle_degraded(session, ISO_ERR_MEMORY);
        }
        return;
    case ISO_SESSION_EVENT_SHUTDOWN:
        handle_shutdown(session);
        return;
    default:
        ISO__SESSION_ASSERT(false);
    }
}

void iso_session_handle(iso_session *session, uint64_t now_ns, const iso_session_event *event) {
    if (now_ns > session->now_ns) {
        session->now_ns = now_ns;
    }
    handle_event(session, event);
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        iso__connection *connection = &session->connections[i];
        if (connection->phase == ISO__PHASE_IMAGE || connection->phase == ISO__PHASE_CATCH_UP) {
            iso__join_advance(session, connection);
        }
        if (event->kind == ISO_SESSION_EVENT_TIME && connection->phase != ISO__PHASE_FREE) {
            iso__connection_check(session, connection);
        }
    }
}

uint64_t iso_session_next_deadline(const iso_session *session) {
    switch (session->run) {
    case ISO__RUN_OPEN:
        break;
    case ISO__RUN_CLOSED:
        return UINT64_MAX;
    default:
        return session->shutdown_ns;
    }
    uint64_t deadline =
        iso__seal_is_held(session) ? UINT64_MAX : iso_session_tick_deadline(session, session->sealed_tick + 1);
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        iso_status status;
        const uint64_t patience = iso__connection_deadline(session, &session->connections[i], &status);
        deadline = patience < deadline ? patience : deadline;
    }
    return deadline;
}

void iso_session_get_stats(const iso_session *session, iso_session_stats *stats) {
    *stats = session->stats;
    stats->tick = session->sealed_tick;
    stats->written_tick = session->sent_tick;
    stats->durable_tick = session->durable_tick;
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        const iso__connection *connection = &session->connections[i];
        stats->connections += connection->phase != ISO__PHASE_FREE ? 1u : 0u;
        const bool active = connection->phase == ISO__PHASE_ACTIVE;
        stats->members += active && connection->role == ISO_ROLE_PLAYER ? 1u : 0u;
        stats->spectators += active && connection->role == ISO_ROLE_SPECTATOR ? 1u : 0u;
    }
}

const iso_world *iso_session_get_world(const iso_session *session) {
    return session->world;
}
