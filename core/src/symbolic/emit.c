/// Orders the nodes of the graph depth first from the roots, so that few values are live at once, and gives each the
/// lowest register that is free. A register is free again after the last instruction that reads it; roots keep
/// theirs to the end.

#include "symbolic/emit.h"

#include <string.h>

#include "symbolic/graph.h"
#include "symbolic/evaluate.h"

#define LIVES_ON UINT16_MAX

void iso__emit_begin(iso__emitter *emitter, const iso__graph *graph, iso_program *program) {
    emitter->graph = graph;
    emitter->program = program;
    emitter->root_count = 0;
    emitter->count = 0;
    memset(emitter->is_emitted, 0, sizeof emitter->is_emitted);
}

void iso__emit_root_add(iso__emitter *emitter, iso__node_id node, uint8_t *reg) {
    emitter->roots[emitter->root_count] = (iso__emit_root){node, reg};
    emitter->root_count += 1;
}

static bool is_leaf(const iso__graph *graph, iso__node_id id) {
    return graph->nodes[id].operation >= ISO__NODE_CONSTANT;
}

static uint16_t operand(const iso__node *node, uint32_t k) {
    const uint16_t operands[4] = {node->a, node->b, node->c, node->d};
    return operands[k];
}

/// The first operand of a node that must still become an instruction, or the node itself when there is none.
static iso__node_id emit_pending(const iso__emitter *emitter, iso__node_id id) {
    const iso__node *node = &emitter->graph->nodes[id];
    for (uint32_t k = 0; k < iso__operation_operands(node->operation); ++k) {
        iso__node_id child = operand(node, k);
        if (!is_leaf(emitter->graph, child) && !emitter->is_emitted[child]) {
            return child;
        }
    }
    return id;
}

/// Puts a node behind all that it needs. A node is above its operands on the stack, so that each is there once.
static bool emit_order(iso__emitter *emitter, iso__node_id root) {
    if (is_leaf(emitter->graph, root) || emitter->is_emitted[root]) {
        return true;
    }
    uint32_t size = 0;
    emitter->stack[size++] = root;
    while (size > 0) {
        iso__node_id id = emitter->stack[size - 1];
        iso__node_id pending = emit_pending(emitter, id);
        if (pending != id) {
            emitter->stack[size++] = pending;
            continue;
        }
        if (emitter->program->instruction_count + emitter->count == ISO_PROGRAM_INSTRUCTIONS_MAX) {
            return false;
        }
        emitter->is_emitted[id] = true;
        emitter->order[emitter->count] = id;
        emitter->count += 1;
        size -= 1;
    }
    return true;
}

static void emit_last_uses(iso__emitter *emitter) {
    for (uint16_t i = 0; i < emitter->count; ++i) {
        const iso__node *node = &emitter->graph->nodes[emitter->order[i]];
        for (uint32_t k = 0; k < iso__operation_operands(node->operation); ++k) {
            emitter->last_use[operand(node, k)] = i;
        }
    }
    for (uint32_t i = 0; i < emitter->root_count; ++i) {
        emitter->last_use[emitter->roots[i].node] = LIVES_ON;
    }
}

/// The register of a number, which gets a place among the constants when it has none. False when all are taken.
static bool emit_constant(iso_program *program, int64_t value, uint8_t *reg) {
    uint32_t i = 0;
    while (i < program->constant_count && program->constants[i] != value) {
        ++i;
    }
    if (i == ISO_PROGRAM_CONSTANTS_MAX) {
        return false;
    }
    if (i == program->constant_count) {
        program->constants[i] = value;
        program->constant_count = (uint8_t)(i + 1);
    }
    *reg = (uint8_t)(iso__program_layout(program)->constant + i);
    return true;
}

/// Where a node's value is. False when it is a number and there is no room for it.
static bool emit_read(iso__emitter *emitter, iso__node_id id, uint8_t *reg) {
    const iso__node *node = &emitter->graph->nodes[id];
    if (node->operation == ISO__NODE_CONSTANT) {
        return emit_constant(emitter->program, node->value, reg);
    }
    *reg = node->operation == ISO__NODE_INPUT ? (uint8_t)node->a : emitter->registers[id];
    return true;
}

/// One instruction: reads its operands, frees what is read for the last time, takes the lowest free register.
static iso__emit_result emit_instruction(iso__emitter *emitter, uint16_t index, bool *is_taken) {
    iso_program *program = emitter->program;
    iso__node_id id = emitter->order[index];
    const iso__node *node = &emitter->graph->nodes[id];
    uint32_t operands = iso__operation_operands(node->operation);
    uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * program->instruction_count];
    at[0] = node->operation;
    for (uint32_t k = 0; k < operands; ++k) {
        if (!emit_read(emitter, operand(node, k), &at[2 + k])) {
            return ISO__EMIT_CONSTANTS;
        }
    }
    for (uint32_t k = 0; k < operands; ++k) {
        if (emitter->last_use[operand(node, k)] == index) {
            is_taken[at[2 + k]] = false;
        }
    }
    uint32_t reg = iso__program_layout(program)->temporary;
    while (reg < ISO__REGISTER_COUNT && is_taken[reg]) {
        ++reg;
    }
    if (reg == ISO__REGISTER_COUNT) {
        return ISO__EMIT_REGISTERS;
    }
    is_taken[reg] = true;
    emitter->registers[id] = (uint8_t)reg;
    at[1] = (uint8_t)reg;
    program->instruction_count = (uint16_t)(program->instruction_count + 1);
    program->cost = (uint16_t)(program->cost + iso__operation_cost(node->operation));
    return ISO__EMIT_OK;
}

iso__emit_result iso__emit_finish(iso__emitter *emitter) {
    for (uint32_t i = 0; i < emitter->root_count; ++i) {
        if (!emit_order(emitter, emitter->roots[i].node)) {
            return ISO__EMIT_INSTRUCTIONS;
        }
    }
    emit_last_uses(emitter);
    bool is_taken[ISO__REGISTER_COUNT] = {false};
    for (uint16_t i = 0; i < emitter->count; ++i) {
        iso__emit_result result = emit_instruction(emitter, i, is_taken);
        if (result != ISO__EMIT_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < emitter->root_count; ++i) {
        if (!emit_read(emitter, emitter->roots[i].node, emitter->roots[i].reg)) {
            return ISO__EMIT_CONSTANTS;
        }
    }
    return emitter->program->cost <= ISO_PROGRAM_COST_MAX ? ISO__EMIT_OK : ISO__EMIT_COST;
}
