/// Symbolic constraints: a small language for positional constraints, compiled to a bounded fixed-point program.
///
/// A source declares bodies, vectors and scalars, limits the values of the parameters, and gives one expression that is
/// held at zero or between bounds. The compiler flattens it into rows C, differentiates each row symbolically by every
/// body's x, y and rotation, and emits straight-line code for C and its Jacobian J. Velocity and effective mass follow:
/// V = J v, K = J M^-1 J^T. The language, its rules and examples: core/SYMBOLIC.md.
///
/// A program is a flat record without pointers: it lives in world state, travels in snapshots and over the wire,
/// and computes the same bits everywhere. A program that iso_program_check accepts is safe to evaluate.
///
/// Nothing here uses a world. All functions may be called anywhere, from any thread; each thread needs its own scratch
/// for the compiler.
#ifndef ISOSTEP_PROGRAM_H
#define ISOSTEP_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/fixed.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when the meaning of a program's bytes changes. Of programs for worlds in the plane; and in space.
#define ISO_PROGRAM_VERSION  1u
#define ISO_PROGRAM3_VERSION 0x30001u

enum {
    ISO_PROGRAM_SOURCE_MAX = 4096,  // bytes of a source
    ISO_PROGRAM_BODIES_MAX = 4,     // declared bodies; in space 2
    ISO_PROGRAM_VECTORS_MAX = 8,    // declared vectors
    ISO_PROGRAM_SCALARS_MAX = 8,    // declared scalars
    ISO_PROGRAM_ROWS_MAX = 6,       // rows of the constraint, vectors and blocks flattened
    ISO_PROGRAM_LIMITS_MAX = 8,     // limits of parameters
    ISO_PROGRAM_NAME_MAX = 31,      // characters of a name
    ISO_PROGRAM_CONSTANTS_MAX = 32, // different numbers in the compiled program
    ISO_PROGRAM_INSTRUCTIONS_MAX = 512,
    ISO_PROGRAM_COST_MAX = 1024,  // sum of the instructions' costs (core/SYMBOLIC.md)
    ISO_PROGRAM_NESTING_MAX = 32, // parentheses, norms, blocks, unit, relative and values of let inside one another
    ISO_PROGRAM_LETS_MAX = 16,    // names of let that are visible at one point
    ISO_PROGRAM_NAME_SIZE = ISO_PROGRAM_NAME_MAX + 1,
    ISO_PROGRAM_NAMES_MAX = ISO_PROGRAM_BODIES_MAX + ISO_PROGRAM_VECTORS_MAX + ISO_PROGRAM_SCALARS_MAX,
    ISO_PROGRAM_INSTRUCTION_SIZE = 6,                      // operation, target, four operands
    ISO_PROGRAM_LIMIT_SIZE = 4,                            // flags, low, high, value
    ISO_PROGRAM_ROW_SIZE = 4 + 3 * ISO_PROGRAM_BODIES_MAX, // flags, low, high, error, then J by body: x, y, rotation;
                                                           // in space x, y, z and turning about x, y, z
};

/// Flags of a row and of a parameter's limit.
enum {
    ISO_PROGRAM_HAS_LOW = 1,  // not below its low bound
    ISO_PROGRAM_HAS_HIGH = 2, // not above its high bound
    ISO_PROGRAM_EQUALITY = 4, // both, and the bounds are one expression: rows without a limit are held at 0
    ISO_PROGRAM_LINEAR = 8,   // rows only: moves with a body's position [m]; without it an angle [rad]
};

/// The fields, each fixed in width, in an order without padding. F(type, name, unit), A(type, name, count, unit).
/// Registers are bytes; core/src/symbolic/program.h says which register holds what. Unused elements are zero.
#define ISO_PROGRAM_FIELD_LIST(F, A)                                                                      \
    A(I64, constants, ISO_PROGRAM_CONSTANTS_MAX, "Q31.32")                                                \
    F(U32, version, "")                                                                                   \
    F(U16, instruction_count, "")                                                                         \
    F(U16, bound_instruction_count, "the first ones: of parameters alone, for limits and bounds")         \
    F(U16, cost, "")                                                                                      \
    F(U8, constant_count, "")                                                                             \
    F(U8, body_count, "")                                                                                 \
    F(U8, vector_count, "")                                                                               \
    F(U8, scalar_count, "")                                                                               \
    F(U8, limit_count, "")                                                                                \
    F(U8, row_count, "")                                                                                  \
    A(U8, names, ISO_PROGRAM_NAMES_MAX *ISO_PROGRAM_NAME_SIZE, "4 of bodies, 8 of vectors, 8 of scalars") \
    A(U8, limits, ISO_PROGRAM_LIMITS_MAX *ISO_PROGRAM_LIMIT_SIZE, "flags and registers")                  \
    A(U8, rows, ISO_PROGRAM_ROWS_MAX *ISO_PROGRAM_ROW_SIZE, "flags and registers")                        \
    A(U8, code, ISO_PROGRAM_INSTRUCTIONS_MAX *ISO_PROGRAM_INSTRUCTION_SIZE, "operation and registers")

