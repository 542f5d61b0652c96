/// isostep-replay: the replay tool with the library's games.
///
/// For a replay tool with a game of your own, copy this file and add the game to the list.
#include "isostep/replay_main.h"

int main(int argc, char **argv) {
    return iso_replay_main(argc, argv, NULL, 0);
}
