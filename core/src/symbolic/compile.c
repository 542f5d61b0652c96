/// The compiler: source, graph, derivatives, code.

#include <string.h>

#include "symbolic/check.h"
#include "symbolic/cursor.h"
#include "symbolic/derive.h"
#include "symbolic/emit.h"
#include "symbolic/graph.h"
#include "symbolic/parser.h"
#include "symbolic/evaluate.h"

/// What lies in the caller's scratch memory.
typedef struct compiler {
    iso__graph graph;
    iso__emitter emitter;
    iso_program program;
    iso__parser parser;
    iso__node_id derivative[ISO__GRAPH_NODES_MAX];
    iso__node_id jacobian[ISO_PROGRAM_ROWS_MAX][3 * ISO_PROGRAM_BODIES_MAX];
    bool marks[ISO__GRAPH_NODES_MAX];
} compiler;

static_assert(sizeof(compiler) <= sizeof(iso_program_scratch), "the scratch memory holds the compiler");
static_assert(_Alignof(compiler) <= _Alignof(iso_program_scratch), "the scratch memory is aligned");

static void fail_rows(compiler *c, const char *found, const char *expected) {
    iso__parser_fail(&c->parser, &c->parser.constraint, (const char *const[]){found, NULL}, expected);
}

static uint32_t compile_columns(const compiler *c) {
    return (uint32_t)c->parser.layout->columns * c->program.body_count;
}

/// Whether a row's J consists of numbers that are too small for any bodies.
static bool compile_is_small(const compiler *c, uint32_t r) {
    iso_wide columns[3 * ISO_PROGRAM_BODIES_MAX] = {0};
    for (uint32_t k = 0; k < compile_columns(c); ++k) {
        const iso__node *node = &c->graph.nodes[c->jacobian[r][k]];
        if (node->operation != ISO__NODE_CONSTANT) {
            return false;
        }
        columns[k] = node->value;
    }
    return iso__program_gradient_is_small(c->parser.layout, columns, c->program.body_count);
}

/// J by differentiation. Each row must move with a body.
static bool compile_jacobian(compiler *c) {
    iso__graph *graph = &c->graph;
    memset(c->marks, 0, sizeof c->marks);
    for (uint32_t r = 0; r < c->parser.row_count; ++r) {
        c->marks[c->parser.rows[r].value] = true;
    }
    iso__graph_mark(graph, c->marks);
    uint16_t count = graph->count;
    bool is_moved[ISO_PROGRAM_ROWS_MAX] = {false};
    for (uint32_t k = 0; k < compile_columns(c); ++k) {
        iso__graph_derive(graph, c->marks, count, c->parser.layout, k, c->derivative);
        for (uint32_t r = 0; r < c->parser.row_count; ++r) {
            c->jacobian[r][k] = c->derivative[c->parser.rows[r].value];
            is_moved[r] = is_moved[r] || c->jacobian[r][k] != ISO__NODE_ZERO;
        }
    }
    for (uint32_t r = 0; r < c->parser.row_count && !graph->is_full; ++r) {
        static const char *const rows[ISO_PROGRAM_ROWS_MAX] = {
            "row 1 of the constraint, which no body moves", "row 2 of the constraint, which no body moves",
            "row 3 of the constraint, which no body moves", "row 4 of the constraint, which no body moves",
            "row 5 of the constraint, which no body moves", "row 6 of the constraint, which no body moves"};
        if (!is_moved[r]) {
            fail_rows(c, rows[r], "a row that depends on a body's position or rotation");
            return false;
        }
        if (compile_is_small(c, r)) {
            static const char *const small[ISO_PROGRAM_ROWS_MAX] = {
                "row 1 of the constraint, which hardly moves with a body",
                "row 2 of the constraint, which hardly moves with a body",
                "row 3 of the constraint, which hardly moves with a body",
                "row 4 of the constraint, which hardly moves with a body",
                "row 5 of the constraint, which hardly moves with a body",
                "row 6 of the constraint, which hardly moves with a body"};
            fail_rows(c, small[r], "a row with a gradient of 1/1024 or more");
            return false;
        }
    }
    return true;
}

/// Asks for both bounds and notes which there are.
static void compile_bounds(compiler *c, const iso__bounded *bounded, uint8_t *entry) {
    if (bounded->low != ISO__NODE_MINUS_INF) {
        entry[ISO__ROW_FLAGS] |= ISO_PROGRAM_HAS_LOW;
        iso__emit_root_add(&c->emitter, bounded->low, &entry[ISO__ROW_LOW]);
    }
    if (bounded->high != ISO__NODE_INF) {
        entry[ISO__ROW_FLAGS] |= ISO_PROGRAM_HAS_HIGH;
        iso__emit_root_add(&c->emitter, bounded->high, &entry[ISO__ROW_HIGH]);
    }
    if (bounded->low == bounded->high) {
        entry[ISO__ROW_FLAGS] |= ISO_PROGRAM_EQUALITY;
    }
}

