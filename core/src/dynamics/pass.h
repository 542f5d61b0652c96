/// The passes over all constraints of a step.
#ifndef ISO_DYNAMICS_PASS_H
#define ISO_DYNAMICS_PASS_H

#include "solver/scratch.h"

typedef enum iso__pass {
    ISO__PASS_WARM_START,
    ISO__PASS_SOLVE,
    ISO__PASS_RELAX,
    ISO__PASS_RESTITUTE, // of contacts alone
} iso__pass;

/// One pass: the overflow first, then colour by colour.
void iso__run_pass(iso_world *world, iso__pass pass);

#endif
