/// Continuing from a recording.
#ifndef ISO_SESSION_REPLAY_H
#define ISO_SESSION_REPLAY_H

#include "state.h"

/// The last step before the first event.
void iso__replay_begin(iso_session *session);

#endif
