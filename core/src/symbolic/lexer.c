/// Splits a source of the symbolic language into tokens.

#include "symbolic/lexer.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_sign(char c) {
    static const char signs[] = {'{', '}', '(', ')', '|', '+', '-', '*', '/', '.', ',', '='};
    for (size_t i = 0; i < sizeof signs; ++i) {
        if (c == signs[i]) {
            return true;
        }
    }
    return false;
}

bool iso__is_name_character(char c, bool is_first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!is_first && is_digit(c));
}

uint8_t iso__keyword_find(const char *text, size_t size, uint32_t dimensions) {
    static const struct {
        char text[12];
        uint8_t size;
        uint8_t kind;
    } keywords[] = {
#define KEYWORD(name, word) {word, sizeof word - 1, ISO__TOKEN_##name},
        ISO__KEYWORD_LIST(KEYWORD)
#undef KEYWORD
    };
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; ++i) {
        if (size == keywords[i].size && memcmp(text, keywords[i].text, size) == 0) {
            const bool is_reserved = keywords[i].kind != ISO__TOKEN_ANGLE || dimensions == 3;
            return is_reserved ? keywords[i].kind : (uint8_t)ISO__TOKEN_NAME;
        }
    }
    return ISO__TOKEN_NAME;
}

iso__lexer iso__lexer_make(const char *source, size_t size, uint32_t dimensions) {
    return (iso__lexer){.source = source, .size = size, .line = 1, .dimensions = dimensions};
}

/// The character `ahead` of the present one, 0 beyond the end.
static char lexer_peek(const iso__lexer *lexer, size_t ahead) {
    return lexer->size - lexer->at > ahead ? lexer->source[lexer->at + ahead] : '\0';
}

static void lexer_skip_spaces(iso__lexer *lexer) {
    bool in_comment = false;
    while (lexer->at < lexer->size) {
        char c = lexer->source[lexer->at];
        in_comment = (in_comment || c == '#') && c != '\n';
        if (!in_comment && !is_space(c)) {
            return;
        }
        lexer->at += 1;
        if (c == '\n') {
            lexer->line += 1;
            lexer->line_start = lexer->at;
        }
    }
}

static void lexer_skip_digits(iso__lexer *lexer) {
    while (is_digit(lexer_peek(lexer, 0))) {
        lexer->at += 1;
    }
}

/// digits [. digits] [e [+ -] digits]; what a name may begin with does not follow.
static uint8_t lexer_number(iso__lexer *lexer) {
    lexer_skip_digits(lexer);
    if (lexer_peek(lexer, 0) == '.' && is_digit(lexer_peek(lexer, 1))) {
        lexer->at += 1;
        lexer_skip_digits(lexer);
    }
    if (lexer_peek(lexer, 0) == 'e' || lexer_peek(lexer, 0) == 'E') {
        size_t sign = lexer_peek(lexer, 1) == '+' || lexer_peek(lexer, 1) == '-';
        if (is_digit(lexer_peek(lexer, 1 + sign))) {
            lexer->at += 1 + sign;
            lexer_skip_digits(lexer);
        }
    }
    uint8_t kind = ISO__TOKEN_NUMBER;
    while (iso__is_name_character(lexer_peek(lexer, 0), false)) {
        lexer->at += 1;
        kind = ISO__TOKEN_WRONG;
    }
    return kind;
}

iso__token iso__lexer_next(iso__lexer *lexer) {
    size_t before = lexer->at;
    lexer_skip_spaces(lexer);
    size_t start = lexer->at;
    iso__token token = {
        .kind = ISO__TOKEN_END,
        .is_spaced_before = start > before,
        .line = lexer->line,
        .column = (uint32_t)(start - lexer->line_start) + 1,
        .text = lexer->source + start,
    };
    if (start == lexer->size) {
        return token;
    }
    char c = lexer->source[start];
    if (is_digit(c)) {
        token.kind = lexer_number(lexer);
    } else if (iso__is_name_character(c, true)) {
        while (iso__is_name_character(lexer_peek(lexer, 0), false)) {
            lexer->at += 1;
        }
        token.kind = iso__keyword_find(token.text, lexer->at - start, lexer->dimensions);
    } else {
        lexer->at += 1;
        token.kind = is_sign(c) ? (uint8_t)c : ISO__TOKEN_WRONG;
    }
    token.size = (uint16_t)(lexer->at - start);
    char next = lexer_peek(lexer, 0);
    token.is_spaced_after = is_space(next) || next == '#' || lexer->at == lexer->size;
    return token;
}
