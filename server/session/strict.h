/// The late policy STRICT: the clock waits for members' inputs.
#ifndef ISO_SESSION_STRICT_H
#define ISO_SESSION_STRICT_H

#include "state.h"

/// Whether the clock waits for a member before the next tick, whose deadline has passed. Charges the time to that
/// member's origin.
bool iso__strict_waits(iso_session *session);
/// When the waiting ends, at the latest.
uint64_t iso__strict_deadline(const iso_session *session);

#endif
