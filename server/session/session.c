/// A session's life: created, given events, shut down.
#include "session.h"

#include <string.h>

#include "isostep/assert.h"

#include "clock.h"
#include "config.h"
#include "connection.h"
#include "end.h"
#include "image.h"
#include "invariants.h"
#include "join.h"
#include "member.h"
#include "moderate.h"
#include "note.h"
#include "places.h"
#include "replay.h"
#include "ring.h"
#include "roster.h"
#include "run.h"
#include "seal.h"
#include "sound.h"
#include "strict.h"

static void *session_allocate(iso_session *session, size_t size) {
    return session->allocator.allocate(session->allocator.user, size, 64);
}

static void session_release(iso_session *session, void *memory, size_t size) {
    if (memory != NULL) {
        session->allocator.release(session->allocator.user, memory, size);
    }
}

/// The blocks that exist as long as the session. X(member, count)
#define SESSION_BLOCK_LIST(X)                    \
    X(connections, session->connection_capacity) \
    X(open, session->connection_capacity)        \
    X(due, session->connection_capacity)         \
    X(recipients, session->connection_capacity)  \
    X(members, session->slot_count)              \
    X(commands, ISO_TICK_COMMANDS_MAX)           \
    X(canonical, ISO_TICK_COMMANDS_MAX)          \
    X(canonical_bytes, ISO__CANONICAL_MAX)       \
    X(ring.ticks, session->config.ring_ticks)    \
    X(ring.bytes, session->config.ring_bytes)

static bool session_allocate_blocks(iso_session *session) {
    bool complete = true;
#define SESSION_ALLOCATE(member, count)                                             \
    session->member = session_allocate(session, (count) * sizeof *session->member); \
    complete = complete && session->member != NULL;
    SESSION_BLOCK_LIST(SESSION_ALLOCATE)
#undef SESSION_ALLOCATE
    return complete;
}

/// What a client says that does not know the session yet: no game, and the plane, whatever the session's world is.
static void session_make_core_fingerprint(iso_session *session) {
    const iso_world_def def = iso_world_def_default();
    iso_fingerprint_make(&def, NULL, &session->fingerprint_core);
}

static void session_start(iso_session *session, uint64_t now_ns) {
    const iso_world_def *def = iso_world_get_def(session->world);
    const uint64_t tick = iso_world_get_tick(session->world);
    session->game = iso_world_get_game(session->world);
    iso_fingerprint_make(def, session->game, &session->fingerprint);
    session_make_core_fingerprint(session);
    session->rate_hz = def->tick_rate_hz;
    session->status_ticks = (uint64_t)session->config.status_interval_ms * session->rate_hz / 1000u;
    session->status_ticks = session->status_ticks > 0 ? session->status_ticks : 1u;
    session->now_ns = now_ns;
    session->sealed_tick = tick;
    session->is_recording = session->config.is_recording;
    session->patience_ns = UINT64_MAX;
    iso__clock_start(session, now_ns);
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        memset(&session->members[slot], 0, offsetof(iso__member, queue));
    }
    iso__roster_init(session);
    // The initial state is in the ring like a tick without input: a joiner may show its root.
    session->ring.tick_capacity = session->config.ring_ticks;
    session->ring.byte_capacity = session->config.ring_bytes;
    iso__ring_init(&session->ring, tick);
    const iso_tick_input initial = {.tick = tick};
    iso__ring_append(&session->ring, &initial, NULL, iso_world_root(session->world));
}

iso_status iso_session_create(const iso_session_config *config, const iso_allocator *allocator, iso_world *world,
                              uint64_t now_ns, iso_session **session) {
    ISO_ASSERT(world != NULL && session != NULL && allocator->allocate != NULL && allocator->release != NULL);
    if (!iso__config_is_good(config)) {
        return ISO_ERR_RANGE;
    }
    const iso_world_def *def = iso_world_get_def(world);
    if (iso_session_memory(config, def, iso_world_get_game(world)) > config->memory_max) {
        return ISO_ERR_MEMORY;
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
    made->slot_count = def->slot_capacity;
    if (!session_allocate_blocks(made)) {
        iso_session_destroy(made);
        return ISO_ERR_MEMORY;
    }
    session_start(made, now_ns);
    ISO_ASSERT(iso__session_is_ordered(made));
    *session = made;
    return ISO_OK;
}

void iso_session_begin_clock(iso_session *session, uint64_t now_ns) {
    ISO_ASSERT(!session->has_begun);
    session->now_ns = now_ns > session->now_ns ? now_ns : session->now_ns;
    iso__clock_start(session, session->now_ns);
}

void iso_session_destroy(iso_session *session) {
    ISO_ASSERT(session->connection_count <= session->connection_capacity);
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image_release(session, &session->images[i]);
    }
#define SESSION_RELEASE(member, count) session_release(session, session->member, (count) * sizeof *session->member);
    SESSION_BLOCK_LIST(SESSION_RELEASE)
#undef SESSION_RELEASE
    const iso_allocator allocator = session->allocator;
    allocator.release(allocator.user, session, sizeof *session);
}

