/// Expressions: precedence, types, scopes. core/SYMBOLIC.md has the grammar.
///
/// Recursion goes through iso__parser_expression and the operands of unit and relative, where it is counted.
#include "symbolic/expression.h"

#include <string.h>

#include "symbolic/cursor.h"
#include "symbolic/graph.h"
#include "symbolic/lexer.h"
#include "symbolic/program.h"

static iso__value value_scalar(iso__node_id node) {
    return (iso__value){.type = ISO__VALUE_SCALAR, .count = 1, .nodes = {node}};
}

static iso__value value_vector(iso__node_id x, iso__node_id y) {
    return (iso__value){.type = ISO__VALUE_VECTOR, .count = 2, .nodes = {x, y}};
}

static bool is_space(const iso__parser *parser) {
    return parser->layout->dimensions == 3;
}

static iso__value value_vector3(iso__node_id x, iso__node_id y, iso__node_id z) {
    return (iso__value){.type = ISO__VALUE_VECTOR, .count = 3, .nodes = {x, y, z}};
}

/// What a vector is after an error.
static iso__value value_no_vector(const iso__parser *parser) {
    return is_space(parser) ? value_vector3(ISO__NODE_ZERO, ISO__NODE_ZERO, ISO__NODE_ZERO)
                            : value_vector(ISO__NODE_ZERO, ISO__NODE_ZERO);
}

/// A register and those behind it.
static iso__value input_vector(const iso__parser *parser, uint32_t reg) {
    iso__graph *graph = parser->graph;
    iso__node_id x = iso__graph_input(graph, reg);
    iso__node_id y = iso__graph_input(graph, reg + 1);
    if (!is_space(parser)) {
        return value_vector(x, y);
    }
    iso__node_id z = iso__graph_input(graph, reg + 2);
    return value_vector3(x, y, z);
}

static const char *value_name(const iso__value *value) {
    static const char *const names[] = {"a scalar", "a vector", "a block", "inf", "a rotation"};
    return names[value->type];
}

static bool is_type(const iso__value *value, iso__value_type type) {
    return value->type == type;
}

static void fail_value(iso__parser *parser, const iso__token *at, const iso__value *value, const char *expected) {
    iso__parser_fail(parser, at, (const char *const[]){value_name(value), NULL}, expected);
}

/// Both sides of an operator are of types that it does not take.
static void fail_types(iso__parser *parser, const iso__token *at, const iso__value *a, const iso__value *b,
                       const char *expected) {
    iso__parser_fail(parser, at, (const char *const[]){value_name(a), " and ", value_name(b), NULL}, expected);
}

static bool enter(iso__parser *parser) {
    if (parser->depth == ISO_PROGRAM_NESTING_MAX) {
        iso__parser_fail_token(parser, &parser->token, "another level at ", "at most 32 levels of nesting");
        return false;
    }
    parser->depth += 1;
    return true;
}

static void leave(iso__parser *parser) {
    parser->depth -= 1;
}

/// An expression that ends at a sign or word of its own: nothing is set beside it.
static iso__value parse_enclosed(iso__parser *parser) {
    bool outer = parser->is_juxtaposed;
    parser->is_juxtaposed = false;
    iso__value value = iso__parser_expression(parser);
    parser->is_juxtaposed = outer;
    return value;
}

// ---- operands ------------------------------------------------------------------------------------

static iso__value parse_number(iso__parser *parser) {
    iso_wide number = 0;
    if (iso_wide_from_text(parser->token.text, parser->token.size, &number) != ISO_OK || number == ISO_WIDE_MIN) {
        iso__parser_fail_token(parser, &parser->token, NULL, "a number below 2147483648");
    }
    iso__parser_advance(parser);
    return value_scalar(iso__graph_constant(parser->graph, number));
}

