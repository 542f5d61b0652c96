/// Whether a program from outside is well formed. What passes is evaluated without any further check.

#include "symbolic/check.h"

#include <string.h>

#include "symbolic/lexer.h"
#include "symbolic/evaluate.h"

/// Which registers hold something, a bit each.
typedef struct register_set {
    uint32_t words[ISO__REGISTER_COUNT / 32];
} register_set;

static void set_add(register_set *set, uint32_t reg) {
    set->words[reg / 32] |= UINT32_C(1) << (reg % 32);
}

static void set_add_range(register_set *set, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        set_add(set, first + i);
    }
}

static bool set_has(const register_set *set, uint32_t reg) {
    return (set->words[reg / 32] >> (reg % 32) & 1) != 0;
}

static bool is_zero(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

// ---- counts, names, constants --------------------------------------------------------------------

static bool check_counts(const iso_program *program) {
    return program->body_count >= 1 && program->body_count <= iso__program_layout(program)->bodies_max &&
           program->vector_count <= ISO_PROGRAM_VECTORS_MAX && program->scalar_count <= ISO_PROGRAM_SCALARS_MAX &&
           program->constant_count <= ISO_PROGRAM_CONSTANTS_MAX && program->limit_count <= ISO_PROGRAM_LIMITS_MAX &&
           program->row_count >= 1 && program->row_count <= ISO_PROGRAM_ROWS_MAX &&
           program->instruction_count <= ISO_PROGRAM_INSTRUCTIONS_MAX &&
           program->bound_instruction_count <= program->instruction_count;
}

/// The length of the name in a field that is zero behind it, 0 when it is no name.
static uint32_t check_name_length(const iso_program *program, const uint8_t *name) {
    uint32_t length = 0;
    while (length < ISO_PROGRAM_NAME_MAX && iso__is_name_character((char)name[length], length == 0)) {
        ++length;
    }
    bool is_name = is_zero(name + length, ISO_PROGRAM_NAME_SIZE - length) &&
                   iso__keyword_find((const char *)name, length, iso_program_dimensions(program)) == ISO__TOKEN_NAME;
    return is_name ? length : 0;
}

static bool check_names(const iso_program *program) {
    for (uint32_t i = 0; i < ISO_PROGRAM_NAMES_MAX; ++i) {
        const uint8_t *name = &program->names[ISO_PROGRAM_NAME_SIZE * i];
        bool is_used = i < ISO__NAME_VECTOR   ? i < program->body_count
                       : i < ISO__NAME_SCALAR ? i - ISO__NAME_VECTOR < program->vector_count
                                              : i - ISO__NAME_SCALAR < program->scalar_count;
        if (!is_used) {
            if (!is_zero(name, ISO_PROGRAM_NAME_SIZE)) {
                return false;
            }
            continue;
        }
        if (check_name_length(program, name) == 0) {
            return false;
        }
        for (uint32_t j = 0; j < i; ++j) {
            if (memcmp(name, &program->names[ISO_PROGRAM_NAME_SIZE * j], ISO_PROGRAM_NAME_SIZE) == 0) {
                return false;
            }
        }
    }
    return true;
}

static bool check_constants(const iso_program *program) {
    for (uint32_t i = 0; i < ISO_PROGRAM_CONSTANTS_MAX; ++i) {
        bool is_wrong = i < program->constant_count ? program->constants[i] == INT64_MIN : program->constants[i] != 0;
        if (is_wrong) {
            return false;
        }
    }
    return true;
}

// ---- code ----------------------------------------------------------------------------------------

/// Checks the instructions from first to end and adds what they write.
static bool check_part(const iso_program *program, uint32_t first, uint32_t end, register_set *defined,
                       uint32_t *cost) {
    const iso__layout *layout = iso__program_layout(program);
    for (uint32_t i = first; i < end; ++i) {
        const uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        uint32_t operands = iso__operation_operands(at[0]);
        if (operands == 0 || at[0] >= layout->operation_end || at[1] < layout->temporary) {
            return false;
        }
        for (uint32_t k = 0; k < ISO_PROGRAM_INSTRUCTION_SIZE - 2; ++k) {
            if (k < operands ? !set_has(defined, at[2 + k]) : at[2 + k] != 0) {
                return false;
            }
        }
        set_add(defined, at[1]);
        *cost += iso__operation_cost(at[0]);
    }
    return true;
}

/// Checks flags, low and high of a row or limit.
static bool check_bounds(const uint8_t *entry, uint8_t flags_known, const register_set *defined) {
    uint8_t flags = entry[ISO__ROW_FLAGS];
    bool has_low = (flags & ISO_PROGRAM_HAS_LOW) != 0;
    bool has_high = (flags & ISO_PROGRAM_HAS_HIGH) != 0;
    bool is_equality = has_low && has_high && entry[ISO__ROW_LOW] == entry[ISO__ROW_HIGH];
    return (flags & ~flags_known) == 0 && is_equality == ((flags & ISO_PROGRAM_EQUALITY) != 0) &&
           (has_low ? set_has(defined, entry[ISO__ROW_LOW]) : entry[ISO__ROW_LOW] == 0) &&
           (has_high ? set_has(defined, entry[ISO__ROW_HIGH]) : entry[ISO__ROW_HIGH] == 0);
}

static bool check_limits(const iso_program *program, const register_set *defined) {
    for (uint32_t i = 0; i < program->limit_count; ++i) {
        const uint8_t *limit = &program->limits[ISO_PROGRAM_LIMIT_SIZE * i];
        uint8_t known = ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_EQUALITY;
        if (!check_bounds(limit, known, defined) || !set_has(defined, limit[ISO__LIMIT_VALUE])) {
            return false;
        }
    }
    for (uint32_t r = 0; r < program->row_count; ++r) {
        uint8_t known = ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_EQUALITY | ISO_PROGRAM_LINEAR;
        if (!check_bounds(&program->rows[ISO_PROGRAM_ROW_SIZE * r], known, defined)) {
            return false;
        }
    }
    return true;
}

bool iso__program_row_is_linear(const iso_program *program, uint32_t row) {
    const uint8_t *jacobian = &program->rows[ISO_PROGRAM_ROW_SIZE * row + ISO__ROW_JACOBIAN];
    const iso__layout *layout = iso__program_layout(program);
    for (uint32_t k = 0; k < (uint32_t)layout->columns * program->body_count; ++k) {
        uint32_t constant = (uint32_t)jacobian[k] - layout->constant;
        bool is_zero_constant = constant < program->constant_count && program->constants[constant] == 0;
        if (k % layout->columns < layout->dimensions && !is_zero_constant) {
            return true;
        }
    }
    return false;
}

static bool check_rows(const iso_program *program, const register_set *defined) {
    uint32_t columns = (uint32_t)iso__program_layout(program)->columns * program->body_count;
    for (uint32_t r = 0; r < program->row_count; ++r) {
        const uint8_t *row = &program->rows[ISO_PROGRAM_ROW_SIZE * r];
        if (!set_has(defined, row[ISO__ROW_ERROR])) {
            return false;
        }
        for (uint32_t k = 0; k < columns; ++k) {
            if (!set_has(defined, row[ISO__ROW_JACOBIAN + k])) {
                return false;
            }
        }
        bool is_linear = (row[ISO__ROW_FLAGS] & ISO_PROGRAM_LINEAR) != 0;
        if (!is_zero(row + ISO__ROW_JACOBIAN + columns, 3 * ISO_PROGRAM_BODIES_MAX - columns) ||
            is_linear != iso__program_row_is_linear(program, r)) {
            return false;
        }
    }
    return true;
}

static bool check_code(const iso_program *program) {
    register_set bounds = {{0}};
    const iso__layout *layout = iso__program_layout(program);
    set_add_range(&bounds, layout->vector, (uint32_t)layout->dimensions * program->vector_count);
    set_add_range(&bounds, layout->scalar, program->scalar_count);
    set_add_range(&bounds, layout->constant, program->constant_count);
    register_set rows = bounds;
    set_add_range(&rows, ISO__REGISTER_BODY, (uint32_t)layout->body_registers * program->body_count);
    uint32_t cost = 0;
    return check_part(program, 0, program->bound_instruction_count, &bounds, &cost) &&
           check_part(program, program->bound_instruction_count, program->instruction_count, &rows, &cost) &&
           cost <= ISO_PROGRAM_COST_MAX && cost == program->cost && check_limits(program, &bounds) &&
           check_rows(program, &rows);
}

/// All that lies behind the counts is zero.
static bool check_unused(const iso_program *program) {
    size_t limits = (size_t)ISO_PROGRAM_LIMIT_SIZE * program->limit_count;
    size_t rows = (size_t)ISO_PROGRAM_ROW_SIZE * program->row_count;
    size_t code = (size_t)ISO_PROGRAM_INSTRUCTION_SIZE * program->instruction_count;
    return is_zero(program->limits + limits, sizeof program->limits - limits) &&
           is_zero(program->rows + rows, sizeof program->rows - rows) &&
           is_zero(program->code + code, sizeof program->code - code);
}

iso_status iso_program_check(const iso_program *program) {
    if (program->version != ISO_PROGRAM_VERSION && program->version != ISO_PROGRAM3_VERSION) {
        return ISO_ERR_VERSION;
    }
    bool is_right = check_counts(program) && check_names(program) && check_constants(program) &&
                    check_unused(program) && check_code(program);
    return is_right ? ISO_OK : ISO_ERR_MALFORMED;
}
