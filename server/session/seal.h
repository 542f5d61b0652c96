/// Sealing a tick.
#ifndef ISO_SESSION_SEAL_H
#define ISO_SESSION_SEAL_H

#include "state.h"

/// Seals the next tick.
void iso__seal(iso_session *session);
/// Whether the clock waits for the disk: too many ticks are in flight, or the ring could not keep the unwritten ones.
bool iso__seal_is_held(const iso_session *session);

#endif
