/// The contacts' places in their groups, and a stage of the step: what step.c calls once a tick.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_PREPARE_H
#define ISO_PLANE_DYNAMICS_CONTACT_PREPARE_H

#include "plane/world/plane.h"

/// Gives each contact its place among the groups of its colour. Called when the colours are chosen anew.
void iso__plane_contacts_place(iso__plane *plane);

void iso__plane_step_prepare_contacts(iso__plane *plane);

#endif
