/// isostep-server: the server with the games that the library brings.
///
/// A server with a game of one's own is this file with the game in the list.
#include "isostep/server/server.h"

int main(int argc, char **argv) {
    return iso_server_main(argc, argv, NULL, 0);
}
