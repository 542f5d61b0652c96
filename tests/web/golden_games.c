/// The games of the golden cases: those of the library, and the one that the case `mechanics` has.
#include "../golden/golden_game.h"
#include "games.h"

const iso_game *const *iso__web_games(uint32_t *count) {
    static const iso_game *const games[] = {&golden_game,     &iso_game_sandbox, &iso_game_cloth,
                                            &iso_game_walker, &iso_game_hound,   &iso_game_pinball};
    *count = sizeof games / sizeof games[0];
    return games;
}
