/// Islands and sleep in space.
#ifndef ISO_DYNAMICS3_SLEEP3_H
#define ISO_DYNAMICS3_SLEEP3_H

#include "solver/scratch3.h"

/// Wakes every sleeping body that contacts and joints connect, directly or through sleeping bodies, with a moving one.
void iso__step3_wake_islands(iso__space *space);

/// Finds the sets of moving dynamic bodies that contacts and joints connect, each named by its lowest index.
void iso__step3_find_islands(iso__space *space);

/// Puts the islands to sleep whose bodies are all quiet, unless something drives one.
void iso__step3_sleep(iso__space *space);

#endif
