/// Mass, centre and inertia of shapes in space.
#ifndef ISO_WORLD3_MASS3_H
#define ISO_WORLD3_MASS3_H

#include "world3/world3.h"

/// Integrals over a body's shapes in scaled units: lengths are divided by 2^exponent, which keeps them near one. All
/// Q31.32.
typedef struct iso__mass3_sums {
    int64_t mass;      // sum of density * volume
    int64_t first[3];  // sum of density * integral of position
    int64_t second[6]; // sum of density * integral of xx, yy, zz, xy, xz, yz
    int8_t exponent;
} iso__mass3_sums;

/// Adds a shape's integrals about the point `centre` [m] Q7.24 of the body's frame. sums->exponent is set by the caller:
/// 2^exponent [m] is at least the largest distance of any point of the body's shapes from the centre.
void iso__mass3_add_shape(iso__mass3_sums *sums, const iso__shape3 *shape, const int32_t centre[3]);

/// The largest distance [m] Q7.24 of any point of a shape from a point of the body's frame, rounded up; of a plane 0.
int32_t iso__shape3_extent(const iso__shape3 *shape, const int32_t from[3]);

/// The same along an axis, a unit vector Q2.30 of the body's frame.
int32_t iso__shape3_extent_along(const iso__shape3 *shape, const int32_t from[3], const int32_t axis[3]);

#endif
