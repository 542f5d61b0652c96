/// See wake_islands.h.
#include "step/wake_islands.h"

#include "base/assert.h"
#include "step/island.h"

static void wake_join(iso_world *world, void *data, const iso__edge *edge) {
    (void)data;
    if (iso__bit_is_set(world->asleep, edge->a) && iso__bit_is_set(world->asleep, edge->b)) {
        iso__island_join(world->islands, edge->a, edge->b);
    }
}

static void wake_mark(iso_world *world, void *data, const iso__edge *edge) {
    const iso__wake_rules *rules = data;
    if (iso__bit_is_set(world->asleep, edge->b) && rules->moves(world, edge->a)) {
        iso__bit_set(rules->woken_sets, iso__island_find(world->islands, edge->b));
    } else if (iso__bit_is_set(world->asleep, edge->a) && rules->moves(world, edge->b)) {
        iso__bit_set(rules->woken_sets, iso__island_find(world->islands, edge->a));
    }
}

void iso__step_wake_islands(iso_world *world, const iso__wake_rules *rules) {
    iso__wake_rules data = *rules;
    const uint32_t body_count = world->globals->body_count;
    ISO_ASSERT(rules->edges.count >= world->globals->contact_count && body_count <= world->def.body_capacity);
    for (uint32_t i = 0; i < body_count; ++i) {
        world->islands[i] = i;
        iso__bit_clear(rules->woken_sets, i);
    }
    iso__edges_each(world, &rules->edges, wake_join, NULL);
    iso__edges_each(world, &rules->edges, wake_mark, &data);
    for (uint32_t i = 0; i < body_count; ++i) {
        if (iso__bit_is_set(world->asleep, i) &&
            iso__bit_is_set(rules->woken_sets, iso__island_find(world->islands, i))) {
            rules->wake(world, i);
        }
    }
    world->wakes_islands = false;
}
