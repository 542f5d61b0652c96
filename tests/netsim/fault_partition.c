/// Silent partitions: for a while nothing of a client's network arrives, in neither direction, and nobody is told. A
/// stream then goes on where it was, as TCP does, unless one of the ends has given it up; who connects in the meantime
/// does not get through.
#include "sim.h"

bool partition_is(const sim *s, uint32_t client) {
    return s->clients[client].partition_until_ns > s->now_ns;
}

void partition_begin(sim *s, uint32_t client, uint64_t duration_ns) {
    sim_client *c = &s->clients[client];
    if (c->has_ended || c->link == SIM_NONE) {
        return;
    }
    const uint64_t until_ns = s->now_ns + duration_ns;
    c->partition_until_ns = until_ns;
    c->has_stalled_once = true;
    oracle_clock_disturb(s, client, duration_ns);
    s->totals.partitions += 1;
    sim_log(s, "client %u is partitioned for %llu ms", client, (unsigned long long)(duration_ns / SIM_MS));
    for (uint32_t i = 0; i < s->link_count; ++i) {
        if (s->links[i].client == client) {
            partition_hold(s, i, until_ns);
        }
    }
}

void partition_hold(sim *s, uint32_t link, uint64_t until_ns) {
    for (uint32_t direction = 0; direction < 2; ++direction) {
        sim_pipe *pipe = &s->links[link].pipes[direction];
        pipe->last_arrival_ns = pipe->last_arrival_ns > until_ns ? pipe->last_arrival_ns : until_ns + 1;
    }
}

bool partition_delays(sim *s, const sim_event *event) {
    const sim_link *link = &s->links[event->index];
    const uint64_t network_ns = s->clients[link->client].partition_until_ns;
    const uint64_t until_ns = link->hushed_until_ns > network_ns ? link->hushed_until_ns : network_ns;
    const bool carried = event->kind == SIM_DELIVER || event->kind == SIM_HANG_UP;
    if (!carried || until_ns <= s->now_ns) {
        return false;
    }
    sim_schedule(s, until_ns, *event);
    return true;
}

void partition_plan(sim *s, uint32_t client, uint64_t from_ns) {
    if (!sim_random_one_in(&s->trouble, 6)) {
        return;
    }
    const uint64_t when_ns = from_ns + sim_random_below(&s->trouble, s->shutdown_ns - from_ns);
    const uint64_t longest_ns[] = {SIM_SECOND / 2, 2 * SIM_SECOND, 8 * SIM_SECOND, 45 * SIM_SECOND};
    const uint64_t duration_ns = sim_random_below(&s->trouble, longest_ns[sim_random_below(&s->trouble, 4)]) + SIM_MS;
    sim_schedule(s, when_ns, (sim_event){.kind = SIM_PARTITION, .index = client, .count = duration_ns});
}
