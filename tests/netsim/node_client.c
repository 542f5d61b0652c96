/// A client: hosts the client library as client-sample/cli does, on virtual everything, and plays.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static void client_drain(sim *s, uint32_t index);

static void client_handle(sim *s, uint32_t index, iso_client_event event) {
    sim_client *c = &s->clients[index];
    iso_client_handle(c->client, clock_read(&c->clock, s->now_ns), &event);
    client_drain(s, index);
}

/// A peer that has read nothing of the standard.
static void rude_start(sim *s, uint32_t link) {
    uint8_t bytes[2000];
    const size_t size = (size_t)sim_random_below(&s->random, sizeof bytes);
    const bool framed = sim_random_one_in(&s->random, 2);
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)sim_random_next(&s->random);
    }
    if (framed && size > 2) {
        bytes[0] = (uint8_t)sim_random_between(&s->random, 1, 100);
    }
    if (size > 0) {
        net_send(s, link, SIM_TO_SERVER, bytes, size);
    }
}

static void client_create(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    iso_client_config config = iso_client_config_default();
    char name[16];
    snprintf(name, sizeof name, "bot-%u", index);
    config.allocator = sim_allocator(s);
    config.games = s->scene->games();
    config.game_count = s->scene->game_count;
    config.session = s->config.name;
    config.name = name;
    config.role = c->bot == SIM_BOT_WATCH ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
    config.flip_at_tick = c->flip_at_tick;
    config.predict_frames = config.role == ISO_ROLE_PLAYER ? c->predict_frames : 0;
    config.reconnect_ms = 20000;
    config.seed = sim_random_next(&s->random);
    const iso_status status = iso_client_create(&config, &c->client);
    SIM_CHECK(s, status == ISO_OK, "a client cannot be made: %s", iso_status_name(status));
    c->buffers[0] = malloc(ISO_FRAME_MAX_SERVER);
    c->buffers[1] = malloc(ISO_FRAME_MAX_SERVER);
    c->deadline_ns = c->due_ns = UINT64_MAX;
    sim_schedule(s, s->now_ns + sim_random_below(&s->random, 100 * SIM_MS),
                 (sim_event){.kind = SIM_BOT, .index = index});
}

/// Nobody is there who would take a connection.
static bool client_is_cut_off(const sim *s, uint32_t index) {
    return !s->server.is_up || s->server.is_closed || s->link_count == SIM_LINKS_MAX || partition_is(s, index);
}

static uint32_t client_open(sim *s, uint32_t index, uint8_t stream) {
    sim_client *c = &s->clients[index];
    const uint32_t link = net_open(s, index);
    s->links[link].stream = stream;
    iso_framer_init(&c->framers[stream], c->buffers[stream], ISO_FRAME_MAX_SERVER);
    return link;
}

