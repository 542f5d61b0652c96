/// isostep-replay as one call: a replay tool with one's own game is a main of one line that names the game.
#ifndef ISOSTEP_REPLAY_MAIN_H
#define ISOSTEP_REPLAY_MAIN_H

#include <stddef.h>

#include "isostep/game.h"
#include "isostep/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a subcommand on recordings or scenes and returns the program's exit code; see `isostep-replay --help`.
///
/// Writes to standard output and standard error. One call at a time in a process.
///
/// @param argv   argv[0] is the program's name, argv[1] the subcommand
/// @param games  games that recordings and scenes may name, besides those that the library brings; they outlive the
///               call; NULL when count is 0
/// @param count  number of games
/// @return 0 done; 1 a mismatch was found; 2 usage; 3 the file is unreadable, corrupt or of another version, or of
///         a game that is not among these.
int iso_replay_main(int argc, char **argv, const iso_game *const *games, size_t count);

/// The same for a program that brings scenes: `simulate`, `render` and `check` know them by their names, like the
/// built-in ones.
///
/// @param scenes       as iso_server_main_with_scenes takes them; NULL when scene_count is 0
/// @param scene_count  number of scenes
/// @return as above; 2 also for a scene whose name is not right or is there already
int iso_replay_main_with_scenes(int argc, char **argv, const iso_game *const *games, size_t count,
                                const iso_builtin_scene *scenes, size_t scene_count);

#ifdef __cplusplus
}
#endif

#endif
