/// From HELLO to membership: the handshake, the snapshot, the ticks since, the proof.
///
/// Nobody waits for a joiner: the session goes on while it reads. It becomes a member in the tick after it
/// has shown the right root of a tick and has been sent all ticks so far.
#include "state.h"

static void join_describe(const iso_fingerprint *fingerprint, char *text, size_t capacity) {
    text[0] = 0;
    iso__text_append(text, capacity, "simulation ");
    iso__text_append_number(text, capacity, fingerprint->simulation_version);
    iso__text_append(text, capacity, ", schema ");
    iso__text_append_hex(text, capacity, fingerprint->schema);
    iso__text_append(text, capacity, ", arithmetic ");
    iso__text_append_hex(text, capacity, fingerprint->arithmetic);
    iso__text_append(text, capacity, ", game ");
    iso__text_append(text, capacity, fingerprint->game[0] != 0 ? fingerprint->game : "none");
    iso__text_append(text, capacity, " ");
    iso__text_append_number(text, capacity, fingerprint->game_version);
    iso__text_append(text, capacity, ", parameters ");
    iso__text_append_hex(text, capacity, fingerprint->game_params);
}

/// A client that names no game takes any that it knows and compares the rest itself, with WELCOME. One
/// that shows nothing at all does not simulate. Nobody can know the game's parameters yet.
static bool join_fingerprint_fits(const iso_session *session, const iso_fingerprint *theirs) {
    if (theirs->simulation_version == 0 && theirs->schema == 0 && theirs->arithmetic == 0) {
        return true;
    }
    iso_fingerprint ours = theirs->game[0] == 0 ? session->fingerprint_core : session->fingerprint;
    ours.game_version = theirs->game[0] == 0 ? theirs->game_version : ours.game_version;
    ours.game_params = theirs->game_params;
    return iso_fingerprint_equal(&ours, theirs);
}

/// The lowest free slot. @return ISO_SLOT_NONE when there is none
static uint8_t join_free_slot(const iso_session *session) {
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {
            return (uint8_t)slot;
        }
    }
    return ISO_SLOT_NONE;
}

static uint32_t join_spectators(const iso_session *session) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->connection_capacity; ++i) {
        const iso__connection *connection = &session->connections[i];
        const bool seated = connection->phase != ISO__PHASE_FREE && connection->phase != ISO__PHASE_HELLO &&
                            connection->phase != ISO__PHASE_ENDING;
        count += seated && connection->role == ISO_ROLE_SPECTATOR ? 1u : 0u;
    }
    return count;
}

/// @param expected  receives what would have been accepted
static iso_status join_judge(const iso_session *session, const iso_message_hello *hello, uint8_t slot, char *expected,
                             size_t capacity) {
    expected[0] = 0;
    if (session->run != ISO__RUN_OPEN) {
        return ISO_ERR_SHUTDOWN;
    }
    if (hello->protocol_min > ISO_PROTOCOL_VERSION || hello->protocol_max < ISO_PROTOCOL_VERSION) {
        iso__text_append(expected, capacity, "protocol ");
        iso__text_append_number(expected, capacity, ISO_PROTOCOL_VERSION);
        return ISO_ERR_PROTOCOL_VERSION;
    }
    for (uint32_t i = 0; i <= ISO_SESSION_NAME_MAX; ++i) {
        if (hello->session[i] != session->config.name[i]) {
            return ISO_ERR_NO_SESSION;
        }
        if (hello->session[i] == 0) {
            break;
        }
    }
    if (!join_fingerprint_fits(session, &hello->fingerprint)) {
        join_describe(&session->fingerprint, expected, capacity);
        return ISO_ERR_FINGERPRINT;
    }
    if (hello->role != ISO_ROLE_PLAYER && hello->role != ISO_ROLE_SPECTATOR) {
        iso__text_append(expected, capacity, "role player or spectator");
        return ISO_ERR_UNSUPPORTED;
    }
    if ((hello->compressions & ISO_COMPRESSION_NONE) == 0) {
        iso__text_append(expected, capacity, "compressions that contain none");
        return ISO_ERR_MALFORMED;
    }
    const bool full = hello->role == ISO_ROLE_PLAYER ? slot == ISO_SLOT_NONE
                                                     : join_spectators(session) >= session->config.spectator_capacity;
    return full ? ISO_ERR_SESSION_FULL : ISO_OK;
}

void iso__join_hello(iso_session *session, iso__connection *connection, const iso_message_hello *hello) {
    const uint8_t slot = join_free_slot(session);
    iso__text_copy(connection->name, sizeof connection->name, hello->member);
    const iso_status status =
        join_judge(session, hello, slot, connection->end_expected, sizeof connection->end_expected);
    if (status != ISO_OK) {
        iso__connection_end(session, connection, status);
        return;
    }
    connection->hello_seen = true;
    connection->welcome_due = true;
    connection->role = hello->role;
    connection->packed = (hello->compressions & ISO_COMPRESSION_ZSTD) != 0;
    connection->phase = ISO__PHASE_IMAGE;
    connection->image = UINT8_MAX;
    connection->progress_ns = session->now_ns;
    if (hello->role == ISO_ROLE_PLAYER) {
        iso__member *member = &session->members[slot];
        connection->slot = slot;
        member->state = ISO__MEMBER_RESERVED;
        member->connection = (uint32_t)(connection - session->connections);
    }
}

