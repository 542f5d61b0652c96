/// The games of the library, for a module that build.sh was given no others for.
#include "games.h"

#include "isostep/games.h"

const iso_game *const *iso__web_games(uint32_t *count) {
    *count = ISO_GAME_COUNT;
    return iso_games;
}
