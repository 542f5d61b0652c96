/// Ordered streams: every byte arrives, once, in order, late, in pieces of any size, until a cut. A stream may also go
/// dead without either end being told.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define NET_QUEUED_STEP 16384u

/// When the last of so many bytes has passed a line that carries only so many a second.
static uint64_t net_departure(sim *s, const sim_link *link, sim_pipe *pipe, size_t size) {
    const uint64_t bytes_per_second = s->clients[link->client].bytes_per_second;
    if (bytes_per_second == 0) {
        return s->now_ns;
    }
    const uint64_t from_ns = pipe->busy_until_ns > s->now_ns ? pipe->busy_until_ns : s->now_ns;
    pipe->busy_until_ns = from_ns + size * SIM_SECOND / bytes_per_second;
    return pipe->busy_until_ns;
}

static uint64_t net_arrival(sim *s, sim_link *link, sim_pipe *pipe, size_t size) {
    uint64_t time_ns =
        net_departure(s, link, pipe, size) + link->latency_ns + sim_random_below(&s->random, link->jitter_ns + 1);
    // A stream does not overtake itself.
    if (time_ns < pipe->last_arrival_ns) {
        time_ns = pipe->last_arrival_ns;
    }
    pipe->last_arrival_ns = time_ns;
    return time_ns;
}

uint32_t net_open(sim *s, uint32_t client) {
    SIM_CHECK(s, s->link_count < SIM_LINKS_MAX, "more connections than a run has");
    const uint32_t index = s->link_count++;
    sim_link *link = &s->links[index];
    link->client = client;
    link->slot = ISO_SLOT_NONE;
    s->totals.links += 1;
    s->totals.narrow_links += s->clients[client].bytes_per_second != 0;
    s->totals.late_links += index >= 24;
    link->is_open_at_server = true;
    link->is_open_at_client = true;
    link->latency_ns = sim_random_between(&s->random, 0, sim_random_one_in(&s->random, 5) ? 200 : 40) * SIM_MS;
    link->jitter_ns = sim_random_one_in(&s->random, 4) ? 0 : sim_random_below(&s->random, 30 * SIM_MS);
    link->jitter_ns /= s->is_steady ? 4 : 1;
    const uint32_t segments[] = {1, 1, 2, 7, 100, 1460, 65536};
    link->segment_max = segments[sim_random_below(&s->random, 7)];
    server_opened(s, index);
    return index;
}

/// The host tells the session when the waiting bytes have changed by much.
static void net_tell_queued(sim *s, uint32_t index) {
    sim_link *link = &s->links[index];
    const uint64_t queued = link->pipes[SIM_TO_CLIENT].size;
    const uint64_t change = queued > link->queued_told ? queued - link->queued_told : link->queued_told - queued;
    if (link->is_open_at_server && (change >= NET_QUEUED_STEP || (queued == 0 && change > 0))) {
        link->queued_told = queued;
        server_queued(s, index, (size_t)queued);
    }
}

void net_send(sim *s, uint32_t index, uint8_t direction, const uint8_t *bytes, size_t size) {
    sim_link *link = &s->links[index];
    sim_pipe *pipe = &link->pipes[direction];
    const bool open = direction == SIM_TO_SERVER ? link->is_open_at_client : link->is_open_at_server;
    if (!open || pipe->is_closed) {
        return;
    }
    if (pipe->size + size > pipe->capacity) {
        pipe->capacity = (pipe->size + size) * 2;
        pipe->bytes = realloc(pipe->bytes, pipe->capacity);
    }
    memcpy(pipe->bytes + pipe->size, bytes, size);
    pipe->size += size;
    s->totals.bytes += size;
    sim_trace(s, oracle_digest(index, bytes, size), s->now_ns);
    while (size > 0) {
        const size_t part = sim_random_one_in(&s->random, 4) ? (size_t)sim_random_between(&s->random, 1, size) : size;
        sim_schedule(s, net_arrival(s, link, pipe, part),
                     (sim_event){.kind = SIM_DELIVER, .direction = direction, .index = index, .count = part});
        size -= part;
    }
}

void net_close(sim *s, uint32_t index, uint8_t direction) {
    sim_link *link = &s->links[index];
    sim_pipe *pipe = &link->pipes[direction];
    bool *open = direction == SIM_TO_SERVER ? &link->is_open_at_client : &link->is_open_at_server;
    if (*open) {
        *open = false;
        pipe->is_closed = true;
        sim_schedule(s, net_arrival(s, link, pipe, 0),
                     (sim_event){.kind = SIM_HANG_UP, .direction = direction, .index = index});
    }
}

static void net_discard(sim_link *link) {
    for (int direction = 0; direction < 2; ++direction) {
        link->pipes[direction].size = link->pipes[direction].arrived = 0;
    }
}

