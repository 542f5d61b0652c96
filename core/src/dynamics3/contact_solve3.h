/// The passes over the rows of contacts in space.
#ifndef ISO_DYNAMICS3_CONTACT_SOLVE3_H
#define ISO_DYNAMICS3_CONTACT_SOLVE3_H

#include "solver/scratch3.h"

void iso__contacts3_warm_start(iso__space *space);
/// With soft bias, before bodies move.
void iso__contacts3_solve(iso__space *space);
/// Without bias, with friction, behind it.
void iso__contacts3_relax(iso__space *space);
/// Once a tick, for points that came faster than the threshold and pushed.
void iso__contacts3_restitute(iso__space *space);

#endif