/// After the name of a body: .position or .rotation.
static iso__value parse_body(iso__parser *parser, const iso__token *name, uint32_t index) {
    uint32_t reg = (uint32_t)parser->layout->body_registers * index;
    if (parser->reads_limit) {
        iso__parser_fail_token(parser, name, "the body ", "parameters: limits do not depend on bodies");
    } else if (parser->token.kind != '.') {
        iso__parser_fail_token(parser, name, "the body ", "its .position or .rotation");
    }
    iso__parser_advance(parser);
    iso__token member = parser->token;
    iso__parser_advance(parser);
    if (member.size == 8 && memcmp(member.text, "position", 8) == 0) {
        return input_vector(parser, reg + ISO__BODY_X);
    }
    if (member.size != 8 || memcmp(member.text, "rotation", 8) != 0) {
        iso__parser_fail_token(parser, &member, NULL, "position or rotation of a body");
    }
    if (is_space(parser)) {
        return (iso__value){.type = ISO__VALUE_ROTATION, .nodes = {(iso__node_id)(reg + ISO__BODY3_AXES), 0}};
    }
    return value_scalar(iso__graph_input(parser->graph, reg + ISO__BODY_ANGLE));
}

static iso__value parse_name(iso__parser *parser) {
    iso__token name = parser->token;
    iso__parser_advance(parser);
    const iso__let *let = iso__parser_find_let(parser, &name);
    if (let != NULL) {
        return let->value;
    }
    uint32_t index = iso_program_body_find(parser->program, name.text, name.size);
    if (index != UINT32_MAX) {
        return parse_body(parser, &name, index);
    }
    index = iso_program_vector_find(parser->program, name.text, name.size);
    if (index != UINT32_MAX) {
        return input_vector(parser, parser->layout->vector + parser->layout->dimensions * index);
    }
    index = iso_program_scalar_find(parser->program, name.text, name.size);
    if (index != UINT32_MAX) {
        return value_scalar(iso__graph_input(parser->graph, parser->layout->scalar + index));
    }
    iso__parser_fail_token(parser, &name, "the unknown name ", "a declared body, vector or scalar, or a name of let");
    return value_scalar(ISO__NODE_ZERO);
}

static iso__node_id length(const iso__parser *parser, const iso__value *v) {
    return is_space(parser) ? iso__graph_length3(parser->graph, v->nodes[0], v->nodes[1], v->nodes[2])
                            : iso__graph_apply(parser->graph, ISO__OP_HYPOT, v->nodes[0], v->nodes[1]);
}

/// |v| and |s|.
static iso__value parse_norm(iso__parser *parser) {
    iso__token sign = parser->token;
    iso__parser_advance(parser);
    iso__value value = parse_enclosed(parser);
    iso__parser_expect(parser, '|', "'|' at the end of a norm");
    if (is_type(&value, ISO__VALUE_VECTOR)) {
        return value_scalar(length(parser, &value));
    }
    if (!is_type(&value, ISO__VALUE_SCALAR)) {
        fail_value(parser, &sign, &value, "a vector or scalar between '|' and '|'");
        return value_scalar(ISO__NODE_ZERO);
    }
    return value_scalar(iso__graph_apply(parser->graph, ISO__OP_ABS, value.nodes[0], 0));
}

/// { e1 e2 … }: the rows of its entries, one after the other.
static iso__value parse_block(iso__parser *parser) {
    iso__value block = {.type = ISO__VALUE_BLOCK};
    bool outer = parser->is_juxtaposed;
    iso__parser_advance(parser);
    parser->is_juxtaposed = true;
    do {
        iso__token at = parser->token;
        iso__value entry = iso__parser_expression(parser);
        if (is_type(&entry, ISO__VALUE_ROTATION)) {
            fail_value(parser, &at, &entry, "a scalar, vector or block as an entry");
        }
        if (block.count + entry.count > ISO_PROGRAM_ROWS_MAX) {
            iso__parser_fail_token(parser, &at, "a row beyond the sixth at ", "at most 6 rows");
            entry.count = 0;
        }
        memcpy(block.nodes + block.count, entry.nodes, entry.count * sizeof entry.nodes[0]);
        block.count = (uint8_t)(block.count + entry.count);
    } while (!parser->has_failed && parser->token.kind != '}');
    parser->is_juxtaposed = outer;
    iso__parser_advance(parser);
    return block;
}

