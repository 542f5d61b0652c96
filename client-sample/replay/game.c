/// The games whose rules this replay tool has.
#include <string.h>

#include "replay.h"
#include "isostep/games.h"

static const iso_game *const *given;
static size_t given_count;

void iso__replay_games_set(const iso_game *const *games, size_t count) {
    given = games;
    given_count = count;
}

const iso_game *const *iso__replay_games(uint32_t *count) {
    *count = (uint32_t)given_count;
    return given;
}

const iso_game *iso__replay_game_known(const char *name) {
    for (size_t i = 0; i < given_count; i++) {
        if (strcmp(given[i]->name, name) == 0) {
            return given[i];
        }
    }
    return iso_game_find(name);
}

const iso_game *iso__replay_game_find(const char *name) {
    const iso_game *game = iso__replay_game_known(name);
    if (game == NULL) {
        fprintf(stderr,
                "isostep-replay: this program does not know the game '%s', so it cannot step its worlds\n"
                "  it knows: %s",
                name, iso_games[0]->name);
        for (uint32_t i = 1; i < ISO_GAME_COUNT; i++) {
            fprintf(stderr, ", %s", iso_games[i]->name);
        }
        for (size_t i = 0; i < given_count; i++) {
            fprintf(stderr, ", %s", given[i]->name);
        }
        fprintf(stderr, "; a replay tool for another game is iso_replay_main with that game (isostep/replay_main.h)\n");
    }
    return game;
}
