/// Evaluates compiled constraints.
#ifndef ISO_SYMBOLIC_EVALUATE_H
#define ISO_SYMBOLIC_EVALUATE_H

#include "symbolic/program.h"

/// That of worlds in space of 3 dimensions, else of the plane.
const iso__layout *iso__layout_of(uint32_t dimensions);
static inline const iso__layout *iso__program_layout(const iso_program *program) {
    return iso__layout_of(iso_program_dimensions(program));
}

/// The operands an operation has, 0 for a number that is none.
uint32_t iso__operation_operands(uint8_t operation);
uint32_t iso__operation_cost(uint8_t operation);

/// One operation; the operands are numbers that a register holds, and so is the result. An unknown operation
/// gives 0. The compiler folds constants with the same function.
int64_t iso__operate(uint8_t operation, int64_t a, int64_t b, int64_t c, int64_t d);

/// Evaluates rows and Jacobian of a program that iso_program_check accepts. Any inputs are allowed.
/// @param bodies  body_count of them
/// @param rows    the first row_count rows and body_count columns are written
void iso__program_evaluate(const iso_program *program, const iso__program_body *bodies,
                           const iso_program_params *params, iso__program_rows *rows);
/// The same of a program for worlds in space.
void iso__program3_evaluate(const iso_program *program, const iso_constraint3_body *bodies,
                            const iso_program_params *params, iso__program_rows *rows);

/// Whether a row with this gradient at all poses has too small a K (below 2^-20, solver/axis.c) for any bodies:
/// the parts of its bodies together are below 2^-10. A turn counts 2^13 times in a row of lengths, since a disc of 2^-8
/// m, the smallest, has 2^8 radians to a metre, and t of the row is at most 500; in space 2^16 times, as G is at most
/// 2^16.
/// @param columns  J, body after body
bool iso__program_gradient_is_small(const iso__layout *layout, const iso_wide *columns, uint32_t body_count);

/// The bounds of each row, of parameters alone.
/// @return the index of the first limit that the parameters do not keep, limit_count plus that of the first row
///         with low > high, or UINT32_MAX when all are kept
uint32_t iso__program_limits(const iso_program *program, const iso_program_params *params, iso__program_bounds *bounds);

#endif
