/// Whether all that a session keeps is consistent. For validating builds.
#ifndef ISO_SESSION_SOUND_H
#define ISO_SESSION_SOUND_H

#include "state.h"

/// Whether everything that the session keeps is consistent. Walks over all of it.
bool iso__session_is_sound(const iso_session *session);

#endif
