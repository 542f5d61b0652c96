/// isostep-client: the client with the games that the library brings.
///
/// A client with a game of one's own is this file with the game in the list.
#include "isostep/client_main.h"

int main(int argc, char **argv) {
    return iso_client_main(argc, argv, NULL, 0);
}
