/// Which bodies in space are awake.
#ifndef ISO_SPACE_WORLD_BODY_WAKE_H
#define ISO_SPACE_WORLD_BODY_WAKE_H

#include "space/world/space.h"

/// Sets or clears the bits that say whether a body is awake, asleep and kinematic.
void iso__space_body_refresh_awake(iso_world *world, uint32_t body);

bool iso__space_body_is_asleep(const iso_world *world, uint32_t body);
bool iso__space_body_is_dynamic(const iso_world *world, uint32_t body);

/// Begins to watch a body anew, where it is now: see step/watch.h.
static inline void iso__space_body_restart_quiet(iso__space_body *body) {
    body->quiet_ticks = 0;
    body->quiet_gain = 0;
    for (int n = 0; n < 6; ++n) {
        body->quiet_moved[n] = 0;
    }
}

/// Wakes a body, and begins to watch it anew; the step wakes the rest of its island.
void iso__space_body_wake(iso_world *world, uint32_t body);

/// Wakes what sleeps near a body that is not dynamic and has come there or changed: bodies whose cubes about their
/// centres of mass overlap. More of them than touch; of a body with a plane, all. One that is dynamic is awake itself,
/// and the step finds what it touches. Linear in the number of sleeping bodies: where none is, as while a world is
/// built, it takes nothing.
void iso__space_body_wake_near(iso__space *space, uint32_t body);

#endif
