/// Derivatives of the expression graph, by one input at a time, from the leaves to the roots.
///
/// With x' for the derivative of x:
///
///   (a + b)' = a' + b'                   (-a)' = -a'
///   (a b)' = a' b + a b'                 (a / b)' = (a' - (a / b) b') / b, 0 for b = 0
///   |s|' = sign(s) s'                    sign(s) = 1 for s = 0
///   |v|' = n . v'                        n = unit(v) = v / |v|, (1, 0) for v = 0
///   n' = w [-n_y, n_x], w = (n x v') / |v|, 0 for v = 0
///   cos(a)' = -sin(a) a'                 sin(a)' = cos(a) a'
///   atan2(y, x)' = (n_x y' - n_y x') / |(x, y)|, n = unit(x, y), 0 for (0, 0)
///
/// The cosine and sine of a body are inputs of their own; by its rotation they are -sin and cos. All derivatives
/// are those of the values that the rules for zero give: unit(0) is constant, |v| leaves 0 along (1, 0).
///
/// In space a body's inputs are its place and the axes of its frame in the world. A small turning about the axis e_k of
/// the world moves such an axis a by e_k x a.
/// Test: tests/unit/symbolic/test_program_derivative.c.

#include "symbolic/derive.h"
#include "symbolic/program.h"

typedef struct derivation {
    iso__graph *graph;
    const iso__node_id *known; // derivatives of earlier nodes
    const iso__layout *layout;
    uint32_t reg;  // by this input; of turning in space the first of the axes of the body
    uint32_t axis; // of turning in space: 0 to 2; 3 of what is an input itself
} derivation;

/// The derivative of a component of an axis a by turning about e_k: e_k x a.
static iso__node_id derive_turned(derivation *by, uint32_t input) {
    if (input < by->reg || input >= by->reg + 9) {
        return ISO__NODE_ZERO;
    }
    const uint32_t component = (input - by->reg) % 3, first = input - component;
    // e_0 x a = (0, -a_z, a_y), and so on around.
    if (component == by->axis) {
        return ISO__NODE_ZERO;
    }
    const bool is_next = component == (by->axis + 1) % 3;
    iso__node_id other = iso__graph_input(by->graph, first + 3 - by->axis - component);
    return is_next ? iso__graph_neg(by->graph, other) : other;
}

/// The derivative of an input by the register: a body's rotation turns its cosine and sine.
static iso__node_id derive_input(derivation *by, uint32_t input) {
    if (by->axis < 3) {
        return derive_turned(by, input);
    }
    if (input == by->reg) {
        return ISO__NODE_ONE;
    }
    bool by_angle = by->layout->dimensions == 2 && by->reg < ISO__REGISTER_VECTOR &&
                    by->reg % ISO__BODY_REGISTERS == ISO__BODY_ANGLE;
    if (!by_angle) {
        return ISO__NODE_ZERO;
    }
    uint32_t cosine = by->reg - ISO__BODY_ANGLE + ISO__BODY_COS;
    uint32_t sine = by->reg - ISO__BODY_ANGLE + ISO__BODY_SIN;
    if (input == cosine) {
        return iso__graph_neg(by->graph, iso__graph_input(by->graph, sine));
    }
    return input == sine ? iso__graph_input(by->graph, cosine) : ISO__NODE_ZERO;
}

static iso__node_id heading_x(derivation *by, iso__node_id length) {
    return iso__graph_apply(by->graph, ISO__OP_HEADING, by->graph->nodes[length].a, length);
}

static iso__node_id heading_y(derivation *by, iso__node_id length) {
    return iso__graph_ratio(by->graph, by->graph->nodes[length].b, length);
}

/// |v|' = n . v'
static iso__node_id derive_length(derivation *by, iso__node_id length) {
    iso__node v = by->graph->nodes[length];
    iso__node_id nx = heading_x(by, length);
    iso__node_id ny = heading_y(by, length);
    return iso__graph_dot(by->graph, nx, by->known[v.a], ny, by->known[v.b]);
}

/// |v|' of a vector of three.
static iso__node_id derive_length3(derivation *by, iso__node_id length) {
    iso__graph *graph = by->graph;
    iso__node v = graph->nodes[length];
    iso__node_id nx = iso__graph_apply(graph, ISO__OP_HEADING, v.a, length);
    iso__node_id ny = iso__graph_ratio(graph, v.b, length);
    iso__node_id nz = iso__graph_ratio(graph, v.c, length);
    iso__node_id xy = iso__graph_dot(graph, nx, by->known[v.a], ny, by->known[v.b]);
    return iso__graph_add(graph, xy, iso__graph_mul(graph, nz, by->known[v.c]));
}

/// The angle of (x, y)': a direction's turning.
static iso__node_id derive_angle(derivation *by, const iso__node *angle) {
    iso__graph *graph = by->graph;
    iso__node_id dy = by->known[angle->a], dx = by->known[angle->b];
    iso__node_id length = iso__graph_apply(graph, ISO__OP_HYPOT, angle->b, angle->a);
    iso__node_id nx = iso__graph_ratio(graph, angle->b, length);
    iso__node_id ny = iso__graph_ratio(graph, angle->a, length);
    iso__node_id turn = iso__graph_det(graph, nx, dy, ny, dx);
    return iso__graph_ratio(graph, turn, length);
}

