/// The passes over the rows of contacts in space.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_SOLVE_H
#define ISO_SPACE_DYNAMICS_CONTACT_SOLVE_H

#include "space/world/scratch.h"

void iso__space_contacts_warm_start(iso__space *space);
/// With soft bias, before bodies move.
void iso__space_contacts_solve(iso__space *space);
/// Without bias, with friction, behind it.
void iso__space_contacts_relax(iso__space *space);
/// Once a tick, for points that came faster than the threshold and pushed.
void iso__space_contacts_restitute(iso__space *space);

#endif
