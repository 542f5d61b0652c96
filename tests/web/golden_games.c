/// The games of the golden cases: those of the library, and the ones that the cases `mechanics` and, in space,
/// `contacts3` have.
#include "../golden/golden_game.h"
#include "games.h"

const iso_game *const *iso__web_games(uint32_t *count) {
#ifdef ISO_ONLY_PLANE
    static const iso_game *const own[] = {&golden_game};
#else
    static const iso_game *const own[] = {&golden_game, &golden_game3};
#endif
    static const iso_game *games[ISO_GAME_COUNT + sizeof own / sizeof own[0]];
    *count = (uint32_t)iso_games_add(own, sizeof own / sizeof own[0], games);
    return games;
}
