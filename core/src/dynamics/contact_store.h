/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_CONTACT_STORE_H
#define ISO_DYNAMICS_CONTACT_STORE_H

#include "world/plane.h"

/// Stores the impulses in the records, and adds events for contacts that began or ended.
void iso__contacts_store(iso_world *world);

#endif