/// The part of parameters alone: limits and the rows' bounds.
static iso__emit_result compile_limits(compiler *c) {
    iso_program *program = &c->program;
    iso__emit_begin(&c->emitter, &c->graph, program);
    program->limit_count = c->parser.limit_count;
    for (uint32_t i = 0; i < program->limit_count; ++i) {
        uint8_t *limit = &program->limits[ISO_PROGRAM_LIMIT_SIZE * i];
        compile_bounds(c, &c->parser.limits[i], limit);
        iso__emit_root_add(&c->emitter, c->parser.limits[i].value, &limit[ISO__LIMIT_VALUE]);
    }
    program->row_count = c->parser.row_count;
    for (uint32_t r = 0; r < program->row_count; ++r) {
        compile_bounds(c, &c->parser.rows[r], &program->rows[ISO_PROGRAM_ROW_SIZE * r]);
    }
    iso__emit_result result = iso__emit_finish(&c->emitter);
    program->bound_instruction_count = program->instruction_count;
    return result;
}

/// C and J of all rows.
static iso__emit_result compile_rows(compiler *c) {
    iso_program *program = &c->program;
    iso__emit_begin(&c->emitter, &c->graph, program);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        uint8_t *row = &program->rows[ISO_PROGRAM_ROW_SIZE * r];
        iso__emit_root_add(&c->emitter, c->parser.rows[r].value, &row[ISO__ROW_ERROR]);
        for (uint32_t k = 0; k < compile_columns(c); ++k) {
            iso__emit_root_add(&c->emitter, c->jacobian[r][k], &row[ISO__ROW_JACOBIAN + k]);
        }
    }
    iso__emit_result result = iso__emit_finish(&c->emitter);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        uint8_t *row = &program->rows[ISO_PROGRAM_ROW_SIZE * r];
        row[ISO__ROW_FLAGS] |= iso__program_row_is_linear(program, r) ? ISO_PROGRAM_LINEAR : 0;
    }
    return result;
}

static void fail_emit(compiler *c, iso__emit_result result) {
    static const char *const found[] = {
        [ISO__EMIT_INSTRUCTIONS] = "a source of more than 512 instructions",
        [ISO__EMIT_COST] = "a source that costs more than 1024",
        [ISO__EMIT_CONSTANTS] = "a source with more than 32 different numbers",
        [ISO__EMIT_REGISTERS] = "a source with more values at once than there are registers",
    };
    fail_rows(c, found[result], "something simpler");
}

static bool compile(compiler *c, const char *source, size_t size) {
    iso__graph_init(&c->graph);
    if (!iso__parser_read(&c->parser, source, size)) {
        return false;
    }
    if (!compile_jacobian(c)) {
        return false;
    }
    if (c->graph.is_full) {
        fail_rows(c, "a source of more than 2048 different values, derivatives counted", "something simpler");
        return false;
    }
    iso__emit_result result = compile_limits(c);
    if (result == ISO__EMIT_OK) {
        result = compile_rows(c);
    }
    if (result != ISO__EMIT_OK) {
        fail_emit(c, result);
    }
    return result == ISO__EMIT_OK;
}

static iso_status compile_for(uint32_t version, const char *source, size_t size, iso_program_scratch *scratch,
                              iso_program *program, iso_program_error *error) {
    compiler *c = (compiler *)(void *)scratch;
    memset(&c->program, 0, sizeof c->program);
    memset(&c->parser, 0, sizeof c->parser);
    c->program.version = version;
    c->parser.graph = &c->graph;
    c->parser.program = &c->program;
    c->parser.layout = iso__program_layout(&c->program);
    c->parser.error = error;
    if (!compile(c, source, size)) {
        return ISO_ERR_SCENE_INVALID;
    }
    *program = c->program;
    return ISO_OK;
}

iso_status iso_program_compile(const char *source, size_t size, iso_program_scratch *scratch, iso_program *program,
                               iso_program_error *error) {
    return compile_for(ISO_PROGRAM_VERSION, source, size, scratch, program, error);
}

iso_status iso_program3_compile(const char *source, size_t size, iso_program_scratch *scratch, iso_program *program,
                                iso_program_error *error) {
    return compile_for(ISO_PROGRAM3_VERSION, source, size, scratch, program, error);
}
