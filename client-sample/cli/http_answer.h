/// What a server's HTTP port says to a client that speaks frames. Its `H` is taken for the size of a frame, which is no
/// message then.
#ifndef ISO_CLI_HTTP_ANSWER_H
#define ISO_CLI_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ISO__CLI_HTTP_TEXT                                                                                          \
    "%s answers in HTTP: a browser's address, as that of the server's --http; this client wants the one of --tcp, " \
    "which stands behind tcp= in the server's line `ready`"

/// Whether a frame that cannot be decoded is the beginning of an answer in HTTP.
static inline bool iso__cli_is_http(const void *frame, size_t size) {
    static const char rest[] = "TTP/1.";
    return size == 'H' && memcmp(frame, rest, sizeof(rest) - 1) == 0;
}

#endif
