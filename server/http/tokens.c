#include "http/tokens.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "isostep/assert.h"

#define LINE_MAX_SIZE 256u
#define FIELD_COUNT   4u

static const char *const role_names[] = {"none", "read", "moderate", "admin"};

const char *iso__http_role_name(iso__http_role role) {
    return role_names[role];
}

bool iso__http_role_find(const char *name, size_t size, iso__http_role *role) {
    for (unsigned i = ISO__HTTP_ROLE_READ; i <= ISO__HTTP_ROLE_ADMIN; ++i) {
        if (strlen(role_names[i]) == size && memcmp(role_names[i], name, size) == 0) {
            *role = (iso__http_role)i;
            return true;
        }
    }
    return false;
}

bool iso__http_is_token(const char *text) {
    const size_t size = strlen(text);
    return size >= 16 && size <= ISO__HTTP_TOKEN_MAX &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") == size;
}

bool iso__http_is_token_name(const char *text, size_t size) {
    if (size == 0 || size > ISO__HTTP_TOKEN_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; ++i) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.')) {
            return false;
        }
    }
    return true;
}

void iso__http_token_hash(const char *token, uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE]) {
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, strlen(token), (const uint8_t *)token);
    sha256_digest(&context, ISO__HTTP_TOKEN_HASH_SIZE, hash);
}

