/// Runs compiled constraints. A program was checked before, so that nothing is checked here.

#include "isostep/fixed.h"

#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "symbolic/evaluate.h"

#define GRADIENT_MIN (ISO_WIDE_ONE >> 10)

const iso__layout *iso__layout_of(uint32_t dimensions) {
    enum { VECTOR3 = ISO__BODY3_REGISTERS * ISO_CONSTRAINT3_BODIES, SCALAR3 = VECTOR3 + 3 * ISO_PROGRAM_VECTORS_MAX };
    enum { CONSTANT3 = SCALAR3 + ISO_PROGRAM_SCALARS_MAX, TEMPORARY3 = CONSTANT3 + ISO_PROGRAM_CONSTANTS_MAX };
    static const iso__layout plane = {2,
                                      ISO_PROGRAM_BODIES_MAX,
                                      ISO__BODY_REGISTERS,
                                      3,
                                      ISO__REGISTER_VECTOR,
                                      ISO__REGISTER_SCALAR,
                                      ISO__REGISTER_CONSTANT,
                                      ISO__REGISTER_TEMPORARY,
                                      ISO__OP_SIN + 1};
    static const iso__layout space = {
        3, ISO_CONSTRAINT3_BODIES, ISO__BODY3_REGISTERS, 6, VECTOR3, SCALAR3, CONSTANT3, TEMPORARY3, ISO__OP_COUNT};
    return dimensions == 3 ? &space : &plane;
}

uint32_t iso_program_dimensions(const iso_program *program) {
    return program->version == ISO_PROGRAM3_VERSION ? 3 : 2;
}

uint32_t iso__operation_operands(uint8_t operation) {
    switch (operation) {
#define OPERANDS(name, number, operands, cost) \
    case number:                               \
        return operands;
        ISO__OPERATION_LIST(OPERANDS)
#undef OPERANDS
    default:
        return 0;
    }
}

uint32_t iso__operation_cost(uint8_t operation) {
    switch (operation) {
#define COST(name, number, operands, cost) \
    case number:                           \
        return cost;
        ISO__OPERATION_LIST(COST)
#undef COST
    default:
        return 0;
    }
}

/// Q2.30 as Q31.32.
static int64_t operate_widen(int32_t component) {
    return (int64_t)component * 4;
}

