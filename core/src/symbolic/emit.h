/// From the graph to instructions: order, constants, registers. Used only by the compiler.
#ifndef ISO_SYMBOLIC_EMIT_H
#define ISO_SYMBOLIC_EMIT_H

#include "symbolic/graph.h"

/// The limits that a program can exceed.
typedef enum iso__emit_result {
    ISO__EMIT_OK,
    ISO__EMIT_INSTRUCTIONS,
    ISO__EMIT_COST,
    ISO__EMIT_CONSTANTS,
    ISO__EMIT_REGISTERS
} iso__emit_result;

/// A node that a part of the code computes, and where its register is noted.
typedef struct iso__emit_root {
    iso__node_id node;
    uint8_t *reg;
} iso__emit_root;

enum { ISO__EMIT_ROOTS_MAX = ISO_PROGRAM_ROWS_MAX * (1 + 3 * ISO_PROGRAM_BODIES_MAX) };

typedef struct iso__emitter {
    const iso__graph *graph;
    iso_program *program;
    iso__emit_root roots[ISO__EMIT_ROOTS_MAX];
    uint16_t root_count;
    uint16_t order[ISO_PROGRAM_INSTRUCTIONS_MAX]; // the nodes that become instructions
    uint16_t count;
    uint16_t stack[ISO__GRAPH_NODES_MAX];
    uint16_t last_use[ISO__GRAPH_NODES_MAX]; // index of an instruction of this part
    uint8_t registers[ISO__GRAPH_NODES_MAX]; // of the nodes that were emitted
    bool is_emitted[ISO__GRAPH_NODES_MAX];
} iso__emitter;

/// Begins one of the two parts of the code.
void iso__emit_begin(iso__emitter *emitter, const iso__graph *graph, iso_program *program);

/// Asks for a node; its register is written to *reg when the part is finished.
void iso__emit_root_add(iso__emitter *emitter, iso__node_id node, uint8_t *reg);

/// Appends the instructions of the part to the program.
iso__emit_result iso__emit_finish(iso__emitter *emitter);

#endif
