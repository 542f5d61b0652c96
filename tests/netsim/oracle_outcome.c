/// What must hold of the outcomes that a predicting client is told: what was predicted is confirmed or withdrawn, once,
/// and nothing is withdrawn that was not predicted. Each event of the game is confirmed once, with its tick.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static bool outcome_equals(const iso_client_outcome *a, const iso_client_outcome *b) {
    return a->tick == b->tick && a->kind == b->kind && a->first == b->first && a->second == b->second &&
           a->status == b->status && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/// Takes one away that was predicted. @return false when there is none
static bool outcome_settle(sim_client *c, const iso_client_outcome *outcome) {
    for (uint32_t i = 0; i < c->open_count; ++i) {
        if (outcome_equals(&c->open[i], outcome)) {
            c->open[i] = c->open[--c->open_count];
            return true;
        }
    }
    return false;
}

void oracle_outcomes_forget(sim *s, uint32_t index) {
    free(s->clients[index].open);
    s->clients[index].open = NULL;
    s->clients[index].open_count = s->clients[index].open_capacity = 0;
    s->clients[index].is_told = false;
    s->clients[index].owed_count = 0;
    s->clients[index].confirmed_tick = 0;
}

void oracle_outcomes_owed(sim *s, uint32_t index, uint64_t tick) {
    sim_client *c = &s->clients[index];
    SIM_CHECK(s, c->owed_count == 0, "client %u is at tick %llu and was not told %u events of the game in tick %llu",
              index, (unsigned long long)tick, c->owed_count, (unsigned long long)c->owed_tick);
    if (!c->is_told) {
        return;
    }
    iso_events events;
    iso_world_get_events(iso_client_world(c->client), &events);
    c->owed_tick = tick;
    c->owed_count = events.emit_count;
}

void oracle_outcomes_withdrawn(sim *s, uint32_t index, const iso_client_action *action) {
    sim_client *c = &s->clients[index];
    const uint64_t before = action->first_tick - 1u;
    SIM_CHECK(s, action->last_tick >= before && before <= action->tick,
              "client %u goes on from tick %llu and withdraws ticks %llu to %llu", index,
              (unsigned long long)action->tick, (unsigned long long)action->first_tick,
              (unsigned long long)action->last_tick);
    c->confirmed_tick = c->confirmed_tick > before ? before : c->confirmed_tick;
}

static void outcome_open(sim_client *c, const iso_client_outcome *outcome) {
    if (c->open_count == c->open_capacity) {
        c->open_capacity = c->open_capacity == 0 ? 256 : 2 * c->open_capacity;
        c->open = realloc(c->open, c->open_capacity * sizeof c->open[0]);
        if (c->open == NULL) {
            abort();
        }
    }
    c->open[c->open_count++] = *outcome;
}

/// What a confirmed tick says of the game's events is what the client's world has of it.
static void check_emit(sim *s, uint32_t index, const iso_client_outcome *outcome) {
    const iso_world *world = iso_client_world(s->clients[index].client);
    if (outcome->tick != iso_world_get_tick(world)) {
        return;
    }
    iso_events events;
    bool is_there = false;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.emit_count; ++i) {
        is_there = is_there || (events.emits[i].code == outcome->first && events.emits[i].size == outcome->second &&
                                memcmp(events.emits[i].bytes, outcome->bytes, sizeof outcome->bytes) == 0);
    }
    SIM_CHECK(s, is_there, "client %u confirms event %llu of the game at tick %llu, which did not happen so", index,
              (unsigned long long)outcome->first, (unsigned long long)outcome->tick);
}

void oracle_outcomes(sim *s, uint32_t index, const iso_client_action *action) {
    sim_client *c = &s->clients[index];
    const uint64_t confirmed_before = c->confirmed_tick;
    for (uint32_t i = 0; i < action->outcome_count; ++i) {
        const iso_client_outcome *outcome = &action->outcomes[i];
        s->totals.emits += outcome->kind == ISO_CLIENT_OUTCOME_EMIT && outcome->mark == ISO_CLIENT_MARK_CONFIRMED;
        s->totals.emits_withdrawn +=
            outcome->kind == ISO_CLIENT_OUTCOME_EMIT && outcome->mark == ISO_CLIENT_MARK_WITHDRAWN;
        if (outcome->mark == ISO_CLIENT_MARK_PREDICTED) {
            outcome_open(c, outcome);
            continue;
        }
        const bool was_open = outcome_settle(c, outcome);
        SIM_CHECK(s, was_open || outcome->mark == ISO_CLIENT_MARK_CONFIRMED,
                  "client %u withdraws an outcome of kind %u of tick %llu that it has not predicted", index,
                  (unsigned)outcome->kind, (unsigned long long)outcome->tick);
        if (outcome->mark != ISO_CLIENT_MARK_CONFIRMED) {
            continue;
        }
        SIM_CHECK(s, outcome->tick > confirmed_before, "client %u confirms tick %llu again, after tick %llu", index,
                  (unsigned long long)outcome->tick, (unsigned long long)confirmed_before);
        c->confirmed_tick = outcome->tick;
        if (outcome->kind == ISO_CLIENT_OUTCOME_EMIT) {
            check_emit(s, index, outcome);
            c->owed_count -= c->owed_tick == outcome->tick && c->owed_count > 0;
        }
    }
    for (uint32_t i = 0; i < c->open_count; ++i) {
        SIM_CHECK(
            s, c->open[i].tick > iso_client_tick(c->client),
            "client %u is at tick %llu, and an outcome of kind %u predicted of tick %llu is neither confirmed nor "
            "withdrawn",
            index, (unsigned long long)iso_client_tick(c->client), (unsigned)c->open[i].kind,
            (unsigned long long)c->open[i].tick);
    }
}
