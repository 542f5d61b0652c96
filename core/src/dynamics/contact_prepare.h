/// A stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_CONTACT_PREPARE_H
#define ISO_DYNAMICS_CONTACT_PREPARE_H

#include "world/world.h"

void iso__step_prepare_contacts(iso_world *world);

#endif
