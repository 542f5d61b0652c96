/// How near its place and how slow a body is that may fall asleep, along each of its components.
#ifndef ISO_STEP_WATCH_H
#define ISO_STEP_WATCH_H

#include "math/fixed_ops.h"

#define ISO__SLEEP_DISTANCE ((int32_t)(ISO_WIDE_ONE / 1000)) // [m] Q31.32: what stays so near its place is at rest
#define ISO__SLEEP_CREEP    (INT32_C(1) << 17)   // [m] Q31.32, 31 um: what is pulled, and moves farther, is on its way
#define ISO__SLEEP_CHANGE   (ISO__VEL_ONE >> 12) // [m/s] 0.24 mm/s
#define ISO__SLEEP_SWAY     ((int32_t)(ISO_WIDE_ONE / 100)) // [m] Q31.32: no quiet body has moved farther in a watch
#define ISO__SLEEP_GAIN_MAX (INT32_C(1) << 30)              // of quiet_gain

#endif
