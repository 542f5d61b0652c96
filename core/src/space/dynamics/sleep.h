/// Waking and falling asleep in space.
#ifndef ISO_SPACE_DYNAMICS_SLEEP_H
#define ISO_SPACE_DYNAMICS_SLEEP_H

#include "space/world/scratch.h"

/// Wakes every sleeping body that contacts and joints connect, directly or through sleeping bodies, with a moving one.
void iso__space_step_wake_islands(iso__space *space);

/// Puts the islands to sleep whose bodies are all quiet, unless something drives one.
void iso__space_step_sleep(iso__space *space);

#endif
