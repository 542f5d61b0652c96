/// See sleep.h.
#include "step/sleep.h"

#include "base/assert.h"
#include "world/events.h"

#define BODY_GRAIN 256u // bodies of some us to look at: what it takes to hand them to another thread

static void sleep_keep_beside(const iso_world *world, const iso__sleep *sleep, uint32_t kinematic, uint32_t body) {
    if (iso__bit_is_set(world->kinematic, kinematic) && iso__bit_is_set(sleep->moving_bits, kinematic) &&
        iso__is_awake_dynamic(world, body)) {
        iso__bit_set(sleep->woken_sets, world->islands[body]);
    }
}

static void sleep_keep_edge(iso_world *world, void *data, const iso__edge *edge) {
    sleep_keep_beside(world, data, edge->a, edge->b);
    sleep_keep_beside(world, data, edge->b, edge->a);
}

/// Islands that a moving kinematic body touches or pulls stay awake.
static void sleep_keep_driven(iso_world *world, iso__sleep *sleep, const iso__sleep_rules *rules) {
    uint64_t kinematic = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        kinematic |= world->kinematic[w] & sleep->moving_bits[w];
    }
    if (kinematic != 0) {
        const iso__edges edges = rules->edges(world);
        iso__edges_each(world, &edges, sleep_keep_edge, sleep);
    }
}

/// Marks the islands that stay awake.
static void sleep_watch(iso_world *world, iso__sleep *sleep, const iso__sleep_rules *rules) {
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        sleep->woken_sets[w] = sleep->carried_sets[w] = sleep->pulled_bits[w] = 0;
    }
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        sleep->gains[i] = 0;
    }
    rules->mark(world);
    iso__parallel_for(world, 0, sleep->moving_count, BODY_GRAIN, rules->watch, sleep);
    for (uint32_t m = 0; m < sleep->moving_count; ++m) {
        if (sleep->gains[sleep->moving[m]] > 0) {
            iso__bit_set(sleep->woken_sets, sleep->moving[m]);
        }
    }
    sleep_keep_driven(world, sleep, rules);
}

void iso__step_sleep(iso_world *world, iso__sleep *sleep, const iso__sleep_rules *rules) {
    ISO_ASSERT(sleep->moving_count <= world->globals->body_count);
    sleep->sleeper_count = 0;
    sleep->has_all_moving = rules->all_move(world, sleep);
    if (!sleep->has_all_moving) {
        sleep_watch(world, sleep, rules);
    }
    iso__parallel_for(world, 0, sleep->moving_count, BODY_GRAIN, rules->end, sleep);
    // The order of the events: by the bodies' indices.
    for (uint32_t m = 0; sleep->sleeper_count > 0 && m < sleep->moving_count; ++m) {
        const uint32_t i = sleep->moving[m];
        const bool is_gone = rules->is_gone(world, i);
        if (iso__moving_is_dynamic(world, i) && iso__sleep_takes(world, sleep, i, is_gone)) {
            // A body that sleeps alone, at the border, is woken by the bodies that it is connected with.
            world->wakes_islands |= is_gone;
            rules->put(world, i);
            iso__bit_set(world->slept, i);
            iso__event_sleep(world, i);
        }
    }
}
