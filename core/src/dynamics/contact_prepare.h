/// The contacts' places in their groups, and a stage of the step: what step.c calls once a tick.
#ifndef ISO_DYNAMICS_CONTACT_PREPARE_H
#define ISO_DYNAMICS_CONTACT_PREPARE_H

#include "world/plane.h"

/// Gives each contact its place among the groups of its colour. Called when the colours are chosen anew.
void iso__contacts_place(iso_world *world);

void iso__step_prepare_contacts(iso_world *world);

#endif
