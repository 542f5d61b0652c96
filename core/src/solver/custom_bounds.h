/// The rows of a custom joint and their bounds, by its program or its functions and its parameters.
#ifndef ISO_SOLVER_CUSTOM_BOUNDS_H
#define ISO_SOLVER_CUSTOM_BOUNDS_H

#include "isostep/constraint.h"
#include "solver/axis.h"
#include "world/constraint.h"

/// What results of programs and functions are clamped to where they enter, Q31.32: J, C and bounds.
#define ISO__CUSTOM_JACOBIAN_MAX (INT64_C(1) << 50)
#define ISO__CUSTOM_ERROR_MAX    (INT64_C(1) << 56)
#define ISO__CUSTOM_BOUND_MAX    (INT64_C(1) << 57)

/// The constraints of each row: a bit of iso__axis_row per row of an axis (a hold, or limits, or none), and its bounds.
typedef struct iso__custom_bounds {
    uint32_t rows[ISO_CONSTRAINT_ROWS_MAX];
    bool is_linear[ISO_CONSTRAINT_ROWS_MAX];
    bool is_velocity[ISO_CONSTRAINT_ROWS_MAX];
    iso_wide low[ISO_CONSTRAINT_ROWS_MAX], high[ISO_CONSTRAINT_ROWS_MAX];
} iso__custom_bounds;

iso__custom_bounds iso__custom_bounds_of(iso__custom_source source, const iso_program_params *params,
                                         const iso_wide *state);

#endif
