/// Declarations, limits, the constraint; errors with their place.
#include "symbolic/parser.h"

#include <string.h>

#include "symbolic/cursor.h"
#include "symbolic/expression.h"
#include "symbolic/graph.h"
#include "symbolic/lexer.h"
#include "symbolic/program.h"

// ---- declarations --------------------------------------------------------------------------------

/// One name of a declaration: into the program's next place of its sort.
static void parse_declared(iso__parser *parser, uint32_t first, uint8_t *count, uint32_t max, const char *too_many) {
    iso__token name = parser->token;
    iso_program *program = parser->program;
    if (name.kind != ISO__TOKEN_NAME || name.size > ISO_PROGRAM_NAME_MAX) {
        iso__parser_fail_token(parser, &name, NULL, "a name of 1 to 31 letters, digits or '_', and no reserved word");
    } else if (iso_program_body_find(program, name.text, name.size) != UINT32_MAX ||
               iso_program_vector_find(program, name.text, name.size) != UINT32_MAX ||
               iso_program_scalar_find(program, name.text, name.size) != UINT32_MAX) {
        iso__parser_fail_token(parser, &name, NULL, "a name that is not declared yet");
    } else if (*count == max) {
        iso__parser_fail_token(parser, &name, NULL, too_many);
    } else {
        memcpy(&program->names[ISO_PROGRAM_NAME_SIZE * (first + *count)], name.text, name.size);
        *count = (uint8_t)(*count + 1);
    }
    iso__parser_advance(parser);
}

static void parse_declaration(iso__parser *parser) {
    uint8_t sort = parser->token.kind;
    iso_program *program = parser->program;
    do {
        iso__parser_advance(parser);
        if (sort == ISO__TOKEN_BODY) {
            parse_declared(parser, ISO__NAME_BODY, &program->body_count, parser->layout->bodies_max,
                           parser->layout->dimensions == 3 ? "at most 2 bodies" : "at most 4 bodies");
        } else if (sort == ISO__TOKEN_VECTOR) {
            parse_declared(parser, ISO__NAME_VECTOR, &program->vector_count, ISO_PROGRAM_VECTORS_MAX,
                           "at most 8 vectors");
        } else {
            parse_declared(parser, ISO__NAME_SCALAR, &program->scalar_count, ISO_PROGRAM_SCALARS_MAX,
                           "at most 8 scalars");
        }
    } while (parser->token.kind == ',');
}

// ---- limits --------------------------------------------------------------------------------------

static bool is_infinite(iso__node_id node) {
    return node == ISO__NODE_INF || node == ISO__NODE_MINUS_INF;
}

/// Whether two bounds that are numbers cross.
static bool bounds_cross(const iso__graph *graph, iso__node_id low, iso__node_id high) {
    if (is_infinite(low) || is_infinite(high)) {
        return false;
    }
    const iso__node *l = &graph->nodes[low];
    const iso__node *h = &graph->nodes[high];
    return l->operation == ISO__NODE_CONSTANT && h->operation == ISO__NODE_CONSTANT && l->value > h->value;
}

/// The low and the high bounds of `count` rows, which are parameters alone.
static void parse_bounds(iso__parser *parser, iso__bounded *rows, uint32_t count, const char *expected) {
    for (int side = 0; side < 2; ++side) {
        iso__token at = parser->token;
        iso__value bounds = iso__parser_expression(parser);
        if (bounds.count != count) {
            iso__parser_fail_token(parser, &at, "bounds of another number of rows at ", expected);
            return;
        }
        for (uint32_t i = 0; i < count; ++i) {
            iso__node_id bound = bounds.nodes[i];
            if (bound == (side == 0 ? ISO__NODE_INF : ISO__NODE_MINUS_INF)) {
                iso__parser_fail_token(parser, &at, side == 0 ? "inf as a low bound at " : "-inf as a high bound at ",
                                       side == 0 ? "a number or (-inf)" : "a number or inf");
                return;
            }
            *(side == 0 ? &rows[i].low : &rows[i].high) = bound;
            if (side == 1 && bounds_cross(parser->graph, rows[i].low, bound)) {
                iso__parser_fail_token(parser, &at, "a high bound below the low one at ", "low <= high");
                return;
            }
        }
    }
}

