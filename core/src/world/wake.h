/// Who is awake, and what wakes whom. dynamics/sleep.c has the rules of a step.
#ifndef ISO_WORLD_WAKE_H
#define ISO_WORLD_WAKE_H

#include "world/world.h"

static inline bool iso__body_is_asleep(const iso_world *world, uint32_t body) {
    return (world->bodies[body].flags & ISO__BODY_ASLEEP) != 0;
}

/// Brings the cache of who is awake up to date with a record: when it is made, ended, put to sleep, woken or changes
/// its type.
void iso__body_refresh_awake(iso_world *world, uint32_t body);

/// Wakes a body and lets it be quiet for the whole time again before it sleeps. The step wakes what it hangs together
/// with. A body that is not dynamic has nothing to wake, but what rests on it may have to.
void iso__body_wake(iso_world *world, uint32_t body);

/// Wakes what contacts and joints connect with a body. Linear in their number.
void iso__body_wake_neighbours(iso_world *world, uint32_t body);

/// Wakes the bodies that a joint connects.
void iso__joint_wake(iso_world *world, const iso__joint *joint);

/// Wakes the sleeping bodies near a shape that came to be, or may touch others than before, on a body that does not move.
/// Linear in the number of shapes.
void iso__shape_wake_near(iso_world *world, uint32_t shape);

#endif