static iso__value parse_primary(iso__parser *parser) {
    iso__token at = parser->token;
    iso__value value;
    switch (at.kind) {
    case ISO__TOKEN_NUMBER:
        return parse_number(parser);
    case ISO__TOKEN_EPS:
        iso__parser_advance(parser);
        return value_scalar(iso__graph_constant(parser->graph, ISO_WIDE_ONE / ISO_FIX16_ONE));
    case ISO__TOKEN_INF:
        iso__parser_advance(parser);
        return (iso__value){.type = ISO__VALUE_INF, .count = 1, .nodes = {ISO__NODE_INF}};
    case ISO__TOKEN_NAME:
        return parse_name(parser);
    case '(':
        iso__parser_advance(parser);
        value = parse_enclosed(parser);
        iso__parser_expect(parser, ')', "')' or an operator");
        return value;
    case '|':
        return parse_norm(parser);
    case '{':
        return parse_block(parser);
    default:
        iso__parser_fail_token(parser, &at, NULL,
                               is_space(parser) ? "a name, a number, '(', '|', '{', unit, relative, angle or '-'"
                                                : "a name, a number, '(', '|', '{', unit, relative or '-'");
        return value_scalar(ISO__NODE_ZERO);
    }
}

static iso__value parse_operand(iso__parser *parser);

/// After the word: the direction of a vector, (1, 0) or (1, 0, 0) for the zero vector.
static iso__value parse_unit(iso__parser *parser, const iso__token *at) {
    iso__value v = parse_operand(parser);
    if (!is_type(&v, ISO__VALUE_VECTOR)) {
        fail_value(parser, at, &v, "a vector after unit");
        return value_no_vector(parser);
    }
    iso__graph *graph = parser->graph;
    iso__node_id by = length(parser, &v);
    iso__node_id x = iso__graph_apply(graph, ISO__OP_HEADING, v.nodes[0], by);
    iso__node_id y = iso__graph_ratio(graph, v.nodes[1], by);
    if (!is_space(parser)) {
        return value_vector(x, y);
    }
    iso__node_id z = iso__graph_ratio(graph, v.nodes[2], by);
    return value_vector3(x, y, z);
}

static iso__node_id dot3(iso__graph *graph, const iso__node_id *a, const iso__node_id *b) {
    iso__node_id xy = iso__graph_dot(graph, a[0], b[0], a[1], b[1]);
    iso__node_id z = iso__graph_mul(graph, a[2], b[2]);
    return iso__graph_add(graph, xy, z);
}

static iso__value cross3(iso__graph *graph, const iso__node_id *a, const iso__node_id *b) {
    iso__node_id x = iso__graph_det(graph, a[1], b[2], a[2], b[1]);
    iso__node_id y = iso__graph_det(graph, a[2], b[0], a[0], b[2]);
    iso__node_id z = iso__graph_det(graph, a[0], b[1], a[1], b[0]);
    return value_vector3(x, y, z);
}

/// A vector of a body's frame in the world, or of the world in a body's frame. The registers have the frame's axes.
static iso__value turn3(iso__graph *graph, const iso__value *rotation, const iso__value *v) {
    iso__node_id turned[3];
    for (uint32_t i = 0; i < 3; ++i) {
        iso__node_id row[3];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t at = rotation->nodes[1] != 0 ? 3 * i + k : 3 * k + i;
            row[k] = iso__graph_input(graph, rotation->nodes[0] + at);
        }
        turned[i] = dot3(graph, row, v->nodes);
    }
    return value_vector3(turned[0], turned[1], turned[2]);
}

/// After the word: a body's rotation and a vector.
static iso__value parse_relative3(iso__parser *parser, const iso__token *at) {
    iso__value rotation = parse_operand(parser);
    if (!is_type(&rotation, ISO__VALUE_ROTATION)) {
        fail_value(parser, at, &rotation, "a body's rotation after relative");
        return value_no_vector(parser);
    }
    iso__value v = parse_operand(parser);
    if (!is_type(&v, ISO__VALUE_VECTOR)) {
        fail_value(parser, at, &v, "a vector after relative and its rotation");
        return value_no_vector(parser);
    }
    return turn3(parser->graph, &rotation, &v);
}

