#include "games.h"

#include "text.h"

const iso_game *iso__client_games_find(const iso_client *client, const char *name) {
    ISO_ASSERT(name != 0 && (client->games != 0 || client->game_count == 0));
    for (uint32_t i = 0; i < client->game_count; ++i) {
        if (iso__client_text_equal(client->games[i]->name, name)) {
            return client->games[i];
        }
    }
    return 0;
}

const char *iso__client_games_unknown(iso_client *client, const char *name) {
    ISO_ASSERT(name != 0 && name[0] != 0);
    const size_t capacity = sizeof(client->text);
    iso__client_text_copy(client->text, capacity, "the session plays ");
    iso__client_text_append(client->text, capacity, name);
    iso__client_text_append(client->text, capacity, ", a game that this program does not have; it has ");
    for (uint32_t i = 0; i < client->game_count; ++i) {
        iso__client_text_append(client->text, capacity, i == 0 ? "" : ", ");
        iso__client_text_append(client->text, capacity, client->games[i]->name);
    }
    iso__client_text_append(client->text, capacity, client->game_count == 0 ? "none" : "");
    return client->text;
}
