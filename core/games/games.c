/// See games.h.
#include "isostep/games.h"

const iso_game *const iso_games[ISO_GAME_COUNT] = {
    &iso_game_sandbox,  &iso_game_cloth, &iso_game_walker, &iso_game_hound, &iso_game_pinball,
#ifndef ISO_ONLY_PLANE
    &iso_game_sandbox3, &iso_game_rally,
#endif
};

static bool games_have_one_name(const iso_game *a, const char *name) {
    const char *own = a->name;
    while (*own != 0 && *own == *name) {
        ++own;
        ++name;
    }
    return *own == *name;
}

const iso_game *iso_game_find(const char *name) {
    for (size_t i = 0; i < ISO_GAME_COUNT; ++i) {
        if (games_have_one_name(iso_games[i], name)) {
            return iso_games[i];
        }
    }
    return NULL;
}

size_t iso_games_add(const iso_game *const *given, size_t count, const iso_game **games) {
    size_t all = count;
    for (size_t i = 0; i < count; ++i) {
        games[i] = given[i];
    }
    for (size_t i = 0; i < ISO_GAME_COUNT; ++i) {
        bool is_given = false;
        for (size_t k = 0; k < count; ++k) {
            is_given = is_given || games_have_one_name(given[k], iso_games[i]->name);
        }
        if (!is_given) {
            games[all++] = iso_games[i];
        }
    }
    return all;
}
