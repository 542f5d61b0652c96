/// The virtual machine of compiled constraints: 256 registers of Q31.32, straight-line code, no branch, no loop. It is
/// one for worlds in the plane and in space; which registers are whose is the program's layout.
///
/// Every register holds a number within ±(2^63 - 1) quanta: inputs and results are moved there from -2^63. So
/// negation is exact, and a sum of two products stays below 2^127 before it is rounded.
///
/// Code comes in two parts that share nothing but inputs: the bounds read parameters and constants alone, the rows
/// read bodies as well.
#ifndef ISO_SYMBOLIC_PROGRAM_H
#define ISO_SYMBOLIC_PROGRAM_H

#include <assert.h>
#include <stdbool.h>

#include "isostep/constraint.h"
#include "isostep/program.h"
#include "math/wide128.h"

/// Which register holds what in the plane. Inputs and constants are read only, the rest is written before it is read.
enum {
    ISO__REGISTER_BODY = 0, // five for each body: x, y, rotation [rad], its cosine, its sine
    ISO__BODY_REGISTERS = 5,
    ISO__REGISTER_VECTOR = ISO__REGISTER_BODY + ISO__BODY_REGISTERS * ISO_PROGRAM_BODIES_MAX, // x, y
    ISO__REGISTER_SCALAR = ISO__REGISTER_VECTOR + 2 * ISO_PROGRAM_VECTORS_MAX,
    ISO__REGISTER_CONSTANT = ISO__REGISTER_SCALAR + ISO_PROGRAM_SCALARS_MAX,
    ISO__REGISTER_TEMPORARY = ISO__REGISTER_CONSTANT + ISO_PROGRAM_CONSTANTS_MAX,
    ISO__REGISTER_COUNT = 256
};

/// What a body's registers are in the plane.
enum { ISO__BODY_X, ISO__BODY_Y, ISO__BODY_ANGLE, ISO__BODY_COS, ISO__BODY_SIN };

/// What they are in space: its centre of mass, then where the axes of its frame are in the world, three each.
enum { ISO__BODY3_X, ISO__BODY3_AXES = 3, ISO__BODY3_REGISTERS = 12 };

/// Which register holds what, and how many of what there are.
typedef struct iso__layout {
    uint8_t dimensions;                          // and components of a vector
    uint8_t bodies_max;                          // declared bodies
    uint8_t body_registers;                      // of each, from register 0 on
    uint8_t columns;                             // of J, of each body
    uint8_t vector, scalar, constant, temporary; // first registers
    uint8_t operation_end;                       // one above the last that is known
} iso__layout;

/// That of worlds in space of 3 dimensions, else of the plane.
const iso__layout *iso__layout_of(uint32_t dimensions);
static inline const iso__layout *iso__program_layout(const iso_program *program) {
    return iso__layout_of(iso_program_dimensions(program));
}

/// Where a row and a limit have what.
enum { ISO__ROW_FLAGS, ISO__ROW_LOW, ISO__ROW_HIGH, ISO__ROW_ERROR, ISO__ROW_JACOBIAN };
enum { ISO__LIMIT_FLAGS, ISO__LIMIT_LOW, ISO__LIMIT_HIGH, ISO__LIMIT_VALUE };

/// The operations. X(name, number, operands, cost): a cost of 1 is 10 to 30 machine instructions.
///   RATIO  a / b, 0 for b = 0               HEADING  a / b, 1 for b = 0
///   DOT    a b + c d                        DET      a b - c d, each rounded once
///   SIGN   -1 below 0, else 1               HYPOT    sqrt(a^2 + b^2), rounded down
/// In space alone:
///   HYPOT3 sqrt(a^2 + b^2 + c^2), down      ATAN2    the angle [rad] of (b, a), 0 for a = b = 0
#define ISO__OPERATION_LIST(X) \
    X(ADD, 1, 2, 1)            \
    X(SUB, 2, 2, 1)            \
    X(NEG, 3, 1, 1)            \
    X(ABS, 4, 1, 1)            \
    X(SIGN, 5, 1, 1)           \
    X(MUL, 6, 2, 2)            \
    X(DOT, 7, 4, 3)            \
    X(DET, 8, 4, 3)            \
    X(RATIO, 9, 2, 8)          \
    X(HEADING, 10, 2, 8)       \
    X(HYPOT, 11, 2, 16)        \
    X(COS, 12, 1, 8)           \
    X(SIN, 13, 1, 8)           \
    X(HYPOT3, 14, 3, 20)       \
    X(ATAN2, 15, 2, 16)

