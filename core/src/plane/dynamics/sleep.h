/// Which bodies are awake and which move, and how both change. sleep.c has the rules.
#ifndef ISO_PLANE_DYNAMICS_SLEEP_H
#define ISO_PLANE_DYNAMICS_SLEEP_H

#include "plane/world/wake.h"
#include "step/watch.h"

/// Stages of the step, in this order.
void iso__plane_step_find_moving(iso__plane *plane);
/// Wakes every sleeping body that contacts and joints connect, directly or through sleeping bodies, with a moving one.
void iso__plane_step_wake_islands(iso__plane *plane);
void iso__plane_step_sleep(iso__plane *plane);

#endif
