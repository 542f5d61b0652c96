/// Options that are ignored, since a session that is continued keeps the scene, tick rate and seed of its recording.
#ifndef ISO_HOST_IGNORED_H
#define ISO_HOST_IGNORED_H

#include "host/start/setup.h"

/// Warns of a scene, a tick rate and a seed that are given and are others than those the session continues with.
/// @param before   of the recording; without the scene's text
/// @param request  what a new session would begin with
void iso__ignored_warn(const iso_recording_header *before, const iso__session_spec *spec,
                       const iso__setup_request *request);

#endif
