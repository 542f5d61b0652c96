/// The games whose rules this replay tool has.
#include <string.h>

#include "replay.h"

static const iso_game *const *known;
static size_t known_count;

void iso__replay_games_set(const iso_game *const *games, size_t count) {
    known = games;
    known_count = count;
}

const iso_game *const *iso__replay_games(uint32_t *count) {
    *count = (uint32_t)known_count;
    return known;
}

const iso_game *iso__replay_game_known(const char *name) {
    for (size_t i = 0; i < known_count; ++i) {
        if (strcmp(known[i]->name, name) == 0) {
            return known[i];
        }
    }
    return NULL;
}

const iso_game *iso__replay_game_find(const char *name) {
    const iso_game *game = iso__replay_game_known(name);
    if (game == NULL) {
        iso_print(stderr,
                  "isostep-replay: this program does not know the game '%s', so it cannot step its worlds\n"
                  "  it knows:",
                  name);
        for (size_t i = 0; i < known_count; ++i) {
            iso_print(stderr, "%s %s", i == 0 ? "" : ",", known[i]->name);
        }
        iso_print(stderr,
                  "; a replay tool for another game is iso_replay_main with that game (isostep/replay_main.h)\n");
    }
    return game;
}
