/// The step's own checks, of builds with ISO_VALIDATE.
#ifndef ISO_PLANE_DYNAMICS_VALIDATE_H
#define ISO_PLANE_DYNAMICS_VALIDATE_H

#include "plane/world/plane.h"
#include "step/pair.h"

#ifdef ISO_VALIDATE
/// Rebuilds the data that the step maintains, and compares it. A difference ends the program.
void iso__plane_validate(iso__plane *plane);
void iso__plane_validate_pairs(const iso__plane *plane, iso__pair_list pairs);
#endif

#endif
