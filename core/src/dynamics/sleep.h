/// Which bodies are awake and which move, and how both change. sleep.c has the rules.
#ifndef ISO_DYNAMICS_SLEEP_H
#define ISO_DYNAMICS_SLEEP_H

#include "world/wake.h"

#define ISO__SLEEP_DISTANCE ((int32_t)(ISO_WIDE_ONE / 1000)) // [m] Q31.32: what stays so near its place is at rest
#define ISO__SLEEP_CREEP    (INT32_C(1) << 17)   // [m] Q31.32, 31 um: what is pulled, and moves farther, is on its way
#define ISO__SLEEP_CHANGE   (ISO__VEL_ONE >> 12) // [m/s] 0.24 mm/s
#define ISO__SLEEP_SWAY     ((int32_t)(ISO_WIDE_ONE / 100)) // [m] Q31.32: no quiet body has moved farther in a watch
#define ISO__SLEEP_GAIN_MAX (INT32_C(1) << 30)              // of quiet_gain

/// Stages of the step, in this order.
void iso__step_find_moving(iso_world *world);
/// Wakes every sleeping body that contacts and joints connect, directly or through sleeping bodies, with a moving one.
void iso__step_wake_islands(iso_world *world);
void iso__step_sleep(iso_world *world);

#endif
