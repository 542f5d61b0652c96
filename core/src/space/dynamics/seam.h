/// Bodies in space slide over the seams between the pieces of a floor.
#ifndef ISO_SPACE_DYNAMICS_SEAM_H
#define ISO_SPACE_DYNAMICS_SEAM_H

#include "space/world/scratch.h"

/// Marks the contacts of the tick that a seam hides: they have no rows, and lose their impulses.
void iso__space_step_hide_seams(iso__space *space);

#endif
