/// See custom_bounds.h.
#include "solver/custom_bounds.h"

#include <string.h>

#include "base/assert.h"
#include "symbolic/evaluate.h"

/// The rows of an axis that keep x from low to high.
static uint32_t custom_rows(iso_wide low, iso_wide high) {
    const uint32_t lower = low != ISO_WIDE_MIN ? 1u << ISO__AXIS_LOWER : 0,
                   upper = high != ISO_WIDE_MAX ? 1u << ISO__AXIS_UPPER : 0;
    return low == high ? 1u << ISO__AXIS_HOLD : lower | upper;
}

iso__custom_bounds iso__custom_bounds_of(iso__custom_source source, const iso_program_params *params,
                                         const iso_wide *state) {
    iso__custom_bounds bounds = {0};
    const uint32_t row_count = iso__custom_shape_of(source).row_count;
    ISO_ASSERT(row_count <= ISO_CONSTRAINT_ROWS_MAX);
    if (source.program != NULL) {
        iso__program_bounds of_program;
        iso__program_limits(source.program, params, &of_program);
        memcpy(bounds.low, of_program.low, sizeof bounds.low);
        memcpy(bounds.high, of_program.high, sizeof bounds.high);
    } else if (source.constraint->bounds != NULL) {
        source.constraint->bounds(params, state, bounds.low, bounds.high);
    }
    for (uint32_t r = 0; r < row_count; ++r) {
        bounds.rows[r] = custom_rows(bounds.low[r], bounds.high[r]);
        bounds.is_linear[r] = iso__custom_row_is_linear(source, r);
        bounds.is_velocity[r] = iso__custom_row_is_velocity(source, r);
    }
    return bounds;
}
