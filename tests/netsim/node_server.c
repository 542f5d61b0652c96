/// The server: hosts the session and its recorder as server/host does, on virtual everything.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

void server_drain(sim *s);

/// What its clock says.
uint64_t server_now_ns(sim *s) {
    return clock_read(&s->server.clock, s->now_ns);
}

void server_handle(sim *s, iso_session_event event) {
    iso_session_handle(s->server.session, server_now_ns(s), &event);
    oracle_stepped(s);
    server_drain(s);
    recording_check(s);
}

void server_build_world(sim *s) {
    const iso_game *game = s->game;
    const size_t size = iso_world_size(&s->def, game);
    SIM_CHECK(s, size > 0, "the world's definition is bad");
    s->server.world_memory = aligned_alloc(64, size);
    iso_status status = iso_world_create(&s->def, game, s->server.world_memory, size, &s->server.world);
    status = status == ISO_OK ? s->scene->build(s, s->server.world) : status;
    SIM_CHECK(s, status == ISO_OK, "the scene cannot be built: %s", iso_status_name(status));
    iso_world_start(s->server.world);
}

/// A keyed digest. Nobody here tries to break it.
static void server_secret(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]) {
    const sim *s = user;
    uint64_t digest = oracle_digest(0, s->server.key, sizeof s->server.key);
    for (size_t i = 0; i < ISO_SECRET_SIZE; ++i) {
        digest = oracle_digest(digest, bytes, size);
        secret[i] = (uint8_t)(digest >> 24);
    }
}

void server_create_session(sim *s) {
    const iso_allocator allocator = sim_allocator(s);
    s->config.secret = server_secret;
    s->config.secret_user = s;
    const iso_status status =
        iso_session_create(&s->config, &allocator, s->server.world, server_now_ns(s), &s->server.session);
    SIM_CHECK(s, status == ISO_OK, "the session cannot be made: %s", iso_status_name(status));
}

void server_start(sim *s) {
    s->server.is_up = true;
    s->server.incarnation = 1;
    s->config.run = SIM_RUN_NUMBERS;
    for (size_t i = 0; i < sizeof s->server.key; ++i) {
        s->server.key[i] = (uint8_t)sim_random_next(&s->random);
    }
    overlap_lock(s);
    addresses_begin(s);
    server_build_world(s);
    if (s->config.is_recording) {
        recording_start(s, 0, NULL);
    }
    s->ticks[0].root = iso_world_root(s->server.world);
    server_create_session(s);
    server_drain(s);
}

void server_stop(sim *s) {
    iso_session_stats stats;
    iso_session_get_stats(s->server.session, &stats);
    s->totals.ticks += stats.ticks_sealed;
    s->totals.commands += stats.commands_sealed;
    s->totals.rejects += stats.commands_rejected;
    s->totals.joins += stats.joins;
    s->totals.slips += stats.slips;
    s->totals.desyncs += stats.desyncs;
    s->totals.takeovers += stats.ended_taken_over;
    s->totals.holds_expired += stats.holds_expired;
    s->totals.pauses += stats.pauses;
    s->totals.strict_waits += stats.strict_waits;
    s->totals.timeouts += stats.ended_timeout;
    SIM_CHECK(s, stats.notes_lost == 0, "log lines were lost");
    iso_session_destroy(s->server.session);
    recording_stop(s);
    overlap_unlock(s);
    free(s->server.world_memory);
}

// ---- the session's actions --------------------------------------------------------------------------