void net_cut(sim *s, uint32_t index) {
    sim_link *link = &s->links[index];
    link->is_broken = true;
    net_discard(link);
    if (link->is_open_at_server) {
        link->is_open_at_server = false;
        server_gone(s, index);
    }
    if (link->is_open_at_client) {
        link->is_open_at_client = false;
        client_gone(s, link->client, index, ISO_ERR_CONNECTION);
    }
}

void net_lose_client(sim *s, uint32_t index) {
    sim_link *link = &s->links[index];
    link->is_broken = true;
    net_discard(link);
    link->is_dead = true;
    if (link->is_open_at_client) {
        link->is_open_at_client = false;
        client_gone(s, link->client, index, ISO_ERR_CONNECTION);
    }
}

void net_lose_server(sim *s, uint32_t index) {
    sim_link *link = &s->links[index];
    link->is_open_at_server = false;
    link->is_broken = link->is_of_dead_peer = true;
    link->pipes[SIM_TO_SERVER].size = 0;
    if (s->server.power_was_cut) {
        net_discard(link);
    }
    if (!link->is_open_at_client) {
        return;
    }
    // A killed process's kernel says goodbye; a machine without power does not, and the client finds out by itself.
    const uint64_t last_ns = net_arrival(s, link, &link->pipes[SIM_TO_CLIENT], 0);
    sim_schedule(s, last_ns + sim_random_below(&s->random, SIM_SECOND),
                 (sim_event){.kind = SIM_HANG_UP, .direction = SIM_TO_CLIENT, .index = index});
}

/// Hands what has arrived to the reader, in pieces.
static void net_read(sim *s, uint32_t index, uint8_t direction, size_t size) {
    if (size == 0) {
        return;
    }
    sim_link *link = &s->links[index];
    sim_pipe *pipe = &link->pipes[direction];
    const bool *open = direction == SIM_TO_SERVER ? &link->is_open_at_server : &link->is_open_at_client;
    uint8_t *piece = malloc(size);
    memcpy(piece, pipe->bytes, size);
    memmove(pipe->bytes, pipe->bytes + size, pipe->size - size);
    pipe->size -= size;
    for (size_t at = 0; at < size && *open;) {
        const size_t part = size - at < link->segment_max ? size - at : (size_t)link->segment_max;
        if (direction == SIM_TO_SERVER) {
            server_bytes(s, index, piece + at, part);
        } else {
            client_bytes(s, index, piece + at, part);
        }
        at += part;
    }
    free(piece);
}

static void net_hang_up(sim *s, uint32_t index, uint8_t direction) {
    sim_link *link = &s->links[index];
    if (link->is_dead) {
        return;
    }
    if (direction == SIM_TO_SERVER && link->is_open_at_server) {
        link->is_open_at_server = false;
        server_gone(s, index);
    } else if (direction == SIM_TO_CLIENT && link->is_open_at_client) {
        link->is_open_at_client = false;
        client_gone(s, link->client, index, link->pipes[direction].is_closed ? ISO_OK : ISO_ERR_CONNECTION);
    }
}

void net_event(sim *s, const sim_event *event) {
    if (partition_delays(s, event)) {
        return;
    }
    sim_link *link = &s->links[event->index];
    sim_pipe *pipe = &link->pipes[event->direction];
    const bool stalled = link->is_stalled && event->direction == SIM_TO_CLIENT;
    if (event->kind == SIM_DELIVER && pipe->size > pipe->arrived && !link->is_dead) {
        // After a cut there may be less than was sent.
        const size_t left = pipe->size - pipe->arrived;
        const size_t count = event->count < left ? (size_t)event->count : left;
        if (stalled) {
            pipe->arrived += count;
        } else {
            net_read(s, event->index, event->direction, count);
        }
    } else if (event->kind == SIM_HANG_UP && !stalled) {
        net_hang_up(s, event->index, event->direction);
    } else if (event->kind == SIM_WAKE) {
        link->is_stalled = false;
        const size_t count = link->pipes[SIM_TO_CLIENT].arrived;
        link->pipes[SIM_TO_CLIENT].arrived = 0;
        net_read(s, event->index, SIM_TO_CLIENT, count);
        if ((link->pipes[SIM_TO_CLIENT].is_closed || !link->is_open_at_server) &&
            link->pipes[SIM_TO_CLIENT].size == 0) {
            net_hang_up(s, event->index, SIM_TO_CLIENT);
        }
    }
    net_tell_queued(s, event->index);
}

void net_free(sim *s) {
    for (uint32_t i = 0; i < s->link_count; ++i) {
        free(s->links[i].pipes[0].bytes);
        free(s->links[i].pipes[1].bytes);
    }
}
