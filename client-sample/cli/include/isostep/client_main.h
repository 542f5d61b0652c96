/// isostep-client as one call: a client with one's own game is a main of one line that names the game.
#ifndef ISOSTEP_CLIENT_MAIN_H
#define ISOSTEP_CLIENT_MAIN_H

#include <stddef.h>

#include "isostep/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Connects, plays, checks every root, and returns the program's exit code; see `isostep-client --help`.
///
/// Takes over SIGTERM, SIGINT and SIGPIPE and writes to standard output and standard error, so it is the whole
/// program while it runs.
///
/// @param argv   argv[0] is the program's name, as for main
/// @param games  games that sessions may play, besides those that the library brings; NULL when count is 0
/// @param count  number of games
/// @return 0 done; 1 a desync was found; 2 usage; 4 the connection failed or was refused, or there is no memory.
int iso_client_main(int argc, char **argv, const iso_game *const *games, size_t count);

#ifdef __cplusplus
}
#endif

#endif
