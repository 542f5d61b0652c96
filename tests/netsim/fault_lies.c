/// A hostile server, for some of the clients: what the session says to them is changed on its way out. The client
/// library must neither crash nor loop, and never take a state for right whose root is not the one that it was told.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

// Messages that a client sends at most, over its whole life: inputs, confirmations, pings and acknowledgements.
#define SAID_BASE       3000u
#define SAID_PER_SECOND 400u

bool client_is_wild(const sim_client *c) {
    return c->bot == SIM_BOT_TAMPER || c->lies == SIM_LIES_MANY;
}

static uint64_t lie_number(sim *s, uint64_t value) {
    switch (sim_random_below(&s->trouble, 5)) {
    case 0:
        return value + sim_random_between(&s->trouble, 1, 3);
    case 1:
        return value > 2 ? value - sim_random_between(&s->trouble, 1, 2) : value + 1;
    case 2:
        return ISO_TICK_END - 1;
    case 3:
        return 0;
    default:
        return sim_random_below(&s->trouble, 2 * (value % (UINT64_MAX / 4)) + 2);
    }
}

static void lie_tick(sim *s, iso_message_tick *tick) {
    switch (sim_random_below(&s->trouble, 7)) {
    case 0:
        tick->tick = lie_number(s, tick->tick) % ISO_TICK_END;
        break;
    case 1:
        tick->epoch ^= 1u;
        break;
    case 2:
        tick->hashed_tick = lie_number(s, tick->hashed_tick) % ISO_TICK_END;
        break;
    case 3:
        tick->change_count = 0;
        break;
    case 4:
        tick->command_count -= tick->command_count > 0;
        break;
    default:
        tick->root ^= UINT64_C(1) << sim_random_below(&s->trouble, 64);
        break;
    }
}

static void lie_welcome(sim *s, iso_message_welcome *welcome) {
    switch (sim_random_below(&s->trouble, 9)) {
    case 0:
        welcome->slot = (uint8_t)sim_random_below(&s->trouble, ISO_SLOT_COUNT_MAX);
        break;
    case 1:
        welcome->tick = lie_number(s, welcome->tick);
        break;
    case 2:
        welcome->tick_rate_hz = (uint16_t)sim_random_next(&s->trouble);
        break;
    case 3:
        welcome->resumed = (uint8_t)sim_random_below(&s->trouble, 5);
        break;
    case 4:
        welcome->last_sequence = lie_number(s, welcome->last_sequence);
        break;
    case 5:
        welcome->epoch += 1;
        break;
    case 6:
        welcome->slot_generation += 1;
        break;
    case 7:
        welcome->fingerprint.simulation_version += 1;
        break;
    default:
        welcome->secret[0] ^= 1u;
        break;
    }
}

static void lie_snapshot(sim *s, iso_message_snapshot_begin *begin) {
    switch (sim_random_below(&s->trouble, 6)) {
    case 0:
        begin->tick = lie_number(s, begin->tick) % ISO_TICK_END;
        break;
    case 1:
        begin->raw_size = (uint32_t)sim_random_next(&s->trouble) >> sim_random_below(&s->trouble, 32);
        break;
    case 2:
        begin->size = (uint32_t)sim_random_next(&s->trouble) >> sim_random_below(&s->trouble, 32);
        break;
    case 3:
        begin->chunk_count += 1;
        break;
    case 4:
        begin->compression ^= 3u;
        break;
    default:
        begin->root ^= 1u;
        break;
    }
}

static void lie_status(sim *s, iso_message_status *status) {
    status->server_tick = lie_number(s, status->server_tick);
    status->acked_sequence = lie_number(s, status->acked_sequence);
    status->margin_ticks_q8 = (int32_t)sim_random_next(&s->trouble);
    status->durable_tick = lie_number(s, status->durable_tick);
}

