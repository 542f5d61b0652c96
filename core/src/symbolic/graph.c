/// The expression graph: one node for each value, and the rules that simplify.

#include "symbolic/graph.h"

#include <string.h>

#include "symbolic/evaluate.h"

// ---- nodes ---------------------------------------------------------------------------------------

static uint32_t graph_hash(const iso__node *node) {
    uint64_t h = (uint64_t)node->value * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)node->a | (uint64_t)node->b << 16 | (uint64_t)node->c << 32 | (uint64_t)node->d << 48;
    h = (h ^ node->operation) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 40) & (ISO__GRAPH_TABLE_SIZE - 1);
}

static bool graph_equal(const iso__node *x, const iso__node *y) {
    return x->operation == y->operation && x->value == y->value && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->d == y->d;
}

/// The node that is equal to this one, made when there is none.
static iso__node_id graph_intern(iso__graph *graph, iso__node node) {
    uint32_t slot = graph_hash(&node);
    for (; graph->table[slot] != 0; slot = (slot + 1) & (ISO__GRAPH_TABLE_SIZE - 1)) {
        iso__node_id found = (iso__node_id)(graph->table[slot] - 1);
        if (graph_equal(&graph->nodes[found], &node)) {
            return found;
        }
    }
    if (graph->count == ISO__GRAPH_NODES_MAX) {
        graph->is_full = true;
        return ISO__NODE_ZERO;
    }
    iso__node_id id = graph->count;
    graph->nodes[id] = node;
    graph->table[slot] = (uint16_t)(id + 1);
    graph->count += 1;
    return id;
}

static bool is_constant(const iso__graph *graph, iso__node_id id) {
    return graph->nodes[id].operation == ISO__NODE_CONSTANT;
}

static bool is_neg(const iso__graph *graph, iso__node_id id) {
    return graph->nodes[id].operation == ISO__OP_NEG;
}

/// The node without its outermost negation.
static iso__node_id strip_neg(const iso__graph *graph, iso__node_id id) {
    return is_neg(graph, id) ? graph->nodes[id].a : id;
}

static void swap(iso__node_id *a, iso__node_id *b) {
    iso__node_id held = *a;
    *a = *b;
    *b = held;
}

/// An operation as it stands, or the constant that it gives.
static iso__node_id graph_operation(iso__graph *graph, uint8_t operation, iso__node_id a, iso__node_id b,
                                    iso__node_id c, iso__node_id d) {
    uint32_t operands = iso__operation_operands(operation);
    bool is_folded = is_constant(graph, a) && (operands < 2 || is_constant(graph, b)) &&
                     (operands < 3 || (is_constant(graph, c) && is_constant(graph, d)));
    if (is_folded) {
        const iso__node *nodes = graph->nodes;
        return iso__graph_constant(
            graph, iso__operate(operation, nodes[a].value, nodes[b].value, nodes[c].value, nodes[d].value));
    }
    return graph_intern(graph, (iso__node){.operation = operation, .a = a, .b = b, .c = c, .d = d});
}

void iso__graph_init(iso__graph *graph) {
    memset(graph->table, 0, sizeof graph->table);
    graph->count = 0;
    graph->is_full = false;
    iso__graph_constant(graph, 0);
    iso__graph_constant(graph, ISO_WIDE_ONE);
}

iso__node_id iso__graph_constant(iso__graph *graph, int64_t value) {
    return graph_intern(graph, (iso__node){.operation = ISO__NODE_CONSTANT, .value = iso__register_value(value)});
}

iso__node_id iso__graph_input(iso__graph *graph, uint32_t reg) {
    return graph_intern(graph, (iso__node){.operation = ISO__NODE_INPUT, .a = (uint16_t)reg});
}

// ---- rules ---------------------------------------------------------------------------------------

iso__node_id iso__graph_neg(iso__graph *graph, iso__node_id a) {
    const iso__node *node = &graph->nodes[a];
    if (node->operation == ISO__OP_NEG) {
        return node->a;
    }
    if (node->operation == ISO__OP_SUB) {
        return iso__graph_sub(graph, node->b, node->a);
    }
    if (node->operation == ISO__OP_DET) {
        return iso__graph_det(graph, node->c, node->d, node->a, node->b);
    }
    return graph_operation(graph, ISO__OP_NEG, a, 0, 0, 0);
}

iso__node_id iso__graph_add(iso__graph *graph, iso__node_id a, iso__node_id b) {
    if (a == ISO__NODE_ZERO) {
        return b;
    }
    if (b == ISO__NODE_ZERO) {
        return a;
    }
    if (is_neg(graph, b)) {
        return iso__graph_sub(graph, a, graph->nodes[b].a);
    }
    if (is_neg(graph, a)) {
        return iso__graph_sub(graph, b, graph->nodes[a].a);
    }
    if (a > b) {
        swap(&a, &b);
    }
    return graph_operation(graph, ISO__OP_ADD, a, b, 0, 0);
}

iso__node_id iso__graph_sub(iso__graph *graph, iso__node_id a, iso__node_id b) {
    if (a == b) {
        return ISO__NODE_ZERO;
    }
    if (b == ISO__NODE_ZERO) {
        return a;
    }
    if (a == ISO__NODE_ZERO) {
        return iso__graph_neg(graph, b);
    }
    if (is_neg(graph, b)) {
        return iso__graph_add(graph, a, graph->nodes[b].a);
    }
    if (is_neg(graph, a)) {
        return iso__graph_neg(graph, iso__graph_add(graph, graph->nodes[a].a, b));
    }
    return graph_operation(graph, ISO__OP_SUB, a, b, 0, 0);
}