/// For the first time, or again.
static void client_connect(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    sim_log(s, "client %u connects (bot %u)", index, (unsigned)c->bot);
    c->is_connected = true;
    const bool first = c->client == NULL;
    if (first && c->bot != SIM_BOT_RUDE) {
        client_create(s, index);
    }
    c->has_come_back = c->has_come_back || !first;
    if (client_is_cut_off(s, index)) {
        client_gone(s, index, SIM_NONE, ISO_ERR_CONNECTION); // refused
        return;
    }
    if (c->bot == SIM_BOT_RUDE) {
        c->link = net_open(s, index);
        rude_start(s, c->link);
        return;
    }
    c->link = c->last_link = client_open(s, index, c->stream);
    client_handle(s, index, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
}

void client_free(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    if (c->client != NULL) {
        iso_client_destroy(c->client);
        c->client = NULL;
    }
    for (int i = 0; i < 2; ++i) {
        free(c->buffers[i]);
        c->buffers[i] = NULL;
    }
    oracle_outcomes_forget(s, index);
    lies_free(c);
}

void client_put(sim *s, uint32_t index, uint32_t link, const iso_message *message) {
    size_t size = 0;
    uint8_t *body = s->frame + ISO_FRAME_HEADER_SIZE_MAX;
    const iso_status status =
        iso_message_encode(message, s->encode_memory, ISO_ENCODE_MEMORY_SIZE, body, ISO_FRAME_MAX_CLIENT, &size);
    SIM_CHECK(s, status == ISO_OK, "a client's %s cannot be encoded: %s", iso_message_kind_name(message->kind),
              iso_status_name(status));
    oracle_client_sends(s, index, message);
    lies_count_said(s, index);
    if (message->kind == ISO_MESSAGE_HELLO) {
        s->clients[index].hello = message->as.hello;
    }
    uint8_t head[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t head_size = iso_frame_header_write(head, (uint32_t)size);
    memcpy(body - head_size, head, head_size);
    net_send(s, link, SIM_TO_SERVER, body - head_size, head_size + size);
}

static void client_do_send(sim *s, uint32_t index, const iso_client_action *action) {
    const sim_client *c = &s->clients[index];
    iso_message changed = *action->message;
    const uint32_t copies = c->bot == SIM_BOT_TAMPER ? tamper(s, index, &changed) : 1;
    for (uint32_t i = 0; i < copies; ++i) {
        client_put(s, index, action->is_spare ? c->spare : c->link, &changed);
    }
}

/// A connection beside a silent one: it takes a moment to stand.
static void client_try(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    c->is_trying = true;
    c->try_number += 1;
    sim_schedule(s, s->now_ns + sim_random_below(&s->hush, 200 * SIM_MS),
                 (sim_event){.kind = SIM_TRY, .index = index, .count = c->try_number});
}

static void client_tried(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    c->is_trying = false;
    const bool is_open = !client_is_cut_off(s, index);
    sim_log(s, "client %u tries another connection%s", index, is_open ? "" : ", in vain");
    c->spare = is_open ? client_open(s, index, 1 - c->stream) : SIM_NONE;
    client_handle(s, index,
                  (iso_client_event){.kind = is_open ? ISO_CLIENT_EVENT_CONNECTED : ISO_CLIENT_EVENT_DISCONNECTED,
                                     .is_spare = true});
}

static void client_end_try(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    if (c->spare != SIM_NONE) {
        net_close(s, c->spare, SIM_TO_SERVER);
    }
    c->spare = SIM_NONE;
    c->is_trying = false;
}

static void client_switch(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    sim_log(s, "client %u goes on over the other connection", index);
    if (c->link != SIM_NONE) {
        net_close(s, c->link, SIM_TO_SERVER);
    }
    silence_switched(s, index);
    c->link = c->last_link = c->spare;
    c->spare = SIM_NONE;
    c->stream = 1 - c->stream;
    c->has_come_back = true;
    c->resumed_ns = c->is_settled ? c->resumed_ns : 0;
}

static void client_decompress(sim *s, uint32_t index, const iso_client_action *action) {
    uint8_t *bytes = malloc(action->raw_size);
    const iso_status status = iso_decompress(action->bytes, action->size, bytes, action->raw_size);
    client_handle(
        s, index,
        (iso_client_event){
            .kind = ISO_CLIENT_EVENT_DECOMPRESSED, .status = status, .bytes = bytes, .size = action->raw_size});
    free(bytes);
}

/// A snapshot may follow: then its ticks do not go on from those before.
static void client_welcomed(sim *s, uint32_t index) {
    const iso_message_welcome *welcome = iso_client_welcome(s->clients[index].client);
    if (welcome->resumed == ISO_RESUMED_NEW) {
        oracle_outcomes_forget(s, index);
    }
    if (welcome->resumed == ISO_RESUMED_NEW || welcome->resumed == ISO_RESUMED_SNAPSHOT ||
        welcome->resumed == ISO_RESUMED_REWIND) {
        s->clients[index].has_tick = false;
    }
}

static void client_do(sim *s, uint32_t index, const iso_client_action *action) {
    sim_client *c = &s->clients[index];
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        client_do_send(s, index, action);
        break;
    case ISO_CLIENT_ACTION_CLOSE:
        net_close(s, c->link, SIM_TO_SERVER);
        break;
    case ISO_CLIENT_ACTION_TRY:
        client_try(s, index);
        break;
    case ISO_CLIENT_ACTION_TRY_END:
        client_end_try(s, index);
        break;
    case ISO_CLIENT_ACTION_SWITCH:
        client_switch(s, index);
        break;
    case ISO_CLIENT_ACTION_TICK:
        oracle_outcomes_owed(s, index, action->tick);
        oracle_client_ticks(s, index, action);
        oracle_members_known(s, index);
        bot_results(s, index, action);
        break;
    case ISO_CLIENT_ACTION_PREDICTED:
        SIM_CHECK(s, action->tick <= iso_client_tick(c->client) + c->predict_frames,
                  "client %u predicts tick %llu at tick %llu, and may run %u ahead", index,
                  (unsigned long long)action->tick, (unsigned long long)iso_client_tick(c->client),
                  (unsigned)c->predict_frames);
        oracle_outcomes(s, index, action);
        break;
    case ISO_CLIENT_ACTION_REFUSED:
    case ISO_CLIENT_ACTION_LOST:
        oracle_client_loses(s, index, action);
        break;
    case ISO_CLIENT_ACTION_DESYNC:
        SIM_CHECK(s, c->flip_at_tick != 0 || c->lied_ns != 0 || client_is_wild(c),
                  "client %u finds a desync at tick %llu: %016llx, the server's %016llx", index,
                  (unsigned long long)action->tick, (unsigned long long)action->ours,
                  (unsigned long long)action->theirs);
        c->flip_state = SIM_FLIPPED;
        c->wrong_tick = action->tick;
        break;
    case ISO_CLIENT_ACTION_HEALED:
        s->totals.heals += 1;
        oracle_outcomes_withdrawn(s, index, action);
        // Nothing happens in tick 0; who tampers may be told that it was wrong there.
        SIM_CHECK(s, c->wrong_tick == 0 || action->first_tick <= c->wrong_tick,
                  "client %u keeps what it was told of tick %llu, in which its world was wrong", index,
                  (unsigned long long)c->wrong_tick);
        c->flip_state = SIM_HEALED;
        oracle_clock_disturb(s, index, 0);
        c->has_tick = false;
        break;
    case ISO_CLIENT_ACTION_REWOUND:
        oracle_outcomes_withdrawn(s, index, action);
        sim_log(s, "client %u goes back from tick %llu to %llu", index, (unsigned long long)c->tick,
                (unsigned long long)action->tick);
        c->tick = action->tick;
        break;
    case ISO_CLIENT_ACTION_WELCOME:
        client_welcomed(s, index);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        silence_joined(s, index);
        oracle_outcomes_forget(s, index);
        c->is_told = c->predict_frames > 0 && iso_client_slot(c->client) != ISO_SLOT_NONE;
        oracle_clock_disturb(s, index, 0);
        break;
    case ISO_CLIENT_ACTION_STATE:
        oracle_clock_disturb(s, index, 0);
        break;
    case ISO_CLIENT_ACTION_RESUMED:
        c->resumed_ns = s->now_ns;
        silence_resumed(s, index);
        oracle_clock_disturb(s, index, 0);
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        client_end_try(s, index);
        sim_schedule(s, s->now_ns + action->delay_ns, (sim_event){.kind = SIM_CONNECT, .index = index});
        break;
    case ISO_CLIENT_ACTION_ENDED:
        sim_log(s, "client %u ended: %s %s %s", index, iso_status_name(action->status), action->text,
                action->expected != NULL ? action->expected : "");
        oracle_client_ended(s, index, action->status);
        break;
    default:
        break;
    }
}

static void client_drain(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    iso_client_action action;
    iso_client_action decompress = {0};
    while (iso_client_next_action(c->client, &action)) {
        sim_trace(s, index * 32u + action.kind, action.tick);
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else {
            client_do(s, index, &action);
        }
    }
    if (decompress.kind != 0) {
        client_decompress(s, index, &decompress);
    }
}

/// What it cannot read is the end of the stream, as for every host.
static void client_hang_up(sim *s, uint32_t index, uint32_t link, iso_status status) {
    net_close(s, link, SIM_TO_SERVER);
    client_gone(s, index, link, status);
}

void client_bytes(sim *s, uint32_t link, const uint8_t *bytes, size_t size) {
    const uint32_t index = s->links[link].client;
    sim_client *c = &s->clients[index];
    if (c->client == NULL) {
        return; // the rude do not listen
    }
    while (size > 0 && !c->has_ended && (c->link == link || c->spare == link)) {
        size_t consumed;
        size_t frame_size;
        const uint8_t *frame;
        iso_status status =
            iso_framer_feed(&c->framers[s->links[link].stream], bytes, size, &consumed, &frame, &frame_size);
        if (status != ISO_OK && c->lies == SIM_LIES_MANY) {
            client_hang_up(s, index, link, status);
            return;
        }
        SIM_CHECK(s, status == ISO_OK, "client %u cannot read the stream: %s", index, iso_status_name(status));
        bytes += consumed;
        size -= consumed;
        if (frame == NULL) {
            continue;
        }
        const iso_decode_limits limits = iso_decode_limits_from_server();
        iso_message message;
        status =
            iso_message_decode(frame, frame_size, &limits, s->decode_memory, ISO_DECODE_MEMORY_FROM_SERVER, &message);
        if (status != ISO_OK && c->lies == SIM_LIES_MANY) {
            client_hang_up(s, index, link, status);
            return;
        }
        SIM_CHECK(s, status == ISO_OK, "client %u cannot decode a message: %s", index, iso_status_name(status));
        lies_told(s, index, &message);
        client_handle(
            s, index,
            (iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE, .is_spare = c->spare == link, .message = &message});
        lies_stepped(s, index);
    }
}

void client_gone(sim *s, uint32_t index, uint32_t link, iso_status status) {
    sim_client *c = &s->clients[index];
    if (link != SIM_NONE && link == c->spare) {
        c->spare = SIM_NONE;
        client_handle(s, index, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .is_spare = true});
        return;
    }
    c->link = SIM_NONE;
    c->resumed_ns = c->is_settled ? c->resumed_ns : 0;
    if (c->client == NULL) {
        c->has_ended = true;
        return;
    }
    if (!c->has_ended) {
        client_handle(s, index, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = status});
    }
}

