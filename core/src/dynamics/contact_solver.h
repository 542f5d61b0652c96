/// The passes over one colour's contact groups.
#ifndef ISO_DYNAMICS_CONTACT_SOLVER_H
#define ISO_DYNAMICS_CONTACT_SOLVER_H

#include "solver/scratch.h"

void iso__contacts_warm_start(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_solve(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_relax(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_restitute(iso__step_scratch *scratch, const iso__colour *colour);

#endif