/// Seals the next tick when it is due and nothing holds the clock.
static void session_pass_tick(iso_session *session) {
    const bool due = session->run == ISO__RUN_OPEN && !session->is_paused && !iso__seal_is_held(session) &&
                     iso_session_tick_deadline(session, session->sealed_tick + 1) <= session->now_ns;
    if (due && !iso__strict_waits(session)) {
        iso__clock_limit(session);
        iso__seal(session);
    }
}

static void handle_time(iso_session *session) {
    session_pass_tick(session);
    if (session->patience_ns <= session->now_ns) {
        iso__connection_check_all(session);
    }
    iso__member_expire(session);
    iso__run_check_empty(session);
    if (iso__seal_is_held(session) && !session->is_behind_noted) {
        session->is_behind_noted = true;
        iso__note(session, ISO_SESSION_LOG_WARN, "the recorder is behind: the clock waits");
    }
    const bool draining = session->run == ISO__RUN_DRAINING || session->run == ISO__RUN_SEALING;
    if (draining && session->now_ns >= session->shutdown_ns) {
        iso__note(session, ISO_SESSION_LOG_ERROR, "the recording was not sealed in time")->status = ISO_ERR_TIMEOUT;
        session->run = ISO__RUN_CLOSING;
    }
}

static void handle_degraded(iso_session *session, iso_status status) {
    if (!iso_session_records(session)) {
        return;
    }
    const char *text = session->is_recording ? "the recording ended early" : "the recording could not begin again";
    session->is_recording = session->is_restarting = false;
    session->is_record_begun = session->is_record_open = false;
    session->stats.degraded = 1;
    session->event_count = 0;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        session->images[i].is_keyframe = false;
    }
    if (session->run == ISO__RUN_SEALING) {
        session->run = ISO__RUN_CLOSING;
    }
    iso__note(session, ISO_SESSION_LOG_ERROR, text)->status = status;
}

static void handle_restart(iso_session *session) {
    if (iso_session_records(session) || !session->config.is_recording || session->run != ISO__RUN_OPEN) {
        return;
    }
    session->is_restarting = true;
    session->event_count = 0; // the host asks who is there
    iso__image_take_keyframe(session);
}

/// The recording that was to begin again is written up to here: from now on ticks wait for it.
static void handle_restarted(iso_session *session, uint64_t tick) {
    session->is_restarting = false;
    session->is_recording = true;
    session->written_tick = tick;
    session->is_behind_noted = false;
    session->stats.degraded = 0;
    session->stats.restarts += 1;
    iso__note(session, ISO_SESSION_LOG_INFO, "the recording continues in a new file")->value = session->record_tick;
}

/// While the session is paused, clients are not informed with ticks.
static void handle_durable(iso_session *session, uint64_t tick) {
    session->durable_tick = tick;
    for (uint32_t i = 0; session->is_paused && i < session->connection_count; ++i) {
        iso__connection *connection = &session->connections[session->open[i]];
        if (connection->phase == ISO__PHASE_ACTIVE) {
            connection->is_status_due = true;
            iso__connection_touch(session, connection);
        }
    }
}

static void handle_recorder(iso_session *session, const iso_session_event *event) {
    switch (event->kind) {
    case ISO_SESSION_EVENT_RECORDER_WRITTEN:
        if (session->is_restarting && session->is_record_open && event->tick >= session->record_tick) {
            handle_restarted(session, event->tick);
        } else if (event->tick > session->written_tick && event->tick <= session->recorded_tick) {
            session->written_tick = event->tick;
            session->is_behind_noted = false;
        }
        return;
    case ISO_SESSION_EVENT_RECORDER_DURABLE:
        if (event->tick > session->durable_tick && event->tick <= session->recorded_tick) {
            handle_durable(session, event->tick);
        }
        return;
    case ISO_SESSION_EVENT_RECORDER_RESTART:
        handle_restart(session);
        return;
    case ISO_SESSION_EVENT_RECORDER_DEGRADED:
        handle_degraded(session, event->status);
        return;
    case ISO_SESSION_EVENT_RECORDER_SYNC:
        session->is_sync_hanging = event->status != ISO_OK;
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
        return; // ended by the session while the event was under way
    }
    switch (event->kind) {
    case ISO_SESSION_EVENT_MESSAGE:
        iso__connection_message(session, connection, event->message, event->size);
        break;
    case ISO_SESSION_EVENT_BAD_FRAME:
        iso__connection_bad_frame(session, connection, event->status);
        break;
    case ISO_SESSION_EVENT_QUEUED:
        connection->queued_bytes = event->size;
        iso__connection_check(session, connection);
        break;
    default:
        iso__connection_forget(session, connection, ISO_ERR_CONNECTION);
        return;
    }
    iso__join_advance(session, connection);
    iso__connection_touch(session, connection);
}

