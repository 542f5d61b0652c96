/// Expressions as a graph in which equal ones exist once.
///
/// A node is a number, an input register or an operation on earlier nodes, so that the order of the nodes is an
/// order of evaluation. Making a node folds constants, drops zeros and ones, and moves negations outwards, so that
/// what differs only in sign is computed once. Every rule keeps the value up to its last rounding.
///
/// The order in which nodes are made decides which of two operands comes first, and so the bytes of the program. C
/// leaves the order of arguments and initializers open: never make two nodes in one list of them.
#ifndef ISO_SYMBOLIC_GRAPH_H
#define ISO_SYMBOLIC_GRAPH_H

#include "symbolic/program.h"

enum {
    ISO__GRAPH_NODES_MAX = 2048,
    ISO__GRAPH_TABLE_SIZE = 4096, // a power of two, at least twice the nodes
    ISO__NODE_CONSTANT = 64,      // beside the operations: `value`
    ISO__NODE_INPUT = 65          // register a
};

typedef uint16_t iso__node_id;

typedef struct iso__node {
    int64_t value;
    uint16_t a, b, c, d; // operands; 0 where the operation has none
    uint8_t operation;
} iso__node;

typedef struct iso__graph {
    iso__node nodes[ISO__GRAPH_NODES_MAX];
    uint16_t table[ISO__GRAPH_TABLE_SIZE]; // node plus one, by hash; 0 is free
    uint16_t count;
    bool is_full; // a node did not fit and became node 0
} iso__graph;

/// The first two nodes of every graph.
enum { ISO__NODE_ZERO = 0, ISO__NODE_ONE = 1 };

void iso__graph_init(iso__graph *graph);

iso__node_id iso__graph_constant(iso__graph *graph, int64_t value);
iso__node_id iso__graph_input(iso__graph *graph, uint32_t reg);

iso__node_id iso__graph_add(iso__graph *graph, iso__node_id a, iso__node_id b);
iso__node_id iso__graph_sub(iso__graph *graph, iso__node_id a, iso__node_id b);
iso__node_id iso__graph_neg(iso__graph *graph, iso__node_id a);
iso__node_id iso__graph_mul(iso__graph *graph, iso__node_id a, iso__node_id b);
/// a b + c d and a b - c d.
iso__node_id iso__graph_dot(iso__graph *graph, iso__node_id a, iso__node_id b, iso__node_id c, iso__node_id d);
iso__node_id iso__graph_det(iso__graph *graph, iso__node_id a, iso__node_id b, iso__node_id c, iso__node_id d);
/// a / b; 0 for b = 0.
iso__node_id iso__graph_ratio(iso__graph *graph, iso__node_id a, iso__node_id b);
/// An operation without rules of its own: ABS, SIGN, HEADING, HYPOT, COS, SIN.
iso__node_id iso__graph_apply(iso__graph *graph, uint8_t operation, iso__node_id a, iso__node_id b);

/// The length of a vector of three.
iso__node_id iso__graph_length3(iso__graph *graph, iso__node_id x, iso__node_id y, iso__node_id z);

/// Marks what the given nodes are made of.
/// @param marks  one for each node of the graph; those that are true are kept
void iso__graph_mark(const iso__graph *graph, bool *marks);

#endif
