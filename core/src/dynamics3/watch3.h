/// Whether bodies in space are at rest.
#ifndef ISO_DYNAMICS3_WATCH3_H
#define ISO_DYNAMICS3_WATCH3_H

#include "solver/scratch3.h"

/// Watches the moving dynamic bodies for a tick, by the rules of the plane ("When bodies sleep" in core/ARCHITECTURE.md), and
/// marks the islands that stay awake in woken_sets. After the motions were stored and the islands found.
void iso__step3_watch(iso__space *space);

#endif
