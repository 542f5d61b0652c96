/// Which bodies are awake, and what wakes them. plane/dynamics/sleep.c has the rules of a step.
#ifndef ISO_PLANE_WORLD_WAKE_H
#define ISO_PLANE_WORLD_WAKE_H

#include "plane/world/plane.h"
#include "step/waking.h"

static inline bool iso__plane_body_is_asleep(const iso__plane *plane, uint32_t body) {
    return (plane->bodies[body].flags & ISO__PLANE_BODY_ASLEEP) != 0;
}

/// Begins to watch a body anew, where the body is now.
static inline void iso__plane_body_restart_quiet(iso__plane_body *body) {
    body->quiet_ticks = 0;
    body->quiet_moved[0] = body->quiet_moved[1] = body->quiet_moved[2] = body->quiet_gain = 0;
}

/// Updates the bits of awake, sleeping and kinematic bodies from a record: when it is created, destroyed, put to sleep,
/// woken or changes its type.
void iso__plane_body_refresh_awake(iso__plane *plane, uint32_t body);

/// Wakes a body and restarts its count of quiet ticks. The step wakes the bodies that it is connected with. A body that
/// is not dynamic does not sleep, but bodies that rest on it may have to wake.
void iso__plane_body_wake(iso_world *world, uint32_t body);

/// Wakes the bodies that contacts and joints connect with a body. Linear in their number.
void iso__plane_body_wake_neighbours(iso__plane *plane, uint32_t body);

/// Wakes the bodies that a joint connects.
void iso__plane_joint_wake(iso_world *world, const iso__plane_joint *joint);

/// Wakes the sleeping bodies near a shape that is new, or may touch others than before, on a body that does not move.
/// Linear in the number of sleeping bodies' shapes: where nothing sleeps, as while a world is built, it takes nothing.
void iso__plane_shape_wake_near(iso__plane *plane, uint32_t shape);

#endif
