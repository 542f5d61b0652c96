/// What connects bodies, contacts and joints: pairs of them, read so many at a time that the calls do not count.
#ifndef ISO_STEP_EDGE_H
#define ISO_STEP_EDGE_H

#include "world/world.h"

#define ISO__EDGE_BLOCK 64u // edges that are read at once

/// Two bodies; equal ones: nothing is connected.
typedef struct iso__edge {
    uint32_t a, b;
} iso__edge;

typedef struct iso__edges {
    uint32_t count;
    /// Reads `count` edges from `first` on, at most ISO__EDGE_BLOCK of them.
    void (*read)(const iso_world *world, uint32_t first, uint32_t count, iso__edge *edges);
} iso__edges;

typedef void iso__edge_fn(iso_world *world, void *data, const iso__edge *edge);

/// Calls a function with each edge, in their order.
static inline void iso__edges_each(iso_world *world, const iso__edges *edges, iso__edge_fn *call, void *data) {
    iso__edge block[ISO__EDGE_BLOCK];
    for (uint32_t first = 0; first < edges->count; first += ISO__EDGE_BLOCK) {
        const uint32_t left = edges->count - first, count = left < ISO__EDGE_BLOCK ? left : ISO__EDGE_BLOCK;
        edges->read(world, first, count, block);
        for (uint32_t i = 0; i < count; ++i) {
            call(world, data, &block[i]);
        }
    }
}

#endif
