/// The games whose rules the module has.
#ifndef ISO_WEB_GAMES_H
#define ISO_WEB_GAMES_H

#include <stdint.h>

#include "isostep/game.h"

/// A list that outlives everything. For a module with your own games, define it in a file of your own and give that
/// file to build.sh. @param count  receives how many there are
const iso_game *const *iso__web_games(uint32_t *count);

/// The game of that name, or NULL. Exported.
const iso_game *iso_web_find_game(const char *name);

/// The name of the game of a place in the list, or NULL after the last one. Exported.
const char *iso_web_game_name(uint32_t index);

#endif
