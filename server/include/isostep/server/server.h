/// libisostep-server: a host of physics sessions in one call.
///
/// A server with your own game is a main of one line that names the game. Everything else comes from the command line;
/// see `isostep-server --help`.
#ifndef ISOSTEP_SERVER_SERVER_H
#define ISOSTEP_SERVER_SERVER_H

#include <stddef.h>

#include "isostep/game.h"
#include "isostep/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a server until it is ended (by SIGTERM, SIGINT, SIGHUP or --for) and returns its exit code.
///
/// Takes over SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE and SIGXFSZ, starts threads and writes to standard
/// output and standard error, so it is the whole program. Threads that the program has begun before need not block
/// signals. At the end all of them but SIGPIPE and SIGXFSZ do again what they did before. What the sandbox has taken
/// from the process does not come back: to run another server in it, the first needs --no-sandbox. When it serves it
/// writes exactly one line to standard output: `ready tcp=HOST:PORT session=main`.
///
/// @param games  games that scenes may name, besides those that the library brings; NULL when count is 0
/// @param count  number of games
/// @return 0 ended as asked; 1 something failed, or a recording is incomplete; 2 usage, an address that cannot be
///         bound, or games that iso_game_check_list refuses; 3 a scene is unreadable or invalid, or a recording cannot
///         be continued.
int iso_server_main(int argc, char **argv, const iso_game *const *games, size_t count);

/// A scene that a program has in it: its name of a-z, 0-9 and -, which no built-in scene has, and its text as of a
/// scene's file (SCENE.md), without includes. One list serves iso_replay_main_with_scenes as well.
typedef iso_builtin_scene iso_server_scene;

/// The same for a program that brings scenes: they go by their names like the built-in ones, for --scene, --session and
/// POST /api/sessions, and stand before these in GET /api/scenes. The first is that of sessions without one of their
/// own, so that the program needs no file and no option.
///
/// @param scenes       NULL when scene_count is 0
/// @param scene_count  number of scenes
/// @return as above; 2 also for a scene whose name is not right or is there already
int iso_server_main_with_scenes(int argc, char **argv, const iso_game *const *games, size_t count,
                                const iso_server_scene *scenes, size_t scene_count);

#ifdef __cplusplus
}
#endif

#endif