static bool has_name(const iso__http_tokens *tokens, const char *name) {
    for (uint32_t i = 0; i < tokens->count; ++i) {
        if (strcmp(tokens->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool iso__http_tokens_add_hash(iso__http_tokens *tokens, const char *name, iso__http_role role,
                               const uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE]) {
    ISO_ASSERT(tokens->count <= ISO__HTTP_TOKENS_MAX && iso__http_is_token_name(name, strlen(name)));
    ISO_ASSERT(role > ISO__HTTP_ROLE_NONE && role <= ISO__HTTP_ROLE_ADMIN);
    if (tokens->count == ISO__HTTP_TOKENS_MAX || has_name(tokens, name)) {
        return false;
    }
    iso__http_token *added = &tokens->list[tokens->count++];
    *added = (iso__http_token){.role = (uint8_t)role, .expires = ISO__HTTP_NEVER};
    snprintf(added->name, sizeof added->name, "%s", name);
    memcpy(added->hash, hash, sizeof added->hash);
    return true;
}

static int hex_of(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hash(const char *text, uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE]) {
    if (strlen(text) != 2u * ISO__HTTP_TOKEN_HASH_SIZE) {
        return false;
    }
    for (size_t i = 0; i < ISO__HTTP_TOKEN_HASH_SIZE; ++i) {
        const int high = hex_of(text[2 * i]), low = hex_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        hash[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/// Reads digits in the form of a pattern, in which each 0 stands for one.
static bool has_form(const char *text, const char *pattern) {
    if (strlen(text) != strlen(pattern)) {
        return false;
    }
    for (size_t i = 0; pattern[i] != '\0'; ++i) {
        if (pattern[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i]) {
            return false;
        }
    }
    return true;
}

static int number(const char *digits, size_t count) {
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
        value = value * 10 + (digits[i] - '0');
    }
    return value;
}

static bool read_expiry(const char *text, int64_t *expires) {
    *expires = ISO__HTTP_NEVER;
    if (strcmp(text, "never") == 0) {
        return true;
    }
    const bool has_time = has_form(text, "0000-00-00T00:00:00Z");
    if (!has_time && !has_form(text, "0000-00-00")) {
        return false;
    }
    struct tm utc = {
        .tm_year = number(text, 4) - 1900, .tm_mon = number(text + 5, 2) - 1, .tm_mday = number(text + 8, 2)};
    if (has_time) {
        utc.tm_hour = number(text + 11, 2);
        utc.tm_min = number(text + 14, 2);
        utc.tm_sec = number(text + 17, 2);
    }
    const struct tm given = utc;
    *expires = (int64_t)timegm(&utc);
    // A day that no month has is another one by now.
    return utc.tm_mday == given.tm_mday && utc.tm_mon == given.tm_mon && utc.tm_hour == given.tm_hour &&
           utc.tm_min == given.tm_min && utc.tm_sec == given.tm_sec;
}

/// Cuts a line into its words. @return how many, at most one more than there are fields
static size_t split(char *line, char *fields[FIELD_COUNT + 1]) {
    size_t count = 0;
    char *rest = line;
    for (char *word; count <= FIELD_COUNT && (word = strtok_r(count == 0 ? line : NULL, " \t\r", &rest)) != NULL;) {
        fields[count++] = word;
    }
    return count;
}

/// @param line  is written to. @return NULL: it is right; else what is wrong with it
static const char *read_line(iso__http_tokens *tokens, char *line) {
    char *fields[FIELD_COUNT + 1] = {NULL};
    const size_t count = split(line, fields);
    iso__http_token token = {0};
    iso__http_role role = ISO__HTTP_ROLE_NONE;
    if (count == 0 || fields[0][0] == '#') {
        return NULL;
    }
    if (count != FIELD_COUNT) {
        return "expected NAME ROLE HASH EXPIRY";
    }
    if (!iso__http_is_token_name(fields[0], strlen(fields[0]))) {
        return "the name: expected 1 to 31 of a to z, 0 to 9, - _ and .";
    }
    if (!iso__http_role_find(fields[1], strlen(fields[1]), &role)) {
        return "the role: expected read, moderate or admin";
    }
    if (!read_hash(fields[2], token.hash)) {
        return "the hash: expected the 64 hexadecimal digits of a SHA-256";
    }
    if (!read_expiry(fields[3], &token.expires)) {
        return "the expiry: expected YYYY-MM-DD, YYYY-MM-DDTHH:MM:SSZ or never";
    }
    if (has_name(tokens, fields[0])) {
        return "there is a token of this name already";
    }
    if (tokens->count == ISO__HTTP_TOKENS_MAX) {
        return "there are more than 256 tokens";
    }
    token.role = (uint8_t)role;
    memcpy(token.name, fields[0], strlen(fields[0]) + 1);
    tokens->list[tokens->count++] = token;
    return NULL;
}

bool iso__http_tokens_parse(iso__http_tokens *tokens, const char *text, size_t size, char *why, size_t why_size) {
    ISO_ASSERT(tokens->count <= ISO__HTTP_TOKENS_MAX && why_size > 0);
    unsigned number_of_line = 0;
    for (size_t begin = 0; begin < size;) {
        const char *end = memchr(text + begin, '\n', size - begin);
        const size_t length = (end != NULL ? (size_t)(end - text) : size) - begin;
        char line[LINE_MAX_SIZE];
        const char *wrong = "it is too long";
        ++number_of_line;
        if (length < sizeof line) {
            memcpy(line, text + begin, length);
            line[length] = '\0';
            wrong = memchr(line, '\0', length) != NULL ? "it is no text" : read_line(tokens, line);
        }
        if (wrong != NULL) {
            snprintf(why, why_size, "line %u: %s", number_of_line, wrong);
            return false;
        }
        begin += length + 1;
    }
    return true;
}

const iso__http_token *iso__http_tokens_find(const iso__http_tokens *tokens, const char *authorization, int64_t now) {
    ISO_ASSERT(tokens->count <= ISO__HTTP_TOKENS_MAX);
    uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE];
    const iso__http_token *found = NULL;
    if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0 ||
        !iso__http_is_token(authorization + 7)) {
        return NULL;
    }
    iso__http_token_hash(authorization + 7, hash);
    // All of them, so that the time says nothing.
    for (uint32_t i = 0; i < tokens->count; ++i) {
        unsigned difference = 0;
        for (size_t k = 0; k < sizeof hash; ++k) {
            difference |= (unsigned)(hash[k] ^ tokens->list[i].hash[k]);
        }
        found = difference == 0 ? &tokens->list[i] : found;
    }
    return found != NULL && now < found->expires ? found : NULL;
}

void iso__http_token_line(const char *name, iso__http_role role, const char *token, int64_t expires, char *text,
                          size_t capacity) {
    ISO_ASSERT(iso__http_is_token_name(name, strlen(name)) && iso__http_is_token(token));
    ISO_ASSERT(role > ISO__HTTP_ROLE_NONE && role <= ISO__HTTP_ROLE_ADMIN);
    uint8_t hash[ISO__HTTP_TOKEN_HASH_SIZE];
    char digits[2 * ISO__HTTP_TOKEN_HASH_SIZE + 1], when[32] = "never";
    const time_t moment = (time_t)expires;
    struct tm utc;
    iso__http_token_hash(token, hash);
    for (size_t i = 0; i < sizeof hash; ++i) {
        snprintf(digits + 2 * i, 3, "%02x", hash[i]);
    }
    if (expires != ISO__HTTP_NEVER && gmtime_r(&moment, &utc) != NULL) {
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    snprintf(text, capacity, "%s %s %s %s\n", name, iso__http_role_name(role), digits, when);
}
