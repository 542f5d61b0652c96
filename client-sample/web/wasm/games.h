/// The games whose rules the module has.
#ifndef ISO_WEB_GAMES_H
#define ISO_WEB_GAMES_H

#include <stdint.h>

#include "isostep/game.h"

/// A list that outlives everything. For a module with your own games, define it in a file of your own and give that file to
/// build.sh. @param count  receives how many there are
const iso_game *const *iso__web_games(uint32_t *count);

/// The game of that name, or NULL. Exported.
const iso_game *iso_web_find_game(const char *name);

#endif
