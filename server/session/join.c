/// From HELLO to membership: handshake, snapshot, the ticks since, proof.
///
/// The session continues while a joiner reads. It becomes a member in the tick after it has shown the right root of a
/// tick and has been sent all ticks so far.
#include "join.h"

#include "isostep/assert.h"

#include "end.h"
#include "heal.h"
#include "image.h"
#include "invariants.h"
#include "member.h"
#include "name.h"
#include "places.h"
#include "reading.h"
#include "resume.h"
#include "ring.h"
#include "roster.h"
#include "run.h"
#include "stage.h"
#include "text.h"

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

/// A client that names no game accepts any game that it has, and compares the rest itself, with WELCOME. A client
/// without a fingerprint does not simulate. The game's parameters are unknown to clients at this point.
static bool join_fingerprint_fits(const iso_session *session, const iso_fingerprint *theirs) {
    if (theirs->simulation_version == 0 && theirs->schema == 0 && theirs->arithmetic == 0) {
        return true;
    }
    iso_fingerprint ours = theirs->game[0] == 0 ? session->fingerprint_core : session->fingerprint;
    ours.game_version = theirs->game[0] == 0 ? theirs->game_version : ours.game_version;
    ours.game_params = theirs->game_params;
    return iso_fingerprint_equal(&ours, theirs);
}

/// The lowest free slot. @return ISO_SLOT_NONE when there is none, or as many members are here as may be
static uint8_t join_free_slot(const iso_session *session) {
    uint32_t taken = 0;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        taken += session->members[slot].state != ISO__MEMBER_FREE;
    }
    if (session->config.player_max != 0 && taken >= session->config.player_max) {
        return ISO_SLOT_NONE;
    }
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {
            return (uint8_t)slot;
        }
    }
    return ISO_SLOT_NONE;
}

/// @param expected  receives what would have been accepted
static iso_status join_judge(const iso_session *session, const iso_message_hello *hello, char *expected,
                             size_t capacity) {
    expected[0] = 0;
    if (session->run != ISO__RUN_OPEN) {
        return session->drain_status == ISO_ERR_RESTARTING ? ISO_ERR_RESTARTING : ISO_ERR_SHUTDOWN;
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
    return ISO_OK;
}

static iso_status join_spectator(iso_session *session, iso__connection *connection) {
    if (session->spectator_count >= session->config.spectator_capacity) {
        return ISO_ERR_SPECTATORS_FULL;
    }
    session->spectator_count += 1;
    iso__name_give(session, connection, ISO_SLOT_NONE);
    connection->resumed = ISO_RESUMED_NEW;
    iso__stage_image(session, connection);
    return ISO_OK;
}

static iso_status join_player(iso_session *session, iso__connection *connection, const iso_message_hello *hello) {
    if (hello->has_resume) {
        uint32_t number = 0;
        const uint8_t slot = iso__resume_find(session, &hello->resume, &number);
        if (slot == ISO_SLOT_NONE) {
            return ISO_ERR_NO_RESUME;
        }
        // A member may resume a slot that already counts for its origin. For every other origin the slot is an
        // additional one.
        if (connection->is_origin_full && session->members[slot].origin != connection->origin) {
            return ISO_ERR_ADDRESS_LIMIT;
        }
        iso__name_give(session, connection, slot);
        iso__resume_begin(session, connection, &hello->resume, slot, number);
    } else {
        const uint8_t slot = join_free_slot(session);
        if (slot == ISO_SLOT_NONE) {
            return ISO_ERR_SESSION_FULL;
        }
        iso__name_give(session, connection, ISO_SLOT_NONE);
        iso__member_reserve(session, slot, connection);
        connection->resumed = ISO_RESUMED_NEW;
        iso__resume_make_secret(session, connection);
        iso__stage_image(session, connection);
    }
    iso__run_wake(session);
    return ISO_OK;
}

void iso__join_hello(iso_session *session, iso__connection *connection, const iso_message_hello *hello) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(connection->phase == ISO__PHASE_HELLO && connection->slot == ISO_SLOT_NONE);
    iso__text_copy(connection->name, sizeof connection->name, hello->member);
    connection->role = hello->role;
    connection->features = hello->features;
    connection->is_packed = (hello->compressions & ISO_COMPRESSION_ZSTD) != 0;
    connection->progress_ns = session->now_ns;
    iso_status status = join_judge(session, hello, connection->end_expected, sizeof connection->end_expected);
    if (status == ISO_OK) {
        status = hello->role == ISO_ROLE_PLAYER ? join_player(session, connection, hello)
                                                : join_spectator(session, connection);
    }
    if (status != ISO_OK) {
        iso__connection_end(session, connection, status);
    } else if (connection->phase != ISO__PHASE_CLAIM) {
        iso__stage_welcome(connection);
    }
}

