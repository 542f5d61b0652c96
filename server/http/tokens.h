/// Tokens: who may ask for what over HTTP.
///
/// A file has one on each line, and blank lines and lines that begin with `#`:
///
///   NAME ROLE HASH EXPIRY
///   anna admin 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 2027-01-31
///
/// HASH is the SHA-256 of the token in hexadecimal digits, so that a reader of the file cannot use it. EXPIRY is the
/// first moment, in UTC, at which the token is not valid any more: YYYY-MM-DD, YYYY-MM-DDTHH:MM:SSZ, or never.
#ifndef ISO_HTTP_TOKENS_H
#define ISO_HTTP_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__HTTP_TOKENS_MAX      256u
#define ISO__HTTP_TOKEN_NAME_MAX  31u
#define ISO__HTTP_TOKEN_HASH_SIZE 32u
#define ISO__HTTP_TOKEN_MAX       128u // characters of a token
#define ISO__HTTP_NEVER           INT64_MAX

/// What a token allows; each role allows what those before it do.
typedef enum iso__http_role {
    ISO__HTTP_ROLE_NONE, // no token
    ISO__HTTP_ROLE_READ,
    ISO__HTTP_ROLE_MODERATE,
    ISO__HTTP_ROLE_ADMIN,
} iso__http_role;

typedef struct iso__http_token {
    char name[ISO__HTTP_TOKEN_NAME_MAX + 1];
    uint8_t role; // iso__http_role
    uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE];
    int64_t expires; // [s] since 1970; ISO__HTTP_NEVER
} iso__http_token;

typedef struct iso__http_tokens {
    iso__http_token list[ISO__HTTP_TOKENS_MAX];
    uint32_t count;
} iso__http_tokens;

/// "none", "read", "moderate", "admin".
const char *iso__http_role_name(iso__http_role role);
/// The role of this name, but none. @return false: there is no such role
bool iso__http_role_find(const char *name, size_t size, iso__http_role *role);

/// Whether the text can be a token: 16 to 128 characters that an Authorization header may have.
bool iso__http_is_token(const char *text);
/// Whether the text can be a token's name: 1 to 31 of a to z, 0 to 9, '-', '_' and '.'.
bool iso__http_is_token_name(const char *text, size_t size);

void iso__http_token_hash(const char *token, uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE]);

/// The same of one of which only the hash is known.
/// Adds a token by its hash. @return false: there are too many, or there is one of this name
bool iso__http_tokens_add_hash(iso__http_tokens *tokens, const char *name, iso__http_role role,
                               const uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE]);

/// Adds the tokens of a file.
/// @param text  need not be terminated
/// @param why   on failure: one sentence with the line
/// @return false: it is wrong; `tokens` may have some of them then
bool iso__http_tokens_parse(iso__http_tokens *tokens, const char *text, size_t size, char *why, size_t why_size);

/// The token of an Authorization header; takes as long for every token of the same length.
/// @param authorization  NULL: there is none
/// @param now            [s] since 1970
/// @return NULL: it is none of these, or has expired
const iso__http_token *iso__http_tokens_find(const iso__http_tokens *tokens, const char *authorization, int64_t now);

/// Writes the line of a token with its newline. @param text  at least 192 bytes
void iso__http_token_line(const char *name, iso__http_role role, const char *token, int64_t expires, char *text,
                          size_t capacity);

#endif
