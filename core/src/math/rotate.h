/// Vectors of one frame in another that is turned against it.
#ifndef ISO_MATH_ROTATE_H
#define ISO_MATH_ROTATE_H

#include "isostep/fixed.h"
#include "isostep/vec2.h"
#include "math/fixed_ops.h"

/// A vector of the body's frame, Q7.24, in the world's frame, Q31.32.
static inline iso_vec2_wide iso__rotate_to_wide(iso_rotation q, int32_t x, int32_t y) {
    // Q2.30 * Q7.24 = Q.54, rounded once to Q.32.
    const int64_t rx = (int64_t)q.c * x - (int64_t)q.s * y;
    const int64_t ry = (int64_t)q.s * x + (int64_t)q.c * y;
    return (iso_vec2_wide){(rx + (INT64_C(1) << 21)) >> 22, (ry + (INT64_C(1) << 21)) >> 22};
}

/// A unit vector, Q2.30, of a body's frame in the world.
static inline void iso__rotate_unit(iso_rotation q, const int32_t local[2], int32_t world[2]) {
    world[0] = (int32_t)iso__round_shift((int64_t)q.c * local[0] - (int64_t)q.s * local[1], ISO__UNIT_FRACTION);
    world[1] = (int32_t)iso__round_shift((int64_t)q.s * local[0] + (int64_t)q.c * local[1], ISO__UNIT_FRACTION);
}

#endif