iso__node_id iso__graph_mul(iso__graph *graph, iso__node_id a, iso__node_id b) {
    if (is_neg(graph, a) || is_neg(graph, b)) {
        bool is_negated = is_neg(graph, a) != is_neg(graph, b);
        iso__node_id product = iso__graph_mul(graph, strip_neg(graph, a), strip_neg(graph, b));
        return is_negated ? iso__graph_neg(graph, product) : product;
    }
    if (is_constant(graph, b)) {
        swap(&a, &b);
    }
    if (is_constant(graph, a)) {
        switch (graph->nodes[a].value) {
        case 0:
            return ISO__NODE_ZERO;
        case ISO_WIDE_ONE:
            return b;
        case -ISO_WIDE_ONE:
            return iso__graph_neg(graph, b);
        default:
            break;
        }
    }
    if (a > b) {
        swap(&a, &b);
    }
    return graph_operation(graph, ISO__OP_MUL, a, b, 0, 0);
}

/// Whether a product is nothing or one of its factors, so that a sum need not multiply.
static bool is_plain_product(const iso__graph *graph, iso__node_id a, iso__node_id b) {
    for (int i = 0; i < 2; ++i, swap(&a, &b)) {
        int64_t value = graph->nodes[a].value;
        if (is_constant(graph, a) && (value == 0 || value == ISO_WIDE_ONE || value == -ISO_WIDE_ONE)) {
            return true;
        }
    }
    return false;
}

/// a b + c d, or a b - c d when `subtracts`.
static iso__node_id graph_products(iso__graph *graph, iso__node_id a, iso__node_id b, iso__node_id c, iso__node_id d,
                                   bool subtracts) {
    bool negates_first = is_neg(graph, a) != is_neg(graph, b);
    bool negates_second = (is_neg(graph, c) != is_neg(graph, d)) != subtracts;
    a = strip_neg(graph, a);
    b = strip_neg(graph, b);
    c = strip_neg(graph, c);
    d = strip_neg(graph, d);
    bool has_plain = is_plain_product(graph, a, b) && is_plain_product(graph, c, d);
    if (has_plain || a == ISO__NODE_ZERO || b == ISO__NODE_ZERO || c == ISO__NODE_ZERO || d == ISO__NODE_ZERO) {
        iso__node_id first = iso__graph_mul(graph, a, b);
        iso__node_id second = iso__graph_mul(graph, c, d);
        first = negates_first ? iso__graph_neg(graph, first) : first;
        return negates_second ? iso__graph_sub(graph, first, second) : iso__graph_add(graph, first, second);
    }
    if (a > b) {
        swap(&a, &b);
    }
    if (c > d) {
        swap(&c, &d);
    }
    if (negates_first == negates_second) {
        if (a > c || (a == c && b > d)) {
            swap(&a, &c);
            swap(&b, &d);
        }
        iso__node_id sum = graph_operation(graph, ISO__OP_DOT, a, b, c, d);
        return negates_first ? iso__graph_neg(graph, sum) : sum;
    }
    if (a == c && b == d) {
        return ISO__NODE_ZERO;
    }
    return negates_first ? graph_operation(graph, ISO__OP_DET, c, d, a, b)
                         : graph_operation(graph, ISO__OP_DET, a, b, c, d);
}

iso__node_id iso__graph_dot(iso__graph *graph, iso__node_id a, iso__node_id b, iso__node_id c, iso__node_id d) {
    return graph_products(graph, a, b, c, d, false);
}

iso__node_id iso__graph_det(iso__graph *graph, iso__node_id a, iso__node_id b, iso__node_id c, iso__node_id d) {
    return graph_products(graph, a, b, c, d, true);
}

iso__node_id iso__graph_ratio(iso__graph *graph, iso__node_id a, iso__node_id b) {
    if (is_neg(graph, a) || is_neg(graph, b)) {
        bool is_negated = is_neg(graph, a) != is_neg(graph, b);
        iso__node_id quotient = iso__graph_ratio(graph, strip_neg(graph, a), strip_neg(graph, b));
        return is_negated ? iso__graph_neg(graph, quotient) : quotient;
    }
    if (a == ISO__NODE_ZERO || b == ISO__NODE_ONE) {
        return a;
    }
    return graph_operation(graph, ISO__OP_RATIO, a, b, 0, 0);
}

iso__node_id iso__graph_apply(iso__graph *graph, uint8_t operation, iso__node_id a, iso__node_id b) {
    return graph_operation(graph, operation, a, b, 0, 0);
}

iso__node_id iso__graph_length3(iso__graph *graph, iso__node_id x, iso__node_id y, iso__node_id z) {
    return graph_operation(graph, ISO__OP_HYPOT3, x, y, z, 0);
}

void iso__graph_mark(const iso__graph *graph, bool *marks) {
    for (uint32_t i = graph->count; i-- > 0;) {
        const iso__node *node = &graph->nodes[i];
        if (!marks[i] || node->operation >= ISO__NODE_CONSTANT) {
            continue;
        }
        const uint16_t operands[4] = {node->a, node->b, node->c, node->d};
        for (uint32_t k = 0; k < iso__operation_operands(node->operation); ++k) {
            marks[operands[k]] = true;
        }
    }
}
