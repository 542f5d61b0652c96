/// isostep-replay: the names that a recording's scene has for the bodies and joints of its states.
#ifndef ISO_REPLAY_NAMES_H
#define ISO_REPLAY_NAMES_H

#include "isostep/field.h"
#include "isostep/proto/scene.h"
#include "replay.h"

/// A world's bodies and joints of tick 0 are those of the scene, with the same indices and generation 1. A later one
/// may have the index of a destroyed one, but not its generation.
typedef struct replay_names {
    iso_scene *scene; // NULL: there are no names
} replay_names;

/// Reads the names from the header. A recording without a scene, or with one that this build cannot read, has none.
void iso__replay_names_make(replay_names *names, const iso_recording *recording);
void iso__replay_names_free(replay_names *names);

/// @return the name of the scene's body or joint with this id, whether it is still there or not; NULL: it is not of the
///         scene
const char *iso__replay_names_of_id(const replay_names *names, bool is_joint, uint32_t index, uint32_t generation);

/// What the records of a section are called: "body", "joint". NULL: they have no names
const char *iso__replay_names_noun(iso_section section);

/// @return the name of the record that has this index in the world; "": it is not of the scene or has none, or it is
///         not there
const char *iso__replay_names_of(const replay_names *names, const iso_world *world, iso_section section,
                                 uint32_t index);

/// Finds the body or joint of this name in a state. @return false, after a line on standard error: none of the scene
/// has it, or it is gone
bool iso__replay_names_find(const replay_names *names, const iso_world *world, iso_section section, const char *name,
                            uint32_t *index);

#endif
