/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_STORE_H
#define ISO_PLANE_DYNAMICS_CONTACT_STORE_H

#include "plane/world/plane.h"

/// Stores the impulses in the records, and adds events for contacts that began or ended.
void iso__plane_contacts_store(iso__plane *plane);

#endif
