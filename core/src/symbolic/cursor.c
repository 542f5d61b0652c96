/// See cursor.h.
#include "symbolic/cursor.h"

#include <string.h>

#include "symbolic/lexer.h"

// ---- errors --------------------------------------------------------------------------------------

/// Adds text to the message as far as there is room.
static void error_add(iso_program_error *error, const char *text, size_t size) {
    size_t at = 0;
    while (error->message[at] != 0) {
        ++at;
    }
    for (size_t i = 0; i < size && text[i] != 0 && at + 1 < sizeof error->message; ++i) {
        error->message[at++] = text[i];
    }
    error->message[at] = 0;
}

/// Stops reading; true when this is the first error and the caller wants errors.
static bool fail_begins(iso__parser *parser, const iso__token *at) {
    bool is_wanted = !parser->has_failed && parser->error != NULL;
    parser->has_failed = true;
    parser->token.kind = ISO__TOKEN_END;
    if (is_wanted) {
        *parser->error = (iso_program_error){.line = at->line, .column = at->column, .message = "found "};
    }
    return is_wanted;
}

static void fail_ends(iso__parser *parser, const char *expected) {
    error_add(parser->error, ", expected ", SIZE_MAX);
    error_add(parser->error, expected, SIZE_MAX);
}

void iso__parser_fail(iso__parser *parser, const iso__token *at, const char *const *found, const char *expected) {
    if (!fail_begins(parser, at)) {
        return;
    }
    for (; *found != NULL; ++found) {
        error_add(parser->error, *found, SIZE_MAX);
    }
    fail_ends(parser, expected);
}

/// A byte that is no character to show, as 0x and two digits.
static void error_add_byte(iso_program_error *error, uint8_t byte) {
    static const char digits[16] = "0123456789abcdef";
    error_add(error, "the byte 0x", SIZE_MAX);
    error_add(error, &digits[byte >> 4], 1);
    error_add(error, &digits[byte & 15], 1);
}

void iso__parser_fail_token(iso__parser *parser, const iso__token *at, const char *what, const char *expected) {
    enum { SHOWN_MAX = 40 };
    iso__token token = *at; // it may be the parser's, which an error ends
    if (!fail_begins(parser, &token)) {
        return;
    }
    iso_program_error *error = parser->error;
    if (what != NULL) {
        error_add(error, what, SIZE_MAX);
    }
    if (token.kind == ISO__TOKEN_END) {
        error_add(error, "the end", SIZE_MAX);
    } else if (token.kind == ISO__TOKEN_WRONG && (token.text[0] <= ' ' || token.text[0] > '~')) {
        error_add_byte(error, (uint8_t)token.text[0]);
    } else {
        error_add(error, "'", 1);
        error_add(error, token.text, token.size < SHOWN_MAX ? token.size : SHOWN_MAX);
        error_add(error, token.size <= SHOWN_MAX ? "'" : "...'", SIZE_MAX);
    }
    fail_ends(parser, expected);
}

// ---- tokens and names ----------------------------------------------------------------------------

void iso__parser_advance(iso__parser *parser) {
    if (!parser->has_failed) {
        parser->token = iso__lexer_next(&parser->lexer);
    }
}

bool iso__parser_expect(iso__parser *parser, uint8_t kind, const char *expected) {
    if (parser->token.kind != kind) {
        iso__parser_fail_token(parser, &parser->token, NULL, expected);
        return false;
    }
    iso__parser_advance(parser);
    return true;
}

const iso__let *iso__parser_find_let(const iso__parser *parser, const iso__token *name) {
    for (uint32_t i = 0; i < parser->let_count; ++i) {
        const iso__let *let = &parser->lets[i];
        if (let->size == name->size && memcmp(let->text, name->text, name->size) == 0) {
            return let;
        }
    }
    return NULL;
}
