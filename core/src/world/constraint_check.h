/// Whether a world can have the constraints of a game: their counts, names and functions. For game_check.c.
#ifndef ISO_WORLD_CONSTRAINT_CHECK_H
#define ISO_WORLD_CONSTRAINT_CHECK_H

#include "world/check_text.h"

/// @return ISO_OK; ISO_ERR_RANGE, with the reason in the text
iso_status iso__game_check_constraints(const iso_game *game, iso__game_text *text);

#endif
