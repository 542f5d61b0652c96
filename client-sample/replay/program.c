/// isostep-replay: the replay tool with the games that the library brings.
///
/// A replay tool for a game of one's own is this file with the game in the list.
#include "isostep/replay_main.h"

int main(int argc, char **argv) {
    return iso_replay_main(argc, argv, NULL, 0);
}
