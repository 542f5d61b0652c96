/// The words of the symbolic language, one token at a time.
#ifndef ISO_SYMBOLIC_LEXER_H
#define ISO_SYMBOLIC_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The reserved words. X(name, text)
#define ISO__KEYWORD_LIST(X)    \
    X(BODY, "body")             \
    X(VECTOR, "vector")         \
    X(SCALAR, "scalar")         \
    X(LIMIT, "limit")           \
    X(CONSTRAINT, "constraint") \
    X(LET, "let")               \
    X(IN, "in")                 \
    X(RELATIVE, "relative")     \
    X(UNIT, "unit")             \
    X(DOT, "dot")               \
    X(CROSS, "cross")           \
    X(EPS, "eps")               \
    X(INF, "inf")               \
    X(ANGLE, "angle") /* in space alone */

/// The kind of a sign ( { } ( ) | + - * / . , = ) is its character.
enum {
    ISO__TOKEN_END = 0,
    ISO__TOKEN_NAME = 128, // not a reserved word
    ISO__TOKEN_NUMBER,
    ISO__TOKEN_WRONG, // no token of the language: one character, or a number with letters behind it
#define ISO__KEYWORD_ENUM(name, text) ISO__TOKEN_##name,
    ISO__KEYWORD_LIST(ISO__KEYWORD_ENUM)
#undef ISO__KEYWORD_ENUM
};

typedef struct iso__token {
    uint8_t kind;
    bool is_spaced_before; // a blank, a new line or a comment stands before it
    bool is_spaced_after;
    uint16_t size;
    uint32_t line; // from 1
    uint32_t column;
    const char *text; // in the source
} iso__token;

typedef struct iso__lexer {
    const char *source;
    size_t size;
    size_t at;
    size_t line_start;
    uint32_t line;
    uint32_t dimensions;
} iso__lexer;

/// Whether a name may have this character; as its first one, no digit.
bool iso__is_name_character(char c, bool is_first);

/// The kind of the word of this text that is reserved in so many dimensions, else ISO__TOKEN_NAME.
uint8_t iso__keyword_find(const char *text, size_t size, uint32_t dimensions);

iso__lexer iso__lexer_make(const char *source, size_t size, uint32_t dimensions);

/// The next token; at the end of the source ISO__TOKEN_END again and again.
iso__token iso__lexer_next(iso__lexer *lexer);

#endif
