/// isostep-client: the client with the library's games.
///
/// For a client with a game of your own, copy this file and add the game to the list.
#include "isostep/client_main.h"

int main(int argc, char **argv) {
    return iso_client_main(argc, argv, NULL, 0);
}