void client_event(sim *s, const sim_event *event) {
    sim_client *c = &s->clients[event->index];
    switch (event->kind) {
    case SIM_CONNECT:
        if (!c->has_ended && (!s->server.is_shutting_down || c->is_connected)) {
            client_connect(s, event->index);
        }
        break;
    case SIM_TRY:
        if (c->is_trying && c->try_number == event->count && !c->has_ended) {
            client_tried(s, event->index);
        }
        break;
    case SIM_CUT:
    case SIM_LOSE:
        if (c->link != SIM_NONE && !c->has_ended) {
            const bool cut = event->kind == SIM_CUT;
            s->totals.cuts += cut;
            s->totals.losses += !cut;
            sim_log(s, cut ? "client %u is cut off" : "client %u loses its network", event->index);
            (cut ? net_cut : net_lose_client)(s, c->link);
        }
        break;
    case SIM_LEAVE:
        if (c->client != NULL && !c->has_ended) {
            c->is_leaving = true;
            client_handle(s, event->index, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
        }
        break;
    case SIM_REROUTE:
        oracle_clock_disturb(s, event->index, SIM_LONG); // its line is another one
        c->is_rerouted = true;
        if (c->link != SIM_NONE) {
            s->links[c->link].latency_ns = event->count;
        }
        break;
    case SIM_STALL:
        if (c->link != SIM_NONE && !c->has_ended && !s->links[c->link].is_stalled) {
            s->totals.stalls += 1;
            c->has_stalled_once = true;
            s->links[c->link].is_stalled = true;
            oracle_clock_disturb(s, event->index, event->count);
            sim_log(s, "client %u does not read for %llu ms", event->index,
                    (unsigned long long)(event->count / SIM_MS));
            sim_schedule(s, s->now_ns + event->count, (sim_event){.kind = SIM_WAKE, .index = c->link});
        }
        break;
    default:
        if (c->client != NULL && !c->has_ended) {
            bot_act(s, event->index);
            sim_schedule(s, s->now_ns + sim_random_between(&s->random, 5, 120) * SIM_MS,
                         (sim_event){.kind = SIM_BOT, .index = event->index});
        }
        break;
    }
}

uint64_t client_next_ns(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    if (c->client == NULL || c->has_ended) {
        return UINT64_MAX;
    }
    const uint64_t deadline_ns = iso_client_next_deadline(c->client);
    if (deadline_ns != c->deadline_ns || c->clock.jumps != c->clock_jumps) {
        c->deadline_ns = deadline_ns;
        c->clock_jumps = c->clock.jumps;
        const uint64_t when_ns = clock_when(&c->clock, deadline_ns);
        c->due_ns = when_ns == UINT64_MAX ? UINT64_MAX : when_ns + sim_random_below(&s->random, 2 * SIM_MS);
    }
    return c->due_ns > s->now_ns ? c->due_ns : s->now_ns;
}

void client_time(sim *s, uint32_t index) {
    client_handle(s, index, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
}