/// limit constraint LOW HIGH: the bounds of the rows.
static void parse_row_bounds(iso__parser *parser) {
    if (parser->row_count == 0) {
        iso__parser_fail_token(parser, &parser->token, NULL, "the constraint before its limit");
    } else if (parser->has_row_bounds) {
        iso__parser_fail_token(parser, &parser->token, "a second limit of the ", "one limit of the constraint");
    }
    iso__parser_advance(parser);
    parser->has_row_bounds = true;
    parse_bounds(parser, parser->rows, parser->row_count, "as many bounds as the constraint has rows");
}

/// limit EXPRESSION LOW HIGH: what parameters may be.
static void parse_parameter_limit(iso__parser *parser) {
    iso__token at = parser->token;
    iso__value value = iso__parser_expression(parser);
    if (value.type != ISO__VALUE_SCALAR) {
        iso__parser_fail_token(parser, &at, "no scalar at ", "a scalar of parameters after limit");
        return;
    }
    if (parser->limit_count == ISO_PROGRAM_LIMITS_MAX) {
        iso__parser_fail_token(parser, &at, "another limit at ", "at most 8 limits of parameters");
        return;
    }
    iso__bounded *limit = &parser->limits[parser->limit_count];
    limit->value = value.nodes[0];
    parser->limit_count += 1;
    parse_bounds(parser, limit, 1, "one bound: a scalar, inf or (-inf)");
}

static void parse_limit(iso__parser *parser) {
    iso__parser_advance(parser);
    parser->reads_limit = true;
    parser->is_juxtaposed = true;
    if (parser->token.kind == ISO__TOKEN_CONSTRAINT) {
        parse_row_bounds(parser);
    } else {
        parse_parameter_limit(parser);
    }
    parser->reads_limit = false;
    parser->is_juxtaposed = false;
}

// ---- the constraint ------------------------------------------------------------------------------

static void parse_constraint(iso__parser *parser) {
    if (parser->row_count != 0) {
        iso__parser_fail_token(parser, &parser->token, "a second ", "one constraint");
    }
    iso__parser_advance(parser);
    parser->constraint = parser->token;
    iso__value value = iso__parser_expression(parser);
    if (value.type == ISO__VALUE_ROTATION) {
        iso__parser_fail_token(parser, &parser->constraint, "a rotation in the constraint at ",
                               "a scalar, vector or block; relative turns a vector");
    }
    for (uint32_t i = 0; i < value.count; ++i) {
        if (is_infinite(value.nodes[i])) {
            iso__parser_fail_token(parser, &parser->constraint, "inf in the constraint at ", "inf in bounds alone");
        }
        parser->rows[i] = (iso__bounded){value.nodes[i], ISO__NODE_ZERO, ISO__NODE_ZERO};
    }
    parser->row_count = value.count;
}

bool iso__parser_read(iso__parser *parser, const char *source, size_t size) {
    parser->lexer = iso__lexer_make(source, size, parser->layout->dimensions);
    if (size > ISO_PROGRAM_SOURCE_MAX) {
        parser->token = (iso__token){.line = 1, .column = 1};
        iso__parser_fail(parser, &parser->token, (const char *const[]){"a longer source", NULL}, "at most 4096 bytes");
        return false;
    }
    iso__parser_advance(parser);
    while (!parser->has_failed && parser->token.kind != ISO__TOKEN_END) {
        switch (parser->token.kind) {
        case ISO__TOKEN_BODY:
        case ISO__TOKEN_VECTOR:
        case ISO__TOKEN_SCALAR:
            parse_declaration(parser);
            break;
        case ISO__TOKEN_LIMIT:
            parse_limit(parser);
            break;
        case ISO__TOKEN_CONSTRAINT:
            parse_constraint(parser);
            break;
        default:
            iso__parser_fail_token(parser, &parser->token, NULL,
                                   "body, vector, scalar, limit, constraint, or an operator");
        }
    }
    if (parser->row_count == 0) {
        iso__parser_fail_token(parser, &parser->token, NULL, "a constraint");
    }
    return !parser->has_failed;
}
