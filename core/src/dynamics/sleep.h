/// Who is awake, who moves, and how both change. sleep.c has the rules.
#ifndef ISO_DYNAMICS_SLEEP_H
#define ISO_DYNAMICS_SLEEP_H

#include "dynamics/step.h"

static inline bool iso__bit_get(const uint64_t *bits, uint32_t index) {
    return (bits[index / 64] >> (index % 64) & 1u) != 0;
}

static inline void iso__bit_set(uint64_t *bits, uint32_t index) {
    bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static inline void iso__bit_clear(uint64_t *bits, uint32_t index) {
    bits[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

static inline bool iso__body_is_asleep(const iso_world *world, uint32_t body) {
    return (world->bodies[body].flags & ISO__BODY_ASLEEP) != 0;
}

/// Within a step: awake and dynamic, or kinematic with a velocity.
static inline bool iso__body_is_moving(const iso_world *world, uint32_t body) {
    return iso__bit_get(world->scratch->moving_bits, body);
}

/// Brings the cache of who is awake up to date with a record: when it is made, ended, put to sleep, woken or changes
/// its type.
void iso__body_refresh_awake(iso_world *world, uint32_t body);

/// Wakes a body and lets it be quiet for the whole time again before it sleeps. The step wakes what it hangs together
/// with. A body that is not dynamic has nothing to wake, but what rests on it may have to.
void iso__body_wake(iso_world *world, uint32_t body);

/// Wakes what contacts and joints connect with a body. Linear in their number.
void iso__body_wake_neighbours(iso_world *world, uint32_t body);

/// The ticks that a body must be quiet before it sleeps.
uint32_t iso__sleep_ticks(const iso_world_def *def);

#ifdef ISO_VALIDATE
/// Rebuilds what the step keeps and compares; validate.c. A difference ends the program.
void iso__validate(iso_world *world);
void iso__validate_pairs(const iso_world *world, iso__pair_list pairs);
#endif

/// Stages of the step, in this order.
void iso__step_find_moving(iso_world *world);
/// Wakes every sleeping body that contacts and joints, over sleeping ones, connect with one that moves.
void iso__step_wake_islands(iso_world *world);
void iso__step_sleep(iso_world *world);

#endif