/// After the word: two vectors, and the angle between them.
static iso__value parse_angle(iso__parser *parser, const iso__token *at) {
    iso__value a = parse_operand(parser);
    iso__value b = parse_operand(parser);
    if (!is_type(&a, ISO__VALUE_VECTOR) || !is_type(&b, ISO__VALUE_VECTOR)) {
        fail_types(parser, at, &a, &b, "two vectors after angle");
        return value_scalar(ISO__NODE_ZERO);
    }
    iso__value normal = cross3(parser->graph, a.nodes, b.nodes);
    iso__node_id sine = length(parser, &normal);
    iso__node_id cosine = dot3(parser->graph, a.nodes, b.nodes);
    return value_scalar(iso__graph_apply(parser->graph, ISO__OP_ATAN2, sine, cosine));
}

/// After the word: an angle and a vector, which is turned by it. A body's own cosine and sine are known.
static iso__value parse_relative(iso__parser *parser, const iso__token *at) {
    iso__value angle = parse_operand(parser);
    if (!is_type(&angle, ISO__VALUE_SCALAR)) {
        fail_value(parser, at, &angle, "an angle after relative");
        return value_vector(ISO__NODE_ZERO, ISO__NODE_ZERO);
    }
    iso__value v = parse_operand(parser);
    if (!is_type(&v, ISO__VALUE_VECTOR)) {
        fail_value(parser, at, &v, "a vector after relative and its angle");
        return value_vector(ISO__NODE_ZERO, ISO__NODE_ZERO);
    }
    iso__graph *graph = parser->graph;
    iso__node by = graph->nodes[angle.nodes[0]];
    bool is_body =
        by.operation == ISO__NODE_INPUT && by.a < ISO__REGISTER_VECTOR && by.a % ISO__BODY_REGISTERS == ISO__BODY_ANGLE;
    uint32_t reg = (uint32_t)by.a - ISO__BODY_ANGLE;
    iso__node_id c = is_body ? iso__graph_input(graph, reg + ISO__BODY_COS)
                             : iso__graph_apply(graph, ISO__OP_COS, angle.nodes[0], 0);
    iso__node_id s = is_body ? iso__graph_input(graph, reg + ISO__BODY_SIN)
                             : iso__graph_apply(graph, ISO__OP_SIN, angle.nodes[0], 0);
    iso__node_id x = iso__graph_det(graph, c, v.nodes[0], s, v.nodes[1]);
    iso__node_id y = iso__graph_dot(graph, s, v.nodes[0], c, v.nodes[1]);
    return value_vector(x, y);
}

/// The component of a vector that a letter names; UINT32_MAX when there is none.
static uint32_t component_of(const iso__parser *parser, const iso__token *member) {
    const uint32_t component = member->size == 1 ? (uint32_t)(member->text[0] - 'x') : UINT32_MAX;
    return component < parser->layout->dimensions ? component : UINT32_MAX;
}

/// A word and its operands.
static iso__value parse_word(iso__parser *parser) {
    iso__token at = parser->token;
    if (!enter(parser)) {
        return value_no_vector(parser);
    }
    iso__parser_advance(parser);
    iso__value value = at.kind == ISO__TOKEN_UNIT    ? parse_unit(parser, &at)
                       : at.kind == ISO__TOKEN_ANGLE ? parse_angle(parser, &at)
                       : is_space(parser)            ? parse_relative3(parser, &at)
                                                     : parse_relative(parser, &at);
    leave(parser);
    return value;
}

/// A primary with .x, .y or .z behind it, or a word with its operands.
static iso__value parse_operand(iso__parser *parser) {
    const uint8_t kind = parser->token.kind;
    if (kind == ISO__TOKEN_UNIT || kind == ISO__TOKEN_RELATIVE || kind == ISO__TOKEN_ANGLE) {
        return parse_word(parser);
    }
    iso__value value = parse_primary(parser);
    while (parser->token.kind == '.') {
        iso__parser_advance(parser);
        iso__token member = parser->token;
        if (!is_type(&value, ISO__VALUE_VECTOR)) {
            fail_value(parser, &member, &value, "a vector before '.'");
        } else if (component_of(parser, &member) == UINT32_MAX) {
            iso__parser_fail_token(parser, &member, NULL,
                                   is_space(parser) ? "x, y or z of a vector" : "x or y of a vector");
        } else {
            value = value_scalar(value.nodes[component_of(parser, &member)]);
        }
        iso__parser_advance(parser);
    }
    return value;
}