/// A joiner must read fast enough to catch up at all: a time limit for the number of bytes.
static void join_begin_chunks(iso_session *session, iso__connection *connection) {
    const iso__image *image = &session->images[connection->image];
    connection->is_packed = connection->is_packed && !image->has_packing_failed;
    const size_t size = connection->is_packed ? image->packed_size : image->plain_size;
    connection->chunk_count = (uint32_t)((size + ISO_SNAPSHOT_CHUNK_SIZE - 1u) / ISO_SNAPSHOT_CHUNK_SIZE);
    connection->chunks_sent = 0;
    connection->chunks_acked = 0;
    connection->is_begin_due = true;
    connection->snapshot_tick = image->tick;
    connection->progress_ns = session->now_ns;
    connection->too_slow_ns =
        session->now_ns + ISO__CHUNKS_GRACE_NS + (uint64_t)size * ISO__NS_PER_SECOND / ISO__JOIN_BYTES_PER_SECOND;
    iso__connection_enter(session, connection, ISO__PHASE_CHUNKS);
}

void iso__join_ack(iso_session *session, iso__connection *connection, uint32_t index) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(connection->chunks_acked <= connection->chunks_sent &&
               connection->chunks_sent <= connection->chunk_count);
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
        iso__stage_catch_up(session, connection, connection->snapshot_tick);
    }
}

void iso__join_caught_up(iso_session *session, iso__connection *connection, const iso_message_caught_up *caught_up) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->phase != ISO__PHASE_ENDING);
    const bool told = connection->is_activated && !connection->is_activation_due;
    if (connection->is_healing && !told) {
        return; // about the world that is being replaced
    }
    if (connection->phase != ISO__PHASE_CATCH_UP || told) {
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
        iso__heal_desync(session, connection, caught_up->tick, root, caught_up->root);
        return;
    }
    session->stats.confirms += 1;
    connection->progress_ns = session->now_ns;
    connection->acked_tick = caught_up->tick;
    connection->is_root_shown = true;
}

static void join_activate(iso_session *session, iso__connection *connection) {
    const bool healed = connection->is_activated; // its slot was never released
    connection->heard_ns = session->now_ns;
    if (!healed) {
        connection->is_activated = true;
        connection->is_activation_due = true;
        connection->join_tick = session->sealed_tick + (connection->role == ISO_ROLE_PLAYER ? 1u : 0u);
        if (connection->role == ISO_ROLE_PLAYER) {
            iso__member_enter(session, connection);
        } else {
            iso__roster_sit(session, connection);
        }
    }
    iso__connection_enter(session, connection, ISO__PHASE_ACTIVE);
}

/// Whether the client has shown a right root, or was active before, and has been sent all ticks so far. A member whose
/// DROP is still to be sealed resumes after it.
static bool join_has_arrived(const iso_session *session, const iso__connection *connection) {
    const bool dropping =
        connection->slot != ISO_SLOT_NONE && session->members[connection->slot].state == ISO__MEMBER_DROPPING;
    const bool told = connection->is_activated && !connection->is_activation_due;
    return (told || (connection->is_root_shown && !dropping)) && connection->sent_tick == session->sent_tick;
}

void iso__join_advance(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(connection->image < ISO__IMAGES || connection->image == UINT8_MAX);
    if (connection->phase == ISO__PHASE_CLAIM) {
        iso__resume_advance(session, connection);
    }
    if (connection->phase == ISO__PHASE_IMAGE) {
        if (connection->image == UINT8_MAX) {
            connection->image = iso__image_find(session);
            if (connection->image == UINT8_MAX) {
                return;
            }
            session->images[connection->image].users += 1;
        }
        const iso__image *image = &session->images[connection->image];
        // Nothing may be sent that the recorder has not written, not even in a snapshot.
        if (image->state == ISO__IMAGE_READY && image->tick <= iso__reading_open_tick(session)) {
            join_begin_chunks(session, connection);
        }
        return;
    }
    if (connection->phase == ISO__PHASE_CATCH_UP) {
        if (connection->sent_tick + 1 < session->ring.first) {
            iso__connection_end(session, connection, ISO_ERR_TOO_SLOW);
        } else if (join_has_arrived(session, connection)) {
            join_activate(session, connection);
        }
    }
}