/// A joiner must read at a rate at which it can ever arrive: so much time for so many bytes.
static void join_begin_chunks(iso_session *session, iso__connection *connection) {
    const iso__image *image = &session->images[connection->image];
    connection->packed = connection->packed && !image->packed_failed;
    const size_t size = connection->packed ? image->packed_size : image->plain_size;
    connection->chunk_count = (uint32_t)((size + ISO_SNAPSHOT_CHUNK_SIZE - 1u) / ISO_SNAPSHOT_CHUNK_SIZE);
    connection->chunks_sent = 0;
    connection->chunks_acked = 0;
    connection->begin_due = true;
    connection->snapshot_tick = image->tick;
    connection->phase = ISO__PHASE_CHUNKS;
    connection->progress_ns = session->now_ns;
    connection->too_slow_ns =
        session->now_ns + ISO__CHUNKS_GRACE_NS + (uint64_t)size * ISO__NS_PER_SECOND / ISO__JOIN_BYTES_PER_SECOND;
}

/// Who steps 1.5 ticks per tick of ours makes up for `lag` ticks within 2 * lag ticks. The rest is for the proof.
static void join_begin_catch_up(iso_session *session, iso__connection *connection) {
    const uint64_t lag = session->sealed_tick - connection->snapshot_tick;
    session->images[connection->image].users -= 1;
    connection->image = UINT8_MAX;
    connection->phase = ISO__PHASE_CATCH_UP;
    connection->sent_tick = connection->snapshot_tick;
    connection->acked_tick = connection->snapshot_tick;
    connection->replay_budget = ISO__REPLAY_BURST;
    connection->progress_ns = session->now_ns;
    connection->too_slow_ns =
        session->now_ns + ISO__CATCH_UP_GRACE_NS + 2u * lag * ISO__NS_PER_SECOND / session->rate_hz;
}

void iso__join_ack(iso_session *session, iso__connection *connection, uint32_t index) {
    if (connection->phase != ISO__PHASE_CHUNKS) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    if (index >= connection->chunks_sent || index + 1u < connection->chunks_acked) {
        iso__connection_end(session, connection, ISO_ERR_MALFORMED);
        return;
    }
    connection->progress_ns = session->now_ns;
    connection->chunks_acked = index + 1u;
    if (connection->chunks_acked == connection->chunk_count) {
        join_begin_catch_up(session, connection);
    }
}

void iso__join_caught_up(iso_session *session, iso__connection *connection, const iso_message_caught_up *caught_up) {
    if (connection->phase != ISO__PHASE_CATCH_UP) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    uint64_t root;
    const bool known = caught_up->tick >= connection->snapshot_tick && caught_up->tick <= connection->sent_tick &&
                       iso__ring_root(&session->ring, caught_up->tick, &root);
    if (!known) {
        iso__connection_end(session, connection, ISO_ERR_MALFORMED);
        return;
    }
    if (root != caught_up->root) {
        iso__confirm_desync(session, connection, caught_up->tick, root, caught_up->root);
        return;
    }
    session->stats.confirms += 1;
    connection->progress_ns = session->now_ns;
    connection->acked_tick = caught_up->tick;
    connection->root_shown = true;
}

static void join_activate(iso_session *session, iso__connection *connection) {
    connection->phase = ISO__PHASE_ACTIVE;
    connection->activate_due = true;
    connection->join_tick = session->sealed_tick;
    connection->heard_ns = session->now_ns;
    if (connection->role != ISO_ROLE_PLAYER) {
        return;
    }
    connection->join_tick = session->sealed_tick + 1;
    iso__member *member = &session->members[connection->slot];
    member->state = ISO__MEMBER_JOINING;
    member->generation += 1;
    iso__inbox_reset(session, member);
}

void iso__join_advance(iso_session *session, iso__connection *connection) {
    if (connection->phase == ISO__PHASE_IMAGE) {
        if (connection->image == UINT8_MAX) {
            connection->image = iso__image_find(session);
            if (connection->image == UINT8_MAX) {
                return;
            }
            session->images[connection->image].users += 1;
        }
        const iso__image *image = &session->images[connection->image];
        // What the recorder has not written nobody may see, also not in a snapshot.
        if (image->state == ISO__IMAGE_READY && image->tick <= iso__session_open_tick(session)) {
            join_begin_chunks(session, connection);
        }
        return;
    }
    if (connection->phase == ISO__PHASE_CATCH_UP) {
        if (connection->sent_tick + 1 < session->ring.first) {
            iso__connection_end(session, connection, ISO_ERR_TOO_SLOW);
        } else if (connection->root_shown && connection->sent_tick == session->sent_tick) {
            join_activate(session, connection);
        }
    }
}