// ---- operators -----------------------------------------------------------------------------------

static iso__value parse_negated(iso__parser *parser) {
    bool is_negated = false;
    iso__token at = parser->token;
    while (parser->token.kind == '-') {
        is_negated = !is_negated;
        iso__parser_advance(parser);
    }
    iso__value value = parse_operand(parser);
    if (!is_negated) {
        return value;
    }
    if (is_type(&value, ISO__VALUE_BLOCK)) {
        fail_value(parser, &at, &value, "a scalar or vector after '-'");
    } else if (is_type(&value, ISO__VALUE_ROTATION)) {
        value.nodes[1] = value.nodes[1] == 0;
    } else if (is_type(&value, ISO__VALUE_INF)) {
        value.nodes[0] = value.nodes[0] == ISO__NODE_INF ? ISO__NODE_MINUS_INF : ISO__NODE_INF;
    } else {
        for (uint32_t i = 0; i < value.count; ++i) {
            value.nodes[i] = iso__graph_neg(parser->graph, value.nodes[i]);
        }
    }
    return value;
}

/// s v and v s, or v / s.
static iso__value scale(iso__parser *parser, const iso__value *v, iso__node_id s, bool divides) {
    iso__value result = *v;
    for (uint32_t i = 0; i < v->count; ++i) {
        result.nodes[i] =
            divides ? iso__graph_ratio(parser->graph, v->nodes[i], s) : iso__graph_mul(parser->graph, v->nodes[i], s);
    }
    return result;
}

/// s x v = s [-v_y, v_x], and v x s = -(s x v).
static iso__value cross_scalar(iso__parser *parser, iso__node_id s, const iso__value *v) {
    iso__graph *graph = parser->graph;
    iso__node_id x = iso__graph_neg(graph, iso__graph_mul(graph, s, v->nodes[1]));
    iso__node_id y = iso__graph_mul(graph, s, v->nodes[0]);
    return value_vector(x, y);
}

static iso__value cross(iso__parser *parser, const iso__token *at, const iso__value *a, const iso__value *b) {
    iso__graph *graph = parser->graph;
    bool a_is_vector = is_type(a, ISO__VALUE_VECTOR);
    bool b_is_vector = is_type(b, ISO__VALUE_VECTOR);
    if (is_space(parser)) {
        if (!a_is_vector || !b_is_vector) {
            fail_types(parser, at, a, b, "two vectors around cross");
            return *a;
        }
        return cross3(graph, a->nodes, b->nodes);
    }
    if (a_is_vector && b_is_vector) {
        return value_scalar(iso__graph_det(graph, a->nodes[0], b->nodes[1], a->nodes[1], b->nodes[0]));
    }
    if (is_type(a, ISO__VALUE_SCALAR) && b_is_vector) {
        return cross_scalar(parser, a->nodes[0], b);
    }
    if (a_is_vector && is_type(b, ISO__VALUE_SCALAR)) {
        return cross_scalar(parser, iso__graph_neg(graph, b->nodes[0]), a);
    }
    fail_types(parser, at, a, b, "two vectors, or a vector and a scalar, around cross");
    return *a;
}

static iso__value multiply(iso__parser *parser, const iso__token *at, const iso__value *a, const iso__value *b) {
    bool a_is_scalar = is_type(a, ISO__VALUE_SCALAR);
    bool b_is_scalar = is_type(b, ISO__VALUE_SCALAR);
    bool a_is_vector = is_type(a, ISO__VALUE_VECTOR);
    bool b_is_vector = is_type(b, ISO__VALUE_VECTOR);
    switch (at->kind) {
    case '*':
        if ((a_is_scalar || a_is_vector) && b_is_scalar) {
            return scale(parser, a, b->nodes[0], false);
        }
        if (a_is_scalar && b_is_vector) {
            return scale(parser, b, a->nodes[0], false);
        }
        fail_types(parser, at, a, b, "a scalar on one side of '*'; dot and cross multiply vectors");
        return *a;
    case '/':
        if ((a_is_scalar || a_is_vector) && b_is_scalar) {
            return scale(parser, a, b->nodes[0], true);
        }
        fail_types(parser, at, a, b, "a scalar or vector before '/' and a scalar after it");
        return *a;
    case ISO__TOKEN_DOT:
        if (a_is_vector && b_is_vector) {
            return value_scalar(
                is_space(parser) ? dot3(parser->graph, a->nodes, b->nodes)
                                 : iso__graph_dot(parser->graph, a->nodes[0], b->nodes[0], a->nodes[1], b->nodes[1]));
        }
        fail_types(parser, at, a, b, "two vectors around dot");
        return *a;
    default:
        return cross(parser, at, a, b);
    }
}