/// Something that this client is not told now.
static void lie_out_of_place(sim *s, iso_message *message) {
    const uint8_t kinds[] = {ISO_MESSAGE_REWIND,   ISO_MESSAGE_DESYNC_NOTICE, ISO_MESSAGE_STATE_NOTICE,
                             ISO_MESSAGE_ACTIVATE, ISO_MESSAGE_REJECT,        ISO_MESSAGE_SNAPSHOT_ACK,
                             ISO_MESSAGE_LEAVE};
    const uint64_t tick = lie_number(s, s->last_tick) % ISO_TICK_END;
    const uint64_t root = s->ticks[s->last_tick].root;
    memset(message, 0, sizeof *message);
    message->kind = kinds[sim_random_below(&s->trouble, sizeof kinds)];
    switch (message->kind) {
    case ISO_MESSAGE_REWIND:
        message->as.rewind = (iso_message_rewind){.tick = tick, .root = root, .epoch = s->epoch};
        break;
    case ISO_MESSAGE_DESYNC_NOTICE:
        message->as.desync_notice =
            (iso_message_desync_notice){.tick = tick,
                                        .expected_root = root,
                                        .actual_root = ~root,
                                        .action = (uint8_t)sim_random_between(&s->trouble, 1, 4)};
        break;
    case ISO_MESSAGE_STATE_NOTICE:
        message->as.state_notice = (iso_message_state_notice){
            .state = (uint8_t)sim_random_between(&s->trouble, 1, 3), .tick = tick, .late_policy = ISO_LATE_DROP};
        break;
    case ISO_MESSAGE_ACTIVATE:
        message->as.activate = (iso_message_activate){.slot_generation = 1, .join_tick = tick};
        break;
    case ISO_MESSAGE_REJECT:
        message->as.reject = (iso_message_reject){.sequence = sim_random_below(&s->trouble, 100), .code = ISO_ERR_RATE};
        break;
    default:
        break;
    }
}

static void lie_fields(sim *s, iso_message *message) {
    switch (message->kind) {
    case ISO_MESSAGE_TICK:
        lie_tick(s, &message->as.tick);
        break;
    case ISO_MESSAGE_WELCOME:
        lie_welcome(s, &message->as.welcome);
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        lie_snapshot(s, &message->as.snapshot_begin);
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        message->as.snapshot_chunk.index = (uint32_t)lie_number(s, message->as.snapshot_chunk.index);
        break;
    case ISO_MESSAGE_ACTIVATE:
        message->as.activate.join_tick = lie_number(s, message->as.activate.join_tick);
        break;
    case ISO_MESSAGE_PONG:
        message->as.pong.server_tick = lie_number(s, message->as.pong.server_tick);
        break;
    case ISO_MESSAGE_STATUS:
        lie_status(s, &message->as.status);
        break;
    case ISO_MESSAGE_REWIND:
        message->as.rewind.tick = lie_number(s, message->as.rewind.tick) % ISO_TICK_END;
        break;
    default:
        lie_out_of_place(s, message);
        break;
    }
}

/// Whether it can be said at all; what cannot is no lie but nothing.
static size_t lie_encode(sim *s, const iso_message *message, uint8_t *frame) {
    size_t size = 0;
    uint8_t *body = frame + ISO_FRAME_HEADER_SIZE_MAX;
    if (iso_message_encode(message, s->encode_memory, ISO_ENCODE_MEMORY_SIZE, body, ISO_FRAME_MAX_SERVER, &size) !=
        ISO_OK) {
        return 0;
    }
    uint8_t head[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t head_size = iso_frame_header_write(head, (uint32_t)size);
    memmove(frame + head_size, body, size);
    memcpy(frame, head, head_size);
    return head_size + size;
}

static void lie_say(sim *s, uint32_t link, const iso_message *message) {
    uint8_t *frame = malloc(ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER);
    const size_t size = lie_encode(s, message, frame);
    if (size > 0) {
        net_send(s, link, SIM_TO_CLIENT, frame, size);
    }
    free(frame);
}

/// Bytes that are no message, in a frame or not even that.
static void lie_garbage(sim *s, uint32_t link) {
    uint8_t bytes[200];
    const size_t size = (size_t)sim_random_between(&s->trouble, 2, sizeof bytes);
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)sim_random_next(&s->trouble);
    }
    if (sim_random_one_in(&s->trouble, 2)) {
        bytes[0] = (uint8_t)((size - 1) & 127u);
    }
    net_send(s, link, SIM_TO_CLIENT, bytes, size);
}

static void lie(sim *s, uint32_t link, const iso_message *message, const uint8_t *frame, size_t size) {
    sim_client *c = &s->clients[s->links[link].client];
    iso_message changed = *message;
    switch (sim_random_below(&s->trouble, 10)) {
    case 0:
        return; // unsaid
    case 1:     // twice
        net_send(s, link, SIM_TO_CLIENT, frame, size);
        break;
    case 2:
        lie_garbage(s, link);
        break;
    case 3: // after the next
        if (c->late_frame == NULL) {
            c->late_frame = malloc(size);
            c->late_size = size;
            memcpy(c->late_frame, frame, size);
            return;
        }
        break;
    case 4:
        lie_out_of_place(s, &changed);
        lie_say(s, link, &changed);
        break;
    default:
        lie_fields(s, &changed);
        lie_say(s, link, &changed);
        return;
    }
    net_send(s, link, SIM_TO_CLIENT, frame, size);
}

