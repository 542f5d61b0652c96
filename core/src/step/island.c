/// See island.h.
#include "step/island.h"

#include "base/assert.h"
#include "step/waking.h"

static void island_join(iso_world *world, void *data, const iso__edge *edge) {
    (void)data;
    if (iso__is_awake_dynamic(world, edge->a) && iso__is_awake_dynamic(world, edge->b)) {
        iso__island_join(world->islands, edge->a, edge->b);
    }
}

void iso__step_find_islands(iso_world *world, const uint32_t *moving, uint32_t moving_count, const iso__edges *edges) {
    ISO_ASSERT(moving_count <= world->globals->body_count);
    for (uint32_t m = 0; m < moving_count; ++m) {
        world->islands[moving[m]] = moving[m];
    }
    iso__edges_each(world, edges, island_join, NULL);
    world->island_count = 0;
    for (uint32_t m = 0; m < moving_count; ++m) {
        const uint32_t i = moving[m];
        world->islands[i] = iso__island_find(world->islands, i);
        world->island_count += world->islands[i] == i && iso__moving_is_dynamic(world, i);
    }
    ISO_ASSERT(world->island_count <= moving_count);
}