static const uint8_t *server_encode_frame(sim *s, const iso_message *message, size_t *size) {
    uint8_t *body = s->frame + ISO_FRAME_HEADER_SIZE_MAX;
    const iso_status status =
        iso_message_encode(message, s->encode_memory, ISO_ENCODE_MEMORY_SIZE, body, ISO_FRAME_MAX_SERVER, size);
    SIM_CHECK(s, status == ISO_OK, "a %s cannot be encoded: %s", iso_message_kind_name(message->kind),
              iso_status_name(status));
    uint8_t head[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t head_size = iso_frame_header_write(head, (uint32_t)*size);
    memcpy(body - head_size, head, head_size);
    *size += head_size;
    return body - head_size;
}

static void server_do_send(sim *s, const iso_session_action *action) {
    size_t size = 0;
    const uint8_t *frame = server_encode_frame(s, action->message, &size);
    if (action->message->kind == ISO_MESSAGE_TICK) {
        const iso_message_tick *tick = &action->message->as.tick;
        oracle_sealed(s, tick->tick, tick->changes, tick->change_count, tick->commands, tick->command_count);
    }
    for (uint32_t i = 0; i < action->connection_count; ++i) {
        const uint32_t index = (uint32_t)action->connections[i] - 1;
        SIM_CHECK(s, index < s->link_count && s->links[index].is_open_at_server,
                  "a message to a connection that is not there");
        oracle_server_sends(s, index, action->message);
        if (action->message->kind == ISO_MESSAGE_WELCOME) {
            iso_framer_set_max(&s->server.peers[index].framer, ISO_FRAME_MAX_CLIENT);
        }
        lies_send(s, index, action->message, frame, size);
    }
}

static void server_do_encode(sim *s, const iso_session_action *action) {
    for (uint32_t i = 0; i < SIM_IMAGES_MAX; ++i) {
        if (!s->server.images[i].is_out) {
            const uint64_t number = ++s->server.image_number;
            s->server.images[i] = (sim_image){true, number, action->tick, action->bytes, action->byte_count};
            const uint64_t delay_ns =
                sim_random_below(&s->random, sim_random_one_in(&s->random, 4) ? 300 * SIM_MS : 5 * SIM_MS);
            sim_schedule(s, s->now_ns + delay_ns, (sim_event){.kind = SIM_ENCODED, .index = i, .count = number});
            return;
        }
    }
    sim_fail(s, "more snapshots are out than the session has");
}

static void server_do_log(const sim *s, const iso_session_note *note) {
    sim_log(s, "session: %s (connection %llu, slot %u, tick %llu, %s, %llu)", note->text,
            (unsigned long long)note->connection, (unsigned)note->slot, (unsigned long long)note->tick,
            iso_status_name(note->status), (unsigned long long)note->value);
}

/// Who was a member over that connection has its slot held from now on.
static void server_lost(sim *s, uint32_t index) {
    if (s->links[index].is_activated) {
        s->clients[s->links[index].client].gone_ns = s->now_ns;
    }
}

void server_drain(sim *s) {
    iso_session_action action;
    while (iso_session_next_action(s->server.session, &action)) {
        sim_trace(s, action.kind, action.tick);
        SIM_CHECK(s, !s->server.is_closed, "an action after CLOSED");
        switch (action.kind) {
        case ISO_SESSION_ACTION_SEND:
            server_do_send(s, &action);
            break;
        case ISO_SESSION_ACTION_CLOSE:
            net_close(s, (uint32_t)action.connections[0] - 1, SIM_TO_CLIENT);
            server_lost(s, (uint32_t)action.connections[0] - 1);
            addresses_strike(s, (uint32_t)action.connections[0] - 1, action.status);
            addresses_leave(s, (uint32_t)action.connections[0] - 1);
            break;
        case ISO_SESSION_ACTION_ENCODE_SNAPSHOT:
            server_do_encode(s, &action);
            break;
        case ISO_SESSION_ACTION_LOG:
            server_do_log(s, action.note);
            break;
        case ISO_SESSION_ACTION_HOLD:
            oracle_held(s, &action);
            break;
        case ISO_SESSION_ACTION_CLOSED:
            for (uint32_t i = 1; i <= SIM_ADDRESSES_MAX; ++i) {
                SIM_CHECK(s, s->server.held[i] == 0, "the session is closed, and %u slots are held for address %u",
                          s->server.held[i], i);
            }
            s->server.is_closed = true;
            break;
        default:
            recording_act(s, &action);
            break;
        }
    }
}

// ---- what happens to it -----------------------------------------------------------------------------

/// The host answers by itself, and closes.
static void server_turn_away(sim *s, uint32_t index) {
    const iso_message refusal = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal = {.code = ISO_ERR_ADDRESS_LIMIT}};
    size_t size = 0;
    const uint8_t *frame = server_encode_frame(s, &refusal, &size);
    lies_send(s, index, &refusal, frame, size);
    net_close(s, index, SIM_TO_CLIENT);
}

void server_opened(sim *s, uint32_t index) {
    sim_server_peer *peer = &s->server.peers[index];
    iso_framer_init(&peer->framer, peer->buffer, sizeof peer->buffer);
    iso_framer_set_max(&peer->framer, ISO_FRAME_MAX_HELLO);
    if (!addresses_enter(s, index)) {
        server_turn_away(s, index);
        return;
    }
    server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED,
                                         .connection = index + 1,
                                         .origin = addresses_origin(s, index),
                                         .is_origin_full = addresses_are_over(s, index)});
}

/// Whoever is new gets in only from an address that has not all it may have. @return false: it is turned away
static bool server_greets(sim *s, uint32_t index, const iso_message *message) {
    const bool first = !s->server.peers[index].is_greeted;
    s->server.peers[index].is_greeted = true;
    const bool joins = message->kind == ISO_MESSAGE_HELLO && message->as.hello.role == ISO_ROLE_PLAYER &&
                       !message->as.hello.has_resume;
    if (!first || !joins || !addresses_are_over(s, index)) {
        return true;
    }
    s->totals.joins_refused += 1;
    server_turn_away(s, index);
    server_gone(s, index);
    return false;
}

