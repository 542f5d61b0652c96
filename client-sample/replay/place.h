/// isostep-replay: places in a state as users write them, "bodies[3].velocity[0]".
#ifndef ISO_REPLAY_PLACE_H
#define ISO_REPLAY_PLACE_H

#include "replay.h"

/// Reads the name of a section, which ends before "[", "." or ":". @param what  the option or argument, for messages
/// @return false, after a line on standard error that names the sections
bool iso__replay_place_section(const char *what, const char **at, iso_section *section);

/// Reads "[NUMBER]" when it is there, else *index is 0. @return false when it is begun and wrong
bool iso__replay_place_index(const char **at, uint32_t *index);

#endif