/// n' for a component of n, given by whether it is that of x.
static iso__node_id derive_heading(derivation *by, iso__node_id length, bool is_x) {
    iso__graph *graph = by->graph;
    iso__node v = graph->nodes[length];
    iso__node_id nx = heading_x(by, length);
    iso__node_id ny = heading_y(by, length);
    iso__node_id turn = iso__graph_det(graph, nx, by->known[v.b], ny, by->known[v.a]);
    iso__node_id w = iso__graph_ratio(graph, turn, length);
    return is_x ? iso__graph_neg(graph, iso__graph_mul(graph, ny, w)) : iso__graph_mul(graph, nx, w);
}

/// Of RATIO and HEADING: a vector's component over its length turns with it, all else is a plain quotient.
static iso__node_id derive_ratio(derivation *by, iso__node_id id) {
    iso__graph *graph = by->graph;
    iso__node node = graph->nodes[id];
    iso__node divisor = graph->nodes[node.b];
    if (divisor.operation == ISO__OP_HYPOT && (node.a == divisor.a || node.a == divisor.b)) {
        return derive_heading(by, node.b, node.a == divisor.a);
    }
    iso__node_id change = iso__graph_mul(graph, id, by->known[node.b]);
    return iso__graph_ratio(graph, iso__graph_sub(graph, by->known[node.a], change), node.b);
}

/// (a b + c d)' or (a b - c d)': of its four products, those that are not 0, two at a time.
static iso__node_id derive_products(derivation *by, const iso__node *node) {
    iso__graph *graph = by->graph;
    iso__node_id dc = by->known[node->c];
    iso__node_id dd = by->known[node->d];
    if (node->operation == ISO__OP_DET) {
        dc = iso__graph_neg(graph, dc);
        dd = iso__graph_neg(graph, dd);
    }
    const iso__node_id factors[4][2] = {
        {by->known[node->a], node->b}, {dc, node->d}, {by->known[node->b], node->a}, {dd, node->c}};
    iso__node_id kept[4][2] = {{ISO__NODE_ZERO}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        if (factors[i][0] != ISO__NODE_ZERO) {
            kept[count][0] = factors[i][0];
            kept[count][1] = factors[i][1];
            count += 1;
        }
    }
    iso__node_id first = iso__graph_dot(graph, kept[0][0], kept[0][1], kept[1][0], kept[1][1]);
    iso__node_id second = iso__graph_dot(graph, kept[2][0], kept[2][1], kept[3][0], kept[3][1]);
    return iso__graph_add(graph, first, second);
}

static iso__node_id derive_node(derivation *by, iso__node_id id) {
    iso__graph *graph = by->graph;
    iso__node node = graph->nodes[id]; // a copy: what follows adds nodes
    const iso__node_id *known = by->known;
    switch (node.operation) {
    case ISO__NODE_INPUT:
        return derive_input(by, node.a);
    case ISO__OP_ADD:
        return iso__graph_add(graph, known[node.a], known[node.b]);
    case ISO__OP_SUB:
        return iso__graph_sub(graph, known[node.a], known[node.b]);
    case ISO__OP_NEG:
        return iso__graph_neg(graph, known[node.a]);
    case ISO__OP_ABS:
        return iso__graph_mul(graph, iso__graph_apply(graph, ISO__OP_SIGN, node.a, 0), known[node.a]);
    case ISO__OP_MUL:
        return iso__graph_dot(graph, known[node.a], node.b, node.a, known[node.b]);
    case ISO__OP_DOT:
    case ISO__OP_DET:
        return derive_products(by, &node);
    case ISO__OP_RATIO:
    case ISO__OP_HEADING:
        return derive_ratio(by, id);
    case ISO__OP_HYPOT:
        return derive_length(by, id);
    case ISO__OP_HYPOT3:
        return derive_length3(by, id);
    case ISO__OP_ATAN2:
        return derive_angle(by, &node);
    case ISO__OP_COS:
        return iso__graph_neg(graph,
                              iso__graph_mul(graph, iso__graph_apply(graph, ISO__OP_SIN, node.a, 0), known[node.a]));
    case ISO__OP_SIN:
        return iso__graph_mul(graph, iso__graph_apply(graph, ISO__OP_COS, node.a, 0), known[node.a]);
    default: // a constant; SIGN, which only derivatives have
        return ISO__NODE_ZERO;
    }
}

void iso__graph_derive(iso__graph *graph, const bool *marks, uint16_t count, const iso__layout *layout, uint32_t column,
                       iso__node_id *derivative) {
    const uint32_t body = layout->body_registers * (column / layout->columns), by_what = column % layout->columns;
    derivation by = {graph, derivative, layout, body + by_what, 3};
    if (layout->dimensions == 3 && by_what >= 3) {
        by.reg = body + ISO__BODY3_AXES;
        by.axis = by_what - 3;
    }
    for (iso__node_id i = 0; i < count; ++i) {
        if (marks[i]) {
            derivative[i] = derive_node(&by, i);
        }
    }
}