enum {
#define ISO__OPERATION_ENUM(name, number, operands, cost) ISO__OP_##name = (number),
    ISO__OPERATION_LIST(ISO__OPERATION_ENUM)
#undef ISO__OPERATION_ENUM
        ISO__OP_COUNT // one above the last
};

/// The operands an operation has, 0 for a number that is none.
uint32_t iso__operation_operands(uint8_t operation);
uint32_t iso__operation_cost(uint8_t operation);

/// The nearest number that a register can hold.
static inline int64_t iso__register_value(int64_t value) {
    return value == INT64_MIN ? -INT64_MAX : value;
}

/// One operation; the operands are numbers that a register holds, and so is the result. An unknown operation
/// gives 0. The compiler folds constants with the same function.
int64_t iso__operate(uint8_t operation, int64_t a, int64_t b, int64_t c, int64_t d);

/// Where the names of each sort begin in a program's names.
enum {
    ISO__NAME_BODY = 0,
    ISO__NAME_VECTOR = ISO__NAME_BODY + ISO_PROGRAM_BODIES_MAX,
    ISO__NAME_SCALAR = ISO__NAME_VECTOR + ISO_PROGRAM_VECTORS_MAX
};

/// Whether a row's J has an entry by a place of a body that is not the constant 0: ISO_PROGRAM_LINEAR.
bool iso__program_row_is_linear(const iso_program *program, uint32_t row);

/// A body as a program sees it.
typedef iso_constraint_body iso__program_body;

/// The rows at one state: C and J.
typedef struct iso__program_rows {
    iso_wide error[ISO_PROGRAM_ROWS_MAX]; // [m] or [rad]
    union {
        iso_wide jacobian[ISO_PROGRAM_ROWS_MAX][ISO_PROGRAM_BODIES_MAX][3];  // by x, y [1/m of C], rotation [1/rad]
        iso_wide jacobian3[ISO_PROGRAM_ROWS_MAX][ISO_CONSTRAINT3_BODIES][6]; // by x, y, z and turning about x, y, z
        iso_wide columns[ISO_PROGRAM_ROWS_MAX][3 * ISO_PROGRAM_BODIES_MAX];  // the same, body after body
    };
} iso__program_rows;

/// The bounds of the rows; where a row has none, the end of the range.
typedef struct iso__program_bounds {
    iso_wide low[ISO_PROGRAM_ROWS_MAX];
    iso_wide high[ISO_PROGRAM_ROWS_MAX];
} iso__program_bounds;

/// Evaluates rows and Jacobian of a program that iso_program_check accepts. Any inputs are allowed.
/// @param bodies  body_count of them
/// @param rows    the first row_count rows and body_count columns are written
void iso__program_evaluate(const iso_program *program, const iso__program_body *bodies,
                           const iso_program_params *params, iso__program_rows *rows);
/// The same of a program for worlds in space.
void iso__program3_evaluate(const iso_program *program, const iso_constraint3_body *bodies,
                            const iso_program_params *params, iso__program_rows *rows);

/// Whether a row with this gradient at all poses has too small a K (below 2^-20, plane/joint/axis.c) for any bodies:
/// the parts of its bodies together are below 2^-10. A turn counts 2^13 times in a row of lengths, since a disc of 2^-8
/// m, the smallest, has 2^8 radians to a metre, and t of the row is at most 500; in space 2^16 times, as G is at most
/// 2^16.
/// @param columns  J, body after body
bool iso__program_gradient_is_small(const iso__layout *layout, const iso_wide *columns, uint32_t body_count);

/// The bounds of each row, of parameters alone.
/// @return the index of the first limit that the parameters do not keep, limit_count plus that of the first row
///         with low > high, or UINT32_MAX when all are kept
uint32_t iso__program_limits(const iso_program *program, const iso_program_params *params, iso__program_bounds *bounds);

static_assert(3 * ISO_PROGRAM_BODIES_MAX == 6 * ISO_CONSTRAINT3_BODIES, "a row has as many columns in space");
static_assert(ISO__REGISTER_TEMPORARY < ISO__REGISTER_COUNT, "there are registers to compute with");
static_assert(sizeof(iso_program) == 4112, "a program has no padding");

#endif
