/// A single connection on which nothing arrives any more, in neither direction, and nobody is told: a box on the way
/// has forgotten it. Others of the same client get through, so it has to come back over another one, with its seat.
#include "sim.h"

#define LATENCY_MAX_NS (100 * SIM_MS)   // of connections that are looked at
#define GAPS_NS        (3 * SIM_SECOND) // patience where silence has reasons
#define SLACK_NS       (2 * SIM_SECOND) // for the answer of another connection, which may be slower

/// How long the client waits at most before it tries another connection.
static uint64_t silence_patience(const sim *s, const sim_link *link) {
    const uint64_t told_ns = s->config.client_silence_ms * SIM_MS;
    const uint64_t eight_ticks_ns = 8 * SIM_SECOND / s->def.tick_rate_hz;
    const uint64_t trips_ns = 4 * 2 * (link->latency_ns + link->jitter_ns);
    uint64_t patience_ns = told_ns > eight_ticks_ns ? told_ns : eight_ticks_ns;
    patience_ns = patience_ns > trips_ns ? patience_ns : trips_ns;
    return patience_ns > GAPS_NS ? patience_ns : GAPS_NS; // it may be paused at any moment
}

/// Whether nothing but the silence keeps the client from the server.
static bool silence_is_alone(const sim *s, const sim_client *c, const sim_link *link) {
    return !client_is_wild(c) && !c->has_ended && !c->is_leaving && !c->is_rerouted && c->flip_at_tick == 0 &&
           c->lies == SIM_LIES_NONE && c->bytes_per_second == 0 && (c->address == 0 || !s->is_crowded) &&
           link->latency_ns <= LATENCY_MAX_NS && c->client != NULL &&
           iso_client_get_phase(c->client) == ISO_CLIENT_PHASE_ACTIVE && s->server.is_up && !s->server.is_shutting_down;
}

void silence_begin(sim *s, uint32_t client, uint64_t duration_ns) {
    sim_client *c = &s->clients[client];
    if (c->has_ended || c->link == SIM_NONE) {
        return;
    }
    sim_link *link = &s->links[c->link];
    link->hushed_ns = s->now_ns;
    link->hushed_until_ns = s->now_ns + duration_ns;
    c->has_stalled_once = true;
    partition_hold(s, c->link, link->hushed_until_ns);
    oracle_clock_disturb(s, client, duration_ns);
    s->totals.hushes += 1;
    sim_log(s, "connection %u of client %u brings nothing for %llu ms", c->link, client,
            (unsigned long long)(duration_ns / SIM_MS));
    const uint64_t due_ns = s->now_ns + silence_patience(s, link) + SLACK_NS;
    if (silence_is_alone(s, c, link) && link->hushed_until_ns > due_ns) {
        sim_schedule(s, due_ns, (sim_event){.kind = SIM_HUSHED, .index = c->link, .count = c->clock.jumps});
    }
}

void silence_check(sim *s, uint32_t index, uint64_t clock_jumps) {
    const sim_link *link = &s->links[index];
    const sim_client *c = &s->clients[link->client];
    const bool is_calm = silence_is_alone(s, c, link) && c->clock.jumps == clock_jumps && s->server.clock.jumps == 0 &&
                         c->partition_until_ns < link->hushed_ns && link->hushed_until_ns > s->now_ns &&
                         link->is_open_at_client && !link->is_of_dead_peer;
    SIM_CHECK(s, !is_calm || c->link != index,
              "client %u still waits for a connection that has been silent for %llu ms", link->client,
              (unsigned long long)((s->now_ns - link->hushed_ns) / SIM_MS));
}

void silence_switched(sim *s, uint32_t client) {
    sim_client *c = &s->clients[client];
    c->seat = c->member;
    s->totals.switches += 1;
    oracle_clock_disturb(s, client, 0);
}

void silence_resumed(sim *s, uint32_t client) {
    s->clients[client].seat = SIM_NONE;
}

void silence_joined(sim *s, uint32_t client) {
    sim_client *c = &s->clients[client];
    const sim_member *m = c->seat == SIM_NONE ? NULL : &s->members[c->seat];
    SIM_CHECK(s, m == NULL || client_is_wild(c) || m->is_forgotten || m->gone_tick != 0,
              "client %u left a silent connection and is a new member, though it still has slot %u", client,
              m == NULL ? 0u : (unsigned)m->slot);
    c->seat = SIM_NONE;
}

void silence_plan(sim *s, uint32_t client, uint64_t from_ns) {
    if (!sim_random_one_in(&s->hush, 6)) {
        return;
    }
    const uint64_t when_ns = from_ns + sim_random_below(&s->hush, s->shutdown_ns - from_ns);
    const uint64_t longest_ns[] = {2 * SIM_SECOND, 8 * SIM_SECOND, 30 * SIM_SECOND};
    const uint64_t duration_ns = sim_random_below(&s->hush, longest_ns[sim_random_below(&s->hush, 3)]) + SIM_MS;
    sim_schedule(s, when_ns, (sim_event){.kind = SIM_HUSH, .index = client, .count = duration_ns});
}