typedef struct iso_program {
#define ISO_PROGRAM_TYPE_U8                        uint8_t
#define ISO_PROGRAM_TYPE_U16                       uint16_t
#define ISO_PROGRAM_TYPE_U32                       uint32_t
#define ISO_PROGRAM_TYPE_I64                       int64_t
#define ISO_PROGRAM_FIELD(type, name, unit)        ISO_PROGRAM_TYPE_##type name;
#define ISO_PROGRAM_ARRAY(type, name, count, unit) ISO_PROGRAM_TYPE_##type name[count];
    ISO_PROGRAM_FIELD_LIST(ISO_PROGRAM_FIELD, ISO_PROGRAM_ARRAY)
#undef ISO_PROGRAM_FIELD
#undef ISO_PROGRAM_ARRAY
#undef ISO_PROGRAM_TYPE_U8
#undef ISO_PROGRAM_TYPE_U16
#undef ISO_PROGRAM_TYPE_U32
#undef ISO_PROGRAM_TYPE_I64
} iso_program;

/// The maximum number of bytes that iso_program_encode writes.
#define ISO_PROGRAM_BYTES_MAX 4112

// ---- compiling -----------------------------------------------------------------------------------

/// Where a source is wrong, and how.
typedef struct iso_program_error {
    uint32_t line;     // from 1
    uint32_t column;   // bytes from 1
    char message[192]; // "found …, expected …"
} iso_program_error;

#define ISO_PROGRAM_SCRATCH_SIZE 98304

/// The compiler's working memory. Its content before and after a call is not used. At 96 KiB it is better not on a
/// stack.
typedef struct iso_program_scratch {
    uint64_t words[ISO_PROGRAM_SCRATCH_SIZE / 8];
} iso_program_scratch;

/// Compiles a source for worlds in the plane. Allocates nothing and keeps no state; recursion is bounded by
/// ISO_PROGRAM_NESTING_MAX.
///
/// @param source   `size` bytes, need not end with a zero
/// @param error    may be NULL; filled on ISO_ERR_SCENE_INVALID
/// @return ISO_OK; ISO_ERR_SCENE_INVALID
iso_status iso_program_compile(const char *source, size_t size, iso_program_scratch *scratch, iso_program *program,
                               iso_program_error *error);

/// The same for worlds in space: vectors have three components, and each row is differentiated by every body's place
/// and by small rotations about the axes of the world.
iso_status iso_program3_compile(const char *source, size_t size, iso_program_scratch *scratch, iso_program *program,
                                iso_program_error *error);

/// 3 of a program for worlds in space, else 2.
uint32_t iso_program_dimensions(const iso_program *program);

// ---- untrusted programs --------------------------------------------------------------------------

/// Whether a program is well formed: counts, names, operations, registers written before they are read, cost, and
/// zero in all unused elements. A program that passes can be evaluated with any numbers.
/// @return ISO_OK; ISO_ERR_VERSION; ISO_ERR_MALFORMED
iso_status iso_program_check(const iso_program *program);

/// Writes the canonical bytes of a program that iso_program_check accepts.
/// @param bytes  room for ISO_PROGRAM_BYTES_MAX
/// @return the number of bytes
size_t iso_program_encode(const iso_program *program, uint8_t *bytes);

/// Reads what iso_program_encode wrote, and checks it. Each program has exactly one encoding: bytes that are accepted
/// encode to the same bytes again.
/// @param program  on error all zero
/// @return ISO_OK; ISO_ERR_TRUNCATED; ISO_ERR_VERSION; ISO_ERR_MALFORMED (also for bytes too many)
iso_status iso_program_decode(const uint8_t *bytes, size_t size, iso_program *program);

// ---- names and parameters ------------------------------------------------------------------------

/// The name of the declared body, vector or scalar with this index; "" beyond the last.
const char *iso_program_body_name(const iso_program *program, uint32_t index);
const char *iso_program_vector_name(const iso_program *program, uint32_t index);
const char *iso_program_scalar_name(const iso_program *program, uint32_t index);

/// The index of the body, vector or scalar of this name, UINT32_MAX when there is none. The name has `size`
/// characters and need not end with a zero.
uint32_t iso_program_body_find(const iso_program *program, const char *name, size_t size);
uint32_t iso_program_vector_find(const iso_program *program, const char *name, size_t size);
uint32_t iso_program_scalar_find(const iso_program *program, const char *name, size_t size);

/// Values for the declared vectors and scalars, in the order of their declaration. Q31.32, any value.
typedef struct iso_program_params {
    iso_wide vectors[ISO_PROGRAM_VECTORS_MAX][2]; // of worlds in the plane; in space 0
    iso_wide scalars[ISO_PROGRAM_SCALARS_MAX];
    iso_wide vectors3[ISO_PROGRAM_VECTORS_MAX][3]; // of worlds in space; in the plane 0
} iso_program_params;

/// Checks that parameters are within the limits of a program: each `limit`, in the order of the source, then low <=
/// high of each row, then that each row moves with a body: a gradient that is the same at all poses is at least 2^-10
/// per metre or radian, the parts of all bodies together.
/// @param wrong  may be NULL; the index of the first violated limit, limit_count plus the index of the row whose bounds
///               cross, or limit_count + row_count plus that of the row whose gradient is too small
/// @return ISO_OK; ISO_ERR_RANGE
iso_status iso_program_params_check(const iso_program *program, const iso_program_params *params, uint32_t *wrong);

#ifdef __cplusplus
}
#endif

#endif