/// a + b; where it does not fit, the nearer end.
static inline int64_t operate_add(int64_t a, int64_t b) {
    int64_t sum = iso__add64(a, b);
    bool has_wrapped = ((a ^ sum) & (b ^ sum)) < 0;
    return !has_wrapped ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t operate(uint8_t operation, int64_t a, int64_t b, int64_t c, int64_t d) {
    switch (operation) {
    case ISO__OP_ADD:
        return operate_add(a, b);
    case ISO__OP_SUB:
        return operate_add(a, -b);
    case ISO__OP_NEG:
        return -a;
    case ISO__OP_ABS:
        return a < 0 ? -a : a;
    case ISO__OP_SIGN:
        return a < 0 ? -ISO_WIDE_ONE : ISO_WIDE_ONE;
    case ISO__OP_MUL:
        return iso__mul_shift(a, b, ISO__WIDE_FRACTION);
    case ISO__OP_DOT:
        return iso__dot_shift(a, b, c, d, ISO__WIDE_FRACTION);
    case ISO__OP_DET:
        return iso__dot_shift(a, b, -c, d, ISO__WIDE_FRACTION);
    case ISO__OP_RATIO:
        return b == 0 ? 0 : iso__div_shift(a, ISO__WIDE_FRACTION, b);
    case ISO__OP_HEADING:
        return b == 0 ? ISO_WIDE_ONE : iso__div_shift(a, ISO__WIDE_FRACTION, b);
    case ISO__OP_HYPOT:
        return iso_wide_hypot(a, b);
    case ISO__OP_COS:
        return operate_widen(iso_rotation_make((uint32_t)iso_turns_from_radians(a)).c);
    case ISO__OP_SIN:
        return operate_widen(iso_rotation_make((uint32_t)iso_turns_from_radians(a)).s);
    case ISO__OP_HYPOT3:
        return iso__length3((const int64_t[3]){a, b, c});
    case ISO__OP_ATAN2:
        return iso_radians_from_turns(iso_wide_atan2(a, b));
    default:
        return 0;
    }
}

int64_t iso__operate(uint8_t operation, int64_t a, int64_t b, int64_t c, int64_t d) {
    return iso__register_value(operate(operation, a, b, c, d));
}

/// Puts parameters and constants into their registers.
static void evaluate_load(const iso_program *program, const iso_program_params *params, int64_t *registers) {
    const iso__layout *layout = iso__program_layout(program);
    for (uint32_t i = 0; i < program->vector_count; ++i) {
        const iso_wide *vector = layout->dimensions == 3 ? params->vectors3[i] : params->vectors[i];
        for (uint32_t axis = 0; axis < layout->dimensions; ++axis) {
            registers[layout->vector + layout->dimensions * i + axis] = iso__register_value(vector[axis]);
        }
    }
    for (uint32_t i = 0; i < program->scalar_count; ++i) {
        registers[layout->scalar + i] = iso__register_value(params->scalars[i]);
    }
    for (uint32_t i = 0; i < program->constant_count; ++i) {
        registers[layout->constant + i] = program->constants[i];
    }
}

/// Runs the instructions from first to end, without it.
static void evaluate_run(const iso_program *program, uint32_t first, uint32_t end, int64_t *registers) {
    for (uint32_t i = first; i < end; ++i) {
        const uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        // An operand that the operation does not have is 0 and names register 0, which must then be readable.
        registers[at[1]] =
            iso__register_value(operate(at[0], registers[at[2]], registers[at[3]], registers[at[4]], registers[at[5]]));
    }
}

/// C and J of all rows. The bodies are in their registers.
static void evaluate_rows(const iso_program *program, const iso_program_params *params, int64_t *registers,
                          iso__program_rows *rows) {
    evaluate_load(program, params, registers);
    evaluate_run(program, program->bound_instruction_count, program->instruction_count, registers);
    const uint32_t columns = (uint32_t)iso__program_layout(program)->columns * program->body_count;
    for (uint32_t r = 0; r < program->row_count; ++r) {
        const uint8_t *row = &program->rows[ISO_PROGRAM_ROW_SIZE * r];
        rows->error[r] = registers[row[ISO__ROW_ERROR]];
        for (uint32_t k = 0; k < columns; ++k) {
            rows->columns[r][k] = registers[row[ISO__ROW_JACOBIAN + k]];
        }
    }
}

void iso__program_evaluate(const iso_program *program, const iso__program_body *bodies,
                           const iso_program_params *params, iso__program_rows *rows) {
    int64_t registers[ISO__REGISTER_COUNT];
    for (uint32_t i = 0; i < program->body_count; ++i) {
        int64_t *body = &registers[ISO__REGISTER_BODY + ISO__BODY_REGISTERS * i];
        body[ISO__BODY_X] = iso__register_value(bodies[i].position[0]);
        body[ISO__BODY_Y] = iso__register_value(bodies[i].position[1]);
        body[ISO__BODY_ANGLE] = iso__register_value(bodies[i].angle);
        body[ISO__BODY_COS] = operate_widen(bodies[i].rotation.c);
        body[ISO__BODY_SIN] = operate_widen(bodies[i].rotation.s);
    }
    evaluate_rows(program, params, registers, rows);
}

void iso__program3_evaluate(const iso_program *program, const iso_constraint3_body *bodies,
                            const iso_program_params *params, iso__program_rows *rows) {
    int64_t registers[ISO__REGISTER_COUNT];
    for (uint32_t i = 0; i < program->body_count; ++i) {
        int64_t *body = &registers[ISO__BODY3_REGISTERS * i];
        for (uint32_t k = 0; k < 3; ++k) {
            body[ISO__BODY3_X + k] = iso__register_value(bodies[i].position[k]);
        }
        for (uint32_t k = 0; k < 9; ++k) {
            body[ISO__BODY3_AXES + k] = operate_widen(bodies[i].axes[k / 3][k % 3]);
        }
    }
    evaluate_rows(program, params, registers, rows);
}

uint32_t iso__program_limits(const iso_program *program, const iso_program_params *params,
                             iso__program_bounds *bounds) {
    int64_t registers[ISO__REGISTER_COUNT];
    registers[0] = 0; // bodies are not loaded, and operands that an operation does not have read it
    evaluate_load(program, params, registers);
    evaluate_run(program, 0, program->bound_instruction_count, registers);
    uint32_t wrong = UINT32_MAX;
    for (uint32_t i = 0; i < program->limit_count; ++i) {
        const uint8_t *limit = &program->limits[ISO_PROGRAM_LIMIT_SIZE * i];
        int64_t value = registers[limit[ISO__LIMIT_VALUE]];
        bool below = (limit[ISO__LIMIT_FLAGS] & ISO_PROGRAM_HAS_LOW) != 0 && value < registers[limit[ISO__LIMIT_LOW]];
        bool above = (limit[ISO__LIMIT_FLAGS] & ISO_PROGRAM_HAS_HIGH) != 0 && value > registers[limit[ISO__LIMIT_HIGH]];
        if ((below || above) && wrong == UINT32_MAX) {
            wrong = i;
        }
    }
    for (uint32_t r = 0; r < program->row_count; ++r) {
        const uint8_t *row = &program->rows[ISO_PROGRAM_ROW_SIZE * r];
        bool has_low = (row[ISO__ROW_FLAGS] & ISO_PROGRAM_HAS_LOW) != 0;
        bool has_high = (row[ISO__ROW_FLAGS] & ISO_PROGRAM_HAS_HIGH) != 0;
        bounds->low[r] = has_low ? registers[row[ISO__ROW_LOW]] : ISO_WIDE_MIN;
        bounds->high[r] = has_high ? registers[row[ISO__ROW_HIGH]] : ISO_WIDE_MAX;
        if (bounds->low[r] > bounds->high[r] && wrong == UINT32_MAX) {
            wrong = program->limit_count + r;
        }
    }
    return wrong;
}

bool iso__program_gradient_is_small(const iso__layout *layout, const iso_wide *columns, uint32_t body_count) {
    const bool is_space = layout->dimensions == 3;
    iso_wide moved = 0, turned = 0;
    for (uint32_t k = 0; k < (uint32_t)layout->columns * body_count; ++k) {
        iso_wide *sum = k % layout->columns < layout->dimensions ? &moved : &turned;
        *sum = iso_wide_add(*sum, columns[k] < 0 ? -columns[k] : columns[k]);
    }
    return moved < GRADIENT_MIN && turned < (moved == 0 ? GRADIENT_MIN : GRADIENT_MIN >> (is_space ? 16 : 13));
}

/// Whether J of each row is the same at all poses, given the parameters.
static void evaluate_constant_rows(const iso_program *program, bool *is_constant) {
    bool is_of_body[ISO__REGISTER_COUNT] = {false};
    const iso__layout *layout = iso__program_layout(program);
    for (uint32_t i = 0; i < (uint32_t)layout->body_registers * program->body_count; ++i) {
        is_of_body[i] = true;
    }
    for (uint32_t i = program->bound_instruction_count; i < program->instruction_count; ++i) {
        const uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        bool is_moved = false;
        for (uint32_t k = 0; k < iso__operation_operands(at[0]); ++k) {
            is_moved = is_moved || is_of_body[at[2 + k]];
        }
        is_of_body[at[1]] = is_moved;
    }
    for (uint32_t r = 0; r < program->row_count; ++r) {
        const uint8_t *jacobian = &program->rows[ISO_PROGRAM_ROW_SIZE * r + ISO__ROW_JACOBIAN];
        is_constant[r] = true;
        for (uint32_t k = 0; k < (uint32_t)layout->columns * program->body_count; ++k) {
            is_constant[r] = is_constant[r] && !is_of_body[jacobian[k]];
        }
    }
}

/// The first row whose gradient is too small at all poses, UINT32_MAX when there is none.
static uint32_t evaluate_small_row(const iso_program *program, const iso_program_params *params) {
    int64_t registers[ISO__REGISTER_COUNT] = {0}; // bodies anywhere
    bool is_constant[ISO_PROGRAM_ROWS_MAX];
    iso__program_rows rows;
    evaluate_constant_rows(program, is_constant);
    evaluate_rows(program, params, registers, &rows);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        if (is_constant[r] &&
            iso__program_gradient_is_small(iso__program_layout(program), rows.columns[r], program->body_count)) {
            return r;
        }
    }
    return UINT32_MAX;
}

iso_status iso_program_params_check(const iso_program *program, const iso_program_params *params, uint32_t *wrong) {
    iso__program_bounds bounds;
    uint32_t first = iso__program_limits(program, params, &bounds);
    const uint32_t small = first == UINT32_MAX ? evaluate_small_row(program, params) : UINT32_MAX;
    first = small == UINT32_MAX ? first : program->limit_count + program->row_count + small;
    if (wrong != NULL && first != UINT32_MAX) {
        *wrong = first;
    }
    return first == UINT32_MAX ? ISO_OK : ISO_ERR_RANGE;
}