static iso__value parse_product(iso__parser *parser) {
    iso__value value = parse_negated(parser);
    for (;;) {
        iso__token at = parser->token;
        if (at.kind != '*' && at.kind != '/' && at.kind != ISO__TOKEN_DOT && at.kind != ISO__TOKEN_CROSS) {
            return value;
        }
        iso__parser_advance(parser);
        iso__value right = parse_negated(parser);
        value = multiply(parser, &at, &value, &right);
    }
}

static iso__value parse_sum(iso__parser *parser) {
    iso__value value = parse_product(parser);
    while (parser->token.kind == '+' || parser->token.kind == '-') {
        iso__token at = parser->token;
        if (parser->is_juxtaposed && at.kind == '-' && at.is_spaced_before && !at.is_spaced_after) {
            iso__parser_fail(parser, &at, (const char *const[]){"a '-' that may subtract or begin another entry", NULL},
                             "'a - b' for one entry or 'a (-b)' for two");
            return value;
        }
        iso__parser_advance(parser);
        iso__value right = parse_product(parser);
        if (value.type != right.type || value.type > ISO__VALUE_VECTOR) {
            fail_types(parser, &at, &value, &right,
                       at.kind == '+' ? "two scalars or two vectors around '+'"
                                      : "two scalars or two vectors around '-'");
            return value;
        }
        for (uint32_t i = 0; i < value.count; ++i) {
            value.nodes[i] = at.kind == '+' ? iso__graph_add(parser->graph, value.nodes[i], right.nodes[i])
                                            : iso__graph_sub(parser->graph, value.nodes[i], right.nodes[i]);
        }
    }
    return value;
}

// ---- let -----------------------------------------------------------------------------------------

/// After the word: NAME = EXPRESSION in. The name is visible from here on.
static void parse_let(iso__parser *parser) {
    iso__token name = parser->token;
    const iso_program *program = parser->program;
    if (name.kind != ISO__TOKEN_NAME || name.size > ISO_PROGRAM_NAME_MAX) {
        iso__parser_fail_token(parser, &name, NULL, "a name of 1 to 31 letters, digits or '_' after let");
    } else if (iso__parser_find_let(parser, &name) != NULL ||
               iso_program_body_find(program, name.text, name.size) != UINT32_MAX ||
               iso_program_vector_find(program, name.text, name.size) != UINT32_MAX ||
               iso_program_scalar_find(program, name.text, name.size) != UINT32_MAX) {
        iso__parser_fail_token(parser, &name, NULL, "a new name after let: this one has a meaning here");
    } else if (parser->let_count == ISO_PROGRAM_LETS_MAX) {
        iso__parser_fail_token(parser, &name, NULL, "at most 16 names of let at one place");
    }
    iso__parser_advance(parser);
    iso__parser_expect(parser, '=', "'=' after the name of let");
    iso__token at = parser->token;
    iso__value value = parse_enclosed(parser);
    if (value.type > ISO__VALUE_VECTOR) {
        fail_value(parser, &at, &value, "a scalar or vector as the value of let");
    }
    if (iso__parser_expect(parser, ISO__TOKEN_IN, "in, or an operator, after the value of let")) {
        parser->lets[parser->let_count] = (iso__let){name.text, name.size, value};
        parser->let_count += 1;
    }
}

iso__value iso__parser_expression(iso__parser *parser) {
    if (!enter(parser)) {
        return value_scalar(ISO__NODE_ZERO);
    }
    uint8_t let_count = parser->let_count;
    while (parser->token.kind == ISO__TOKEN_LET) {
        iso__parser_advance(parser);
        parse_let(parser);
    }
    iso__value value = parse_sum(parser);
    parser->let_count = let_count;
    leave(parser);
    return value;
}
