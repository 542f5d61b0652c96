/// isostep-replay: the names that a recording's scene has for the bodies of its states.
#ifndef ISO_REPLAY_NAMES_H
#define ISO_REPLAY_NAMES_H

#include "isostep/proto/scene.h"
#include "replay.h"

/// A world's bodies of tick 0 are those of the scene, with the same indices and generation 1. A later body may have the index
/// of one that is gone, but not its generation.
typedef struct replay_names {
    iso_scene *scene; // NULL: there are no names
} replay_names;

/// Reads the names from the header. A recording without a scene, or with one that this build cannot read, has none.
void iso__replay_names_make(replay_names *names, const iso_recording *recording);
void iso__replay_names_free(replay_names *names);

/// @return the name of the body that has this index in the world; "": it is not of the scene, or there is no body
const char *iso__replay_names_body(const replay_names *names, const iso_world *world, uint32_t index);

/// Finds the body of this name in a state. @return false, after a line on standard error: no body of the scene has it, or
/// that body is gone
bool iso__replay_names_find(const replay_names *names, const iso_world *world, const char *name, uint32_t *index);

#endif
