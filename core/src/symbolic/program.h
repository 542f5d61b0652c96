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

/// The nearest number that a register can hold.
static inline int64_t iso__register_value(int64_t value) {
    return value == INT64_MIN ? -INT64_MAX : value;
}

/// Where the names of each sort begin in a program's names.
enum {
    ISO__NAME_BODY = 0,
    ISO__NAME_VECTOR = ISO__NAME_BODY + ISO_PROGRAM_BODIES_MAX,
    ISO__NAME_SCALAR = ISO__NAME_VECTOR + ISO_PROGRAM_VECTORS_MAX
};

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

static_assert(3 * ISO_PROGRAM_BODIES_MAX == 6 * ISO_CONSTRAINT3_BODIES, "a row has as many columns in space");
static_assert(ISO__REGISTER_TEMPORARY < ISO__REGISTER_COUNT, "there are registers to compute with");
static_assert(sizeof(iso_program) == 4112, "a program has no padding");

#endif
