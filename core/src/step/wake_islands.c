/// See wake_islands.h.
#include "step/wake_islands.h"

#include "base/assert.h"
#include "step/island.h"

typedef void edge_fn(iso_world *world, const iso__wake_rules *rules, const iso__edge *edge);

static void edges_each(iso_world *world, const iso__wake_rules *rules, edge_fn *call) {
    iso__edge edges[ISO__EDGE_BLOCK];
    for (uint32_t first = 0; first < rules->edge_count; first += ISO__EDGE_BLOCK) {
        const uint32_t left = rules->edge_count - first, count = left < ISO__EDGE_BLOCK ? left : ISO__EDGE_BLOCK;
        rules->read_edges(world, first, count, edges);
        for (uint32_t i = 0; i < count; ++i) {
            call(world, rules, &edges[i]);
        }
    }
}

static void wake_join(iso_world *world, const iso__wake_rules *rules, const iso__edge *edge) {
    (void)rules;
    if (iso__bit_is_set(world->asleep, edge->a) && iso__bit_is_set(world->asleep, edge->b)) {
        iso__island_join(world->islands, edge->a, edge->b);
    }
}

static void wake_mark(iso_world *world, const iso__wake_rules *rules, const iso__edge *edge) {
    if (iso__bit_is_set(world->asleep, edge->b) && rules->moves(world, edge->a)) {
        iso__bit_set(rules->woken_sets, iso__island_find(world->islands, edge->b));
    } else if (iso__bit_is_set(world->asleep, edge->a) && rules->moves(world, edge->b)) {
        iso__bit_set(rules->woken_sets, iso__island_find(world->islands, edge->a));
    }
}

void iso__step_wake_islands(iso_world *world, const iso__wake_rules *rules) {
    const uint32_t body_count = world->globals->body_count;
    ISO_ASSERT(rules->edge_count >= world->globals->contact_count && body_count <= world->def.body_capacity);
    for (uint32_t i = 0; i < body_count; ++i) {
        world->islands[i] = i;
        iso__bit_clear(rules->woken_sets, i);
    }
    edges_each(world, rules, wake_join);
    edges_each(world, rules, wake_mark);
    for (uint32_t i = 0; i < body_count; ++i) {
        if (iso__bit_is_set(world->asleep, i) &&
            iso__bit_is_set(rules->woken_sets, iso__island_find(world->islands, i))) {
            rules->wake(world, i);
        }
    }
    world->wakes_islands = false;
}
