/// The passes over all constraints of a step.
#ifndef ISO_PLANE_DYNAMICS_PASS_H
#define ISO_PLANE_DYNAMICS_PASS_H

#include "plane/world/scratch.h"

typedef enum iso__plane_pass {
    ISO__PLANE_PASS_WARM_START,
    ISO__PLANE_PASS_SOLVE,
    ISO__PLANE_PASS_RELAX,
    ISO__PLANE_PASS_RESTITUTE, // of contacts alone
} iso__plane_pass;

/// One pass: the overflow first, then colour by colour.
void iso__plane_run_pass(iso__plane *plane, iso__plane_pass pass);

#endif
