/// Islands: sets of connected bodies, by union-find. A body's parent is a body of its set with a lower index, or
/// itself. A set is named by its lowest body index, so the name does not depend on the order of the unions.
#ifndef ISO_STEP_ISLAND_H
#define ISO_STEP_ISLAND_H

#include "step/edge.h"

static inline uint32_t iso__island_find(uint32_t *parents, uint32_t body) {
    while (parents[body] != body) {
        parents[body] = parents[parents[body]];
        body = parents[body];
    }
    return body;
}

static inline void iso__island_join(uint32_t *parents, uint32_t a, uint32_t b) {
    const uint32_t root_a = iso__island_find(parents, a), root_b = iso__island_find(parents, b);
    parents[root_a < root_b ? root_b : root_a] = root_a < root_b ? root_a : root_b;
}

/// Finds the sets of dynamic bodies that edges connect, in a step: world->islands of the moving bodies, and their
/// number. Bodies that are not dynamic connect nothing.
/// @param moving  the moving bodies
/// @param edges   of contacts and joints with a moving body, sensors' excepted
void iso__step_find_islands(iso_world *world, const uint32_t *moving, uint32_t moving_count, const iso__edges *edges);

#endif
