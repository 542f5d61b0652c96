/// Waking: a body that moves wakes all that contacts and joints connect with it.
#ifndef ISO_STEP_WAKE_ISLANDS_H
#define ISO_STEP_WAKE_ISLANDS_H

#include "step/edge.h"

/// What a wing says of its bodies and of what connects them.
typedef struct iso__wake_rules {
    iso__edges edges;     // of contacts and joints
    uint64_t *woken_sets; // room for a bit per body
    bool (*moves)(const iso_world *world, uint32_t body);
    void (*wake)(iso_world *world, uint32_t body);
} iso__wake_rules;

/// Wakes every sleeping body that edges connect, directly or through sleeping bodies, with a moving one, by ascending
/// index. It leaves the sets of connected sleepers in world->islands, which are found after waking.
void iso__step_wake_islands(iso_world *world, const iso__wake_rules *rules);

#endif
