/// Which shapes of a world in space may touch in a tick.
#ifndef ISO_SPACE_DYNAMICS_PAIRS_H
#define ISO_SPACE_DYNAMICS_PAIRS_H

#include "space/world/scratch.h"
#include "step/pair.h"

/// Brings colliders and boxes to the poses of bodies that were displaced. They are caches: functions of shapes and
/// poses.
void iso__space_pairs_refresh(iso__space *space);

/// The pairs of this tick in key order: of shapes of two bodies, one of them dynamic and one moving, whose filters
/// agree and whose boxes, grown by half the speculative distance, overlap.
iso__pair_list iso__space_pairs_find(iso__space *space);

/// Whether the shapes of two bodies, one of which moves in this step, may touch and push each other.
bool iso__space_pairs_push(const iso__space *space, uint32_t a, uint32_t b);

#endif
