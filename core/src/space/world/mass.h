/// Mass, centre and inertia of shapes in space.
#ifndef ISO_SPACE_WORLD_MASS_H
#define ISO_SPACE_WORLD_MASS_H

#include "math/wide128.h"
#include "space/collide/hull.h"
#include "space/world/space.h"

/// Integrals over a body's shapes in scaled units: lengths are divided by 2^exponent, so that none is above one. All
/// have 76 fraction bits: 60 of a volume, so that a plank's thickness has enough of them, and 16 of a density. A term
/// is below 2^94, and there are at most 2^20.
typedef struct iso__space_mass_sums {
    iso__int128 mass;      // sum of density * volume
    iso__int128 first[3];  // sum of density * integral of position
    iso__int128 second[6]; // sum of density * integral of xx, yy, zz, xy, xz, yz
    int8_t exponent;
} iso__space_mass_sums;

#define ISO__SPACE_MASS_FRACTION 76

/// The integrals of one shape for density one, Q.60, scaled: a shape lies in the unit ball, whose volume is 4.2.
typedef struct iso__space_solid {
    int64_t volume;
    int64_t middle[3]; // [m] Q.24 of the body's frame, not scaled
    int64_t second[6]; // about the middle
} iso__space_solid;

/// The integrals of a hull in units of 2^exponent.
///
/// @param about  [m] Q7.24 of the body's frame: what point the hull is about
void iso__space_mass_of_hull(const iso__space_hull *hull, const int32_t about[3], int8_t exponent,
                             iso__space_solid *is);

/// Adds a shape's integrals about the point `centre` [m] Q7.24 of the body's frame. sums->exponent is set by the
/// caller: 2^exponent [m] is at least the largest distance of any point of the body's shapes from the centre.
/// @param hull  of a hull: iso__space_mass_of_hull in the same units; of other kinds unused
void iso__space_mass_add_shape(iso__space_mass_sums *sums, const iso__space_shape *shape, const iso__space_solid *hull,
                               const int32_t centre[3]);

/// The largest distance [m] Q7.24 of any point of a shape from a point of the body's frame, rounded up; of a plane 0.
int32_t iso__space_shape_extent(const iso__space_shape *shape, const int32_t from[3]);

/// The same along an axis, a unit vector Q2.30 of the body's frame.
int32_t iso__space_shape_extent_along(const iso__space_shape *shape, const int32_t from[3], const int32_t axis[3]);

#endif