/// One wrong root, in a tick for an active member, and the truth ever after.
static bool lie_about_one_root(sim *s, uint32_t link, const iso_message *message) {
    sim_client *c = &s->clients[s->links[link].client];
    if (c->lied_ns != 0 || message->kind != ISO_MESSAGE_TICK || c->active_tick == 0) {
        return false;
    }
    iso_message changed = *message;
    changed.as.tick.root ^= 1u;
    c->lied_ns = s->now_ns;
    c->lied_tick = message->as.tick.tick;
    lie_say(s, link, &changed);
    return true;
}

void lies_send(sim *s, uint32_t link, const iso_message *message, const uint8_t *frame, size_t size) {
    sim_client *c = &s->clients[s->links[link].client];
    const bool lying = c->lies != SIM_LIES_NONE && s->now_ns >= c->lies_from_ns;
    uint8_t *late = c->late_frame;
    if (lying && c->lies == SIM_LIES_ONE_ROOT && lie_about_one_root(s, link, message)) {
        s->totals.lies += 1;
    } else if (lying && c->lies == SIM_LIES_MANY && sim_random_one_in(&s->trouble, 25)) {
        s->totals.lies += 1;
        sim_log(s, "client %u is lied to with a %s", s->links[link].client, iso_message_kind_name(message->kind));
        lie(s, link, message, frame, size);
    } else {
        net_send(s, link, SIM_TO_CLIENT, frame, size);
    }
    if (late != NULL) {
        net_send(s, link, SIM_TO_CLIENT, late, c->late_size);
        free(late);
        c->late_frame = NULL;
    }
}

void lies_told(sim *s, uint32_t client, const iso_message *message) {
    sim_client *c = &s->clients[client];
    c->told_tick = 0;
    if (message->kind == ISO_MESSAGE_TICK && message->as.tick.hashed_tick == message->as.tick.tick) {
        c->told_tick = message->as.tick.tick;
        c->told_root = message->as.tick.root;
    }
    if (c->lied_ns != 0 && c->heard_lie_ns == 0 && c->told_tick == c->lied_tick) {
        c->heard_lie_ns = s->now_ns;
    }
}

void lies_stepped(sim *s, uint32_t client) {
    sim_client *c = &s->clients[client];
    const bool compared = c->told_tick != 0 && !c->has_ended && iso_client_tick(c->client) == c->told_tick &&
                          iso_client_world(c->client) != NULL && c->flip_state != SIM_FLIPPED;
    if (compared) {
        const uint64_t root = iso_world_root((iso_world *)(uintptr_t)iso_client_world(c->client));
        SIM_CHECK(s, root == c->told_root,
                  "client %u has another root after tick %llu than it was told, and says nothing", client,
                  (unsigned long long)c->told_tick);
    }
    c->told_tick = 0;
}

void lies_count_said(sim *s, uint32_t client) {
    sim_client *c = &s->clients[client];
    c->said += 1;
    SIM_CHECK(s, c->said < SAID_BASE + s->now_ns / SIM_SECOND * SAID_PER_SECOND, "client %u sends messages without end",
              client);
}

void lies_plan(sim *s, uint32_t client, uint64_t from_ns) {
    sim_client *c = &s->clients[client];
    const bool fit = c->bot != SIM_BOT_RUDE && c->bot != SIM_BOT_TAMPER && c->flip_state == SIM_NO_FLIP;
    if (fit && sim_random_one_in(&s->trouble, 6)) {
        c->lies = sim_random_one_in(&s->trouble, 2) ? SIM_LIES_ONE_ROOT : SIM_LIES_MANY;
        c->lies_from_ns =
            from_ns + (sim_random_one_in(&s->trouble, 2) ? 0 : sim_random_below(&s->trouble, s->shutdown_ns - from_ns));
    }
}

/// Whoever was told one wrong root compares roots again soon.
void lies_check_recovered(sim *s) {
    for (uint32_t i = 0; i < s->client_count; ++i) {
        const sim_client *c = &s->clients[i];
        // A server that died since may be back at an earlier tick.
        const bool long_ago = c->heard_lie_ns != 0 && s->now_ns > c->heard_lie_ns + 4 * SIM_SECOND &&
                              c->lied_tick < s->last_tick && s->now_ns > c->partition_until_ns + 4 * SIM_SECOND &&
                              !c->has_stalled_once && c->bytes_per_second == 0;
        if (!long_ago || c->has_ended || iso_client_get_phase(c->client) != ISO_CLIENT_PHASE_ACTIVE) {
            continue;
        }
        iso_client_stats stats;
        iso_client_get_stats(c->client, &stats);
        SIM_CHECK(s, stats.last_tick > c->lied_tick,
                  "client %u was told a wrong root of tick %llu and compares none since", i,
                  (unsigned long long)c->lied_tick);
        s->totals.lies_outlived += 1;
    }
}

void lies_free(sim_client *c) {
    free(c->late_frame);
    c->late_frame = NULL;
}
