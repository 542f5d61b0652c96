/// The parser's state: its token, the declared names, its first error.
#ifndef ISO_SYMBOLIC_CURSOR_H
#define ISO_SYMBOLIC_CURSOR_H

#include "symbolic/graph.h"
#include "symbolic/lexer.h"

/// Instead of a node: no bound above, no bound below.
enum { ISO__NODE_INF = 0xffff, ISO__NODE_MINUS_INF = 0xfffe };

/// What an expression is: its type and its rows.
typedef enum iso__value_type {
    ISO__VALUE_SCALAR,
    ISO__VALUE_VECTOR, // of as many rows as there are dimensions
    ISO__VALUE_BLOCK,  // of 1 to 6 rows, nested blocks and vectors flattened; may hold inf
    ISO__VALUE_INF,
    ISO__VALUE_ROTATION // in space, of a body: nodes are its first register and whether it is turned back
} iso__value_type;

typedef struct iso__value {
    uint8_t type; // iso__value_type
    uint8_t count;
    iso__node_id nodes[ISO_PROGRAM_ROWS_MAX];
} iso__value;

/// A value with its bounds, each perhaps infinite.
typedef struct iso__bounded {
    iso__node_id value, low, high;
} iso__bounded;

typedef struct iso__let {
    const char *text;
    uint16_t size;
    iso__value value;
} iso__let;

typedef struct iso__parser {
    iso__lexer lexer;
    iso__token token; // the one that is looked at; the end after an error
    iso__graph *graph;
    iso_program *program; // gets the declared names
    const iso__layout *layout;
    iso_program_error *error;
    bool has_failed;
    bool reads_limit;   // bodies are not allowed
    bool is_juxtaposed; // another expression may follow without a sign between
    uint8_t depth;      // of recursion
    uint8_t let_count;
    iso__let lets[ISO_PROGRAM_LETS_MAX];
    uint8_t row_count;
    uint8_t limit_count;
    bool has_row_bounds;
    iso__bounded rows[ISO_PROGRAM_ROWS_MAX];
    iso__bounded limits[ISO_PROGRAM_LIMITS_MAX];
    iso__token constraint; // where its expression begins
} iso__parser;

/// Goes on to the next token.
void iso__parser_advance(iso__parser *parser);

/// Advances when the present token is of this kind, otherwise fails with what was expected.
bool iso__parser_expect(iso__parser *parser, uint8_t kind, const char *expected);

/// Finds what a name was declared as: a value of let, or a register of the program.
const iso__let *iso__parser_find_let(const iso__parser *parser, const iso__token *name);

/// Notes the first error: the place, "found ", the parts up to NULL, ", expected ", the expectation.
void iso__parser_fail(iso__parser *parser, const iso__token *at, const char *const *found, const char *expected);

/// The same with the token itself as what was found, after a word for what it is, or NULL.
void iso__parser_fail_token(iso__parser *parser, const iso__token *at, const char *what, const char *expected);

#endif
