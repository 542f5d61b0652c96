/// The games of the golden cases: those of the library, and the one that the case `mechanics` has.
#include "../golden/golden_game.h"
#include "games.h"

const iso_game *const *iso__web_games(uint32_t *count) {
    static const iso_game *games[ISO_GAME_COUNT + 1];
    static const iso_game *const own[] = {&golden_game};
    *count = (uint32_t)iso_games_add(own, 1, games);
    return games;
}
