/// The passes over one colour's contact groups.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_SOLVER_H
#define ISO_PLANE_DYNAMICS_CONTACT_SOLVER_H

#include "plane/world/scratch.h"

void iso__plane_contacts_warm_start(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_contacts_solve(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_contacts_relax(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);
void iso__plane_contacts_restitute(iso__plane_step_scratch *scratch, const iso__plane_colour *colour);

#endif
