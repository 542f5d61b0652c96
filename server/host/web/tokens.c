/// The file of the tokens: read at the start, and again when it changes.
#include "host/web/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "host/start/exit.h"
#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/text.h"

#define OWN_FILE_MAX    4096u // [bytes]
#define TOKENS_FILE_MAX 65536u
#define TOKEN_BYTES     32u
#define DAY_S           INT64_C(86400)
#define DAYS_MAX        36500
// What the token of --http-token is called where changes are logged.
#define OWN_NAME "http-token"

static void note_file(iso__tokens *tokens, const struct stat *about) {
    // Not the time of its content, which a copy may bring with it and a change of its mode does not touch.
    tokens->changed = about->st_ctim;
    tokens->inode = (uint64_t)about->st_ino;
    tokens->size = (int64_t)about->st_size;
}

/// @return false after a message
static bool add_file(iso__tokens *tokens) {
    struct stat about = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    char why[160] = "";
    const char *what = NULL;
    const bool is_there = stat(tokens->path, &about) == 0;
    note_file(tokens, &about);
    if (!is_there) {
        snprintf(why, sizeof why, "%s", strerror(errno));
    } else if (iso__file_read_own(AT_FDCWD, tokens->path, TOKENS_FILE_MAX, &bytes, &size, &what) != ISO_OK) {
        snprintf(why, sizeof why, "%s", what);
    } else {
        iso__http_tokens_parse(&tokens->list, (const char *)bytes, size, why, sizeof why);
    }
    free(bytes);
    if (why[0] != '\0') {
        iso__log_error("--http-tokens: '%s': %s", tokens->path, why);
    }
    return why[0] == '\0';
}

bool iso__tokens_reload(iso__tokens *tokens) {
    ISO_ASSERT(tokens->list.count <= ISO__HTTP_TOKENS_MAX);
    tokens->list.count = 0;
    const bool is_right = tokens->path == NULL || add_file(tokens);
    if (!is_right) {
        tokens->list.count = 0;
    }
    if (tokens->has_own && !iso__http_tokens_add_hash(&tokens->list, OWN_NAME, ISO__HTTP_ROLE_ADMIN, tokens->own)) {
        iso__log_error("--http-token: the file of --http-tokens has 256 tokens, or one named " OWN_NAME);
        return false;
    }
    return is_right;
}

static bool read_own(iso__tokens *tokens, const char *token) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    const char *what = NULL;
    if (token[0] == '@') {
        if (iso__file_read_own(AT_FDCWD, token + 1, OWN_FILE_MAX, &bytes, &size, &what) != ISO_OK) {
            iso__log_error("--http-token: '%s' cannot be read: %s", token + 1, what);
            return false;
        }
        // One line, with or without its end.
        const size_t line = strcspn((const char *)bytes, "\r\n");
        bytes[line < size ? line : size] = '\0';
        token = (const char *)bytes;
    }
    const bool is_right = iso__http_is_token(token);
    if (is_right) {
        iso__http_token_hash(token, tokens->own);
    } else {
        iso__log_error("--http-token: the file has no token of 16 to 128 letters, digits and - . _ ~ + / =");
    }
    if (bytes != NULL) {
        sodium_memzero(bytes, size);
    }
    free(bytes);
    tokens->has_own = is_right;
    return is_right;
}

bool iso__tokens_open(iso__tokens *tokens, const iso__options *options) {
    ISO_ASSERT(tokens->list.count == 0 && !tokens->has_own);
    tokens->path = options->http_tokens;
    if (options->http_token != NULL && !read_own(tokens, options->http_token)) {
        return false;
    }
    // Whoever may list processes sees their arguments.
    if (options->http_token_argument != NULL) {
        memset(options->http_token_argument, 'x', strlen(options->http_token_argument));
    }
    tokens->looked_ns = iso__clock_now();
    return iso__tokens_reload(tokens);
}

const iso__http_tokens *iso__tokens_now(iso__tokens *tokens) {
    ISO_ASSERT(tokens->list.count <= ISO__HTTP_TOKENS_MAX);
    const uint64_t now = iso__clock_now();
    struct stat about = {0};
    if (tokens->path == NULL || now < tokens->looked_ns + ISO__NS_PER_S) {
        return &tokens->list;
    }
    tokens->looked_ns = now;
    // One that has gone has no time, number and size.
    if (stat(tokens->path, &about) != 0) {
        memset(&about, 0, sizeof about);
    }
    if (about.st_ctim.tv_sec == tokens->changed.tv_sec && about.st_ctim.tv_nsec == tokens->changed.tv_nsec &&
        (uint64_t)about.st_ino == tokens->inode && (int64_t)about.st_size == tokens->size) {
        return &tokens->list;
    }
    if (iso__tokens_reload(tokens)) {
        iso__log_info("--http-tokens: '%s' was read again: %u token%s", tokens->path, tokens->list.count,
                      iso_text_plural(tokens->list.count));
    }
    return &tokens->list;
}

bool iso__tokens_are_asked_for(const iso__tokens *tokens) {
    return tokens->path != NULL || tokens->has_own;
}

/// NAME:ROLE[:DAYS]. @return false: it is none
static bool read_request(const char *what, char name[ISO__HTTP_TOKEN_NAME_MAX + 1], iso__http_role *role, long *days) {
    const size_t name_size = strcspn(what, ":");
    *days = 0;
    if (!iso__http_is_token_name(what, name_size) || what[name_size] != ':') {
        return false;
    }
    memcpy(name, what, name_size);
    name[name_size] = '\0';
    const char *rest = what + name_size + 1;
    const size_t role_size = strcspn(rest, ":");
    if (!iso__http_role_find(rest, role_size, role)) {
        return false;
    }
    if (rest[role_size] == '\0') {
        return true;
    }
    char *end = NULL;
    const char *digits = rest + role_size + 1;
    *days = strtol(digits, &end, 10);
    return *digits >= '1' && *digits <= '9' && *end == '\0' && *days <= DAYS_MAX;
}

int iso__tokens_make(const char *what) {
    char name[ISO__HTTP_TOKEN_NAME_MAX + 1], token[64], line[192];
    uint8_t bytes[TOKEN_BYTES];
    iso__http_role role = ISO__HTTP_ROLE_NONE;
    long days = 0;
    if (!read_request(what, name, &role, &days)) {
        iso__log_error("--new-token: '%s' is not NAME:read, NAME:moderate or NAME:admin, perhaps with :DAYS", what);
        return ISO__EXIT_USAGE;
    }
    if (sodium_init() < 0) {
        iso__log_error("the system has no random bytes");
        return ISO__EXIT_TROUBLE;
    }
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(token, sizeof token, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    const int64_t expires = days > 0 ? (int64_t)time(NULL) + days * DAY_S : ISO__HTTP_NEVER;
    iso__http_token_line(name, role, token, expires, line, sizeof line);
    fprintf(stderr, "%s\n", token);
    fputs(line, stdout);
    const bool is_written = fflush(stdout) == 0;
    sodium_memzero(token, sizeof token);
    sodium_memzero(bytes, sizeof bytes);
    if (!is_written) {
        iso__log_error("--new-token: the line cannot be written: %s", strerror(errno));
    }
    return is_written ? ISO__EXIT_DONE : ISO__EXIT_TROUBLE;
}

void iso__tokens_term(iso__tokens *tokens) {
    sodium_memzero(tokens, sizeof *tokens);
}