static bool session_has_keyframe(const iso_session *session) {
    bool any = false;
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        any = any || session->images[i].is_keyframe;
    }
    return any;
}

static void handle_event(iso_session *session, const iso_session_event *event) {
    switch (event->kind) {
    case ISO_SESSION_EVENT_OPENED:
        iso__connection_open(session, event);
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
    case ISO_SESSION_EVENT_RECORDER_RESTART:
    case ISO_SESSION_EVENT_RECORDER_SYNC:
    case ISO_SESSION_EVENT_RECORDER_SEALED:
        handle_recorder(session, event);
        return;
    case ISO_SESSION_EVENT_SNAPSHOT_ENCODED:
        iso__image_encoded(session, event->tick, event->bytes, event->byte_count);
        if (iso_session_records(session) && !session->is_record_open && !session_has_keyframe(session)) {
            handle_degraded(session, ISO_ERR_MEMORY);
        }
        return;
    case ISO_SESSION_EVENT_SHUTDOWN:
        session->goes_on = session->run == ISO__RUN_OPEN ? event->status == ISO_ERR_RESTARTING : session->goes_on;
        // Without a recording there is nothing to resume.
        if (event->status == ISO_ERR_SESSION_CLOSED) {
            iso__run_drain(session, ISO_ERR_SESSION_CLOSED);
        } else {
            iso__run_drain(session, event->status == ISO_ERR_RESTARTING && session->is_recording ? ISO_ERR_RESTARTING
                                                                                                 : ISO_ERR_SHUTDOWN);
        }
        return;
    case ISO_SESSION_EVENT_WAKE:
        iso__run_wake(session);
        return;
    case ISO_SESSION_EVENT_KICK:
        iso__moderate_kick(session, event);
        return;
    case ISO_SESSION_EVENT_NOTICE:
        iso__moderate_tell(session, event);
        return;
    default:
        ISO_ASSERT(false);
    }
}

/// What joiners wait for arrives with ticks, with the recorder's reports and with encoded snapshots.
static void session_advance_joiners(iso_session *session) {
    for (uint32_t i = 0; session->joiner_count > 0 && i < session->connection_count; ++i) {
        iso__join_advance(session, &session->connections[session->open[i]]);
    }
}

/// Whether the host has come much later than it was asked to: its process was stopped, or the whole machine.
static bool session_was_stopped(const iso_session *session, uint64_t now_ns) {
    if (session->run != ISO__RUN_OPEN || now_ns <= session->now_ns || now_ns - session->now_ns <= ISO__STOPPED_NS) {
        return false;
    }
    const uint64_t deadline = iso_session_next_deadline(session);
    return now_ns > deadline && now_ns - deadline > ISO__STOPPED_NS;
}

void iso_session_handle(iso_session *session, uint64_t now_ns, const iso_session_event *event) {
    ISO_ASSERT(event->kind <= ISO_SESSION_EVENT_NOTICE);
    if (session_was_stopped(session, now_ns)) {
        iso__connection_forgive_all(session, now_ns);
        iso__member_forgive_all(session, now_ns);
    }
    if (now_ns > session->now_ns) {
        session->now_ns = now_ns;
    }
    iso__replay_begin(session);
    handle_event(session, event);
    const bool of_one = event->kind == ISO_SESSION_EVENT_MESSAGE || event->kind == ISO_SESSION_EVENT_QUEUED ||
                        event->kind == ISO_SESSION_EVENT_OPENED;
    if (!of_one) {
        session_advance_joiners(session);
    }
    if (session->strict_tick != 0 && event->kind != ISO_SESSION_EVENT_TIME) {
        session_pass_tick(session); // the clock may have waited for this event
    }
    ISO_ASSERT(iso__session_is_ordered(session) && iso__session_fits(session));
    ISO_VALIDATE_ASSERT(iso__session_is_sound(session));
}

static uint64_t session_earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t iso_session_next_deadline(const iso_session *session) {
    ISO_ASSERT(session->run <= ISO__RUN_CLOSED);
    switch (session->run) {
    case ISO__RUN_OPEN:
        break;
    case ISO__RUN_CLOSED:
        return UINT64_MAX;
    default:
        return session->shutdown_ns;
    }
    uint64_t deadline = session_earlier(session->patience_ns, iso__member_deadline(session));
    deadline = session_earlier(deadline, iso__run_empty_deadline(session));
    if (session->is_paused || iso__seal_is_held(session)) {
        return deadline;
    }
    return session_earlier(deadline, session->strict_tick != 0
                                         ? iso__strict_deadline(session)
                                         : iso_session_tick_deadline(session, session->sealed_tick + 1));
}
