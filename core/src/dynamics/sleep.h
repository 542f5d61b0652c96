/// Which bodies are awake and which move, and how both change. sleep.c has the rules.
#ifndef ISO_DYNAMICS_SLEEP_H
#define ISO_DYNAMICS_SLEEP_H

#include "world/wake.h"

/// The number of ticks that a body must be slower than sleep_speed before it sleeps.
uint32_t iso__sleep_ticks(const iso_world_def *def);

/// Stages of the step, in this order.
void iso__step_find_moving(iso_world *world);
/// Wakes every sleeping body that contacts and joints connect, directly or through sleeping bodies, with a moving one.
void iso__step_wake_islands(iso_world *world);
void iso__step_sleep(iso_world *world);

#endif
