/// The nearest point of a field of heights.
#ifndef ISO_SPACE_COLLIDE_CLOSEST_HEIGHTS_H
#define ISO_SPACE_COLLIDE_CLOSEST_HEIGHTS_H

#include "space/collide/closest.h"

/// The point of a field's border that is nearest to another point: of its surface, its floor, or the upright sides
/// between the borders of both. Of several as near one, the same everywhere.
///
/// @param p      [m] Q31.32, from the centre of the field's body, in the world's orientation
/// @param reach  [m] Q31.32: what is farther need not be found
/// @return false: it is farther than `reach`. Inside of the ground it is always found.
bool iso__space_heights_closest(const iso__space_collider *field, const int64_t p[3], int64_t reach,
                                iso__space_piece_point *closest);

#endif
