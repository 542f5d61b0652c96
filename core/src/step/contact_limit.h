/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_STEP_CONTACT_LIMIT_H
#define ISO_STEP_CONTACT_LIMIT_H

#include "world/world.h"

/// Members with too many contact points lose bodies.
void iso__contact_limit_apply(iso_world *world);

#endif
