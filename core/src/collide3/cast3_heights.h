/// Shapes on their way to fields of heights.
#ifndef ISO_COLLIDE3_CAST3_HEIGHTS_H
#define ISO_COLLIDE3_CAST3_HEIGHTS_H

#include "collide3/cast3.h"

/// Where a shape that goes straight first touches a field of heights.
///
/// @param way     of the shape's body, from the centre of the field's, in the world's orientation
/// @param extent  [m] Q31.32: no point of the shape is farther from its body's centre
/// @param hit     in the same frame
/// @return false: it does not
bool iso__cast3_find_heights(const iso__collider3 *moving, const iso__collider3 *field, const iso__ray3 *way,
                             int64_t extent, iso__cast3_hit *hit);

#endif
