/// The tokens of --http-token and --http-tokens, and what makes new ones.
#ifndef ISO_HOST_WEB_TOKENS_H
#define ISO_HOST_WEB_TOKENS_H

#include <stdint.h>
#include <time.h>

#include "host/start/options.h"
#include "http/policy.h"

typedef struct iso__tokens {
    const char *path;      // of --http-tokens; NULL: there is no such file
    iso__http_tokens list; // those of the file, and that of --http-token
    bool has_own;
    uint8_t own[ISO__HTTP_TOKEN_HASH_SIZE]; // --http-token, which itself is not kept
    struct timespec changed;                // when the file had changed that these are of
    uint64_t inode;
    int64_t size;
    uint64_t looked_ns; // when it was last asked for whether it has changed
} iso__tokens;

/// Reads the tokens of the options. @return false after a message
bool iso__tokens_open(iso__tokens *tokens, const iso__options *options);

/// Reads the file again, whatever its time says. One that is wrong or not there leaves no token of the file valid: what
/// somebody has taken out of it must not go on. @return false after a message
bool iso__tokens_reload(iso__tokens *tokens);

/// Those that are valid by now: the file is read again if it has changed, which is looked at once a second.
const iso__http_tokens *iso__tokens_now(iso__tokens *tokens);

/// Whether there may be a token at all: an option names one.
bool iso__tokens_are_asked_for(const iso__tokens *tokens);

/// --new-token NAME:ROLE[:DAYS]: writes the token to standard error and its line for the file to standard output.
/// @return the exit code
int iso__tokens_make(const char *what);

/// Zeroes what was read.
void iso__tokens_term(iso__tokens *tokens);

#endif
