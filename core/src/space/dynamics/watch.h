/// Whether bodies in space are at rest.
#ifndef ISO_SPACE_DYNAMICS_WATCH_H
#define ISO_SPACE_DYNAMICS_WATCH_H

#include "space/world/scratch.h"

/// Watches the moving dynamic bodies for a tick, by the rules of the plane ("When bodies sleep" in
/// core/ARCHITECTURE.md), and marks the islands that stay awake in woken_sets. After the motions were stored and the
/// islands found.
void iso__space_step_watch(iso__space *space);

#endif