static void server_frame(sim *s, uint32_t index, const uint8_t *frame, size_t size) {
    const iso_decode_limits limits = iso_decode_limits_from_client();
    iso_message message;
    const iso_status status =
        iso_message_decode(frame, size, &limits, s->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &message);
    if (status != ISO_OK) {
        server_handle(
            s, (iso_session_event){.kind = ISO_SESSION_EVENT_BAD_FRAME, .connection = index + 1, .status = status});
        return;
    }
    if (!server_greets(s, index, &message)) {
        return;
    }
    oracle_server_hears(s, index, &message);
    server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE,
                                         .connection = index + 1,
                                         .message = &message,
                                         .size = (uint32_t)size});
}

void server_bytes(sim *s, uint32_t index, const uint8_t *bytes, size_t size) {
    sim_server_peer *peer = &s->server.peers[index];
    while (size > 0 && !peer->is_deaf && s->links[index].is_open_at_server) {
        size_t consumed;
        size_t frame_size;
        const uint8_t *frame;
        const iso_status status = iso_framer_feed(&peer->framer, bytes, size, &consumed, &frame, &frame_size);
        if (status != ISO_OK) {
            peer->is_deaf = true;
            server_handle(
                s, (iso_session_event){.kind = ISO_SESSION_EVENT_BAD_FRAME, .connection = index + 1, .status = status});
            return;
        }
        bytes += consumed;
        size -= consumed;
        if (frame != NULL) {
            server_frame(s, index, frame, frame_size);
        }
    }
}

void server_gone(sim *s, uint32_t index) {
    server_lost(s, index);
    server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = index + 1});
    addresses_leave(s, index);
}

void server_queued(sim *s, uint32_t index, size_t size) {
    server_handle(
        s, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = index + 1, .size = (uint32_t)size});
}

static void server_encoded(sim *s, sim_image *image) {
    const size_t capacity = iso_compress_bound(image->size);
    uint8_t *packed = malloc(capacity);
    const size_t size = iso_compress(image->bytes, image->size, packed, capacity);
    image->is_out = false;
    server_handle(
        s, (iso_session_event){
               .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED, .tick = image->tick, .bytes = packed, .byte_count = size});
    // The session has copied it.
    memset(packed, 0xEE, capacity);
    free(packed);
}

void server_event(sim *s, const sim_event *event) {
    if (event->kind == SIM_RESTART) {
        server_restart(s);
    } else if (event->kind == SIM_KILL) {
        server_kill(s, event->count != 0);
    } else if (event->kind == SIM_WRITER || event->kind == SIM_SYNCED || event->kind == SIM_REPORT) {
        recording_event(s, event);
    } else if (event->kind == SIM_ENCODED) {
        sim_image *image = &s->server.images[event->index];
        if (image->is_out && image->number == event->count) {
            server_encoded(s, image);
        }
    } else if (event->kind == SIM_DISK_HANG) {
        disk_hang(s, event->count);
    } else if (event->kind == SIM_SECOND_SERVER) {
        overlap_try(s);
    } else if (event->kind == SIM_STEAL) {
        secrets_steal(s);
    } else if (event->kind == SIM_SERVER_BUSY) {
        s->server.busy_until_ns = s->now_ns + event->count;
    } else {
        recording_check_begun_again(s);
        s->server.is_shutting_down = true;
        lies_check_recovered(s);
        for (uint32_t i = 0; i < s->client_count; ++i) {
            sim_client *c = &s->clients[i];
            const uint64_t since_ns = c->resumed_ns;
            const bool here = !c->has_ended && c->link != SIM_NONE && s->links[c->link].is_open_at_server;
            // Whose words are on their way for long has not come back for long either.
            const bool heard = c->bytes_per_second == 0 && s->now_ns > c->partition_until_ns + 3 * SIM_SECOND / 2;
            c->is_settled = here && heard && since_ns != 0 && s->now_ns > since_ns + 3 * SIM_SECOND / 2;
        }
        server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    }
}

uint64_t server_next_ns(sim *s) {
    sim_server *server = &s->server;
    const uint64_t recording_ns = recording_deadline_ns(s);
    const uint64_t session_ns = iso_session_next_deadline(server->session);
    const uint64_t deadline_ns = recording_ns < session_ns ? recording_ns : session_ns;
    if (deadline_ns != server->deadline_ns || server->clock.jumps != server->clock_jumps) {
        // Nobody wakes up on the nanosecond.
        server->deadline_ns = deadline_ns;
        server->clock_jumps = server->clock.jumps;
        const uint64_t when_ns = clock_when(&server->clock, deadline_ns);
        server->due_ns = when_ns == UINT64_MAX ? UINT64_MAX : when_ns + sim_random_below(&s->random, SIM_MS / 2);
    }
    const uint64_t due_ns = server->due_ns > s->now_ns ? server->due_ns : s->now_ns;
    if (server->due_ns == UINT64_MAX) {
        return UINT64_MAX;
    }
    return due_ns > server->busy_until_ns ? due_ns : server->busy_until_ns;
}

void server_time(sim *s) {
    recording_time(s);
    server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
}
