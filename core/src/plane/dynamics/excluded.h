/// The pairs of bodies whose shapes a joint keeps from colliding.
#ifndef ISO_PLANE_DYNAMICS_EXCLUDED_H
#define ISO_PLANE_DYNAMICS_EXCLUDED_H

#include "plane/world/scratch.h"

/// Lists them again when joints changed: in key order, one for each joint.
void iso__plane_excluded_update(iso__plane *plane);

/// @param bodies  as in a pair
/// @return the number of the first in the list that is not below these bodies
uint32_t iso__plane_excluded_find(const iso__plane_step_scratch *scratch, uint64_t bodies);

/// Whether a pair of bodies is in the list, for callers that ask in ascending order.
/// @param at  number in the list from which to look on; is moved
static inline bool iso__plane_excluded_next(const iso__plane_step_scratch *scratch, uint32_t *at, uint64_t bodies) {
    while (*at < scratch->excluded_count && scratch->excluded_pairs[*at].bodies < bodies) {
        ++*at;
    }
    return *at < scratch->excluded_count && scratch->excluded_pairs[*at].bodies == bodies;
}

#endif
