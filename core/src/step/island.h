/// Sets of connected bodies, by union-find: a body's parent is a body of its set with a lower index, or itself. A set
/// is named by its lowest body index, so the name does not depend on the order of the unions.
#ifndef ISO_STEP_ISLAND_H
#define ISO_STEP_ISLAND_H

#include <stdint.h>

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

#endif
