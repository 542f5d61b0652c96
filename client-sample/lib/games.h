/// The games that the program has.
#ifndef ISO_CLIENT_GAMES_H
#define ISO_CLIENT_GAMES_H

#include "state.h"

/// The game of this name among those of the program, or NULL.
const iso_game *iso__client_games_find(const iso_client *client, const char *name);
/// Says in the client's text that a session's game is not among this program's, and which these are. @return the text,
/// for iso__client_fail
const char *iso__client_games_unknown(iso_client *client, const char *name);

#endif
