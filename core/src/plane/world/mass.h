/// Mass, centre and inertia from shapes.
#ifndef ISO_PLANE_WORLD_MASS_H
#define ISO_PLANE_WORLD_MASS_H

#include "plane/world/plane.h"
#include "solver/mass.h"

/// Integrals over a body's shapes in scaled units: lengths are divided by 2^exponent, which keeps them near
/// one, so that a pebble's inertia has as many significant bits as a platform's. All Q31.32.
typedef struct iso__plane_mass_sums {
    int64_t mass;     // sum of density * area
    int64_t first[2]; // sum of density * integral of position
    int64_t second;   // sum of density * integral of |position|^2, about the body's origin
    int8_t exponent;
} iso__plane_mass_sums;

/// Adds a shape's integrals to the sums. sums->exponent is set by the caller: 2^exponent [m] is at least the
/// largest distance of any point of the body's shapes from its origin.
void iso__plane_mass_add_shape(iso__plane_mass_sums *sums, const iso__plane_shape *shape);

/// The largest distance [m] Q7.24 of any point of a shape from (x, y), rounded up. The point is in the
/// body's frame, Q7.24. Saturates.
int32_t iso__plane_shape_extent(const iso__plane_shape *shape, int32_t x, int32_t y);

#endif
