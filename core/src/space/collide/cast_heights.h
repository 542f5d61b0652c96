/// Shapes on their way to fields of heights.
#ifndef ISO_SPACE_COLLIDE_CAST_HEIGHTS_H
#define ISO_SPACE_COLLIDE_CAST_HEIGHTS_H

#include "space/collide/cast.h"

/// Where a shape that goes straight first touches a field of heights.
///
/// @param way     of the shape's body, from the centre of the field's, in the world's orientation
/// @param extent  [m] Q31.32: no point of the shape is farther from its body's centre
/// @param hit     in the same frame
/// @return false: it does not
bool iso__space_cast_find_heights(const iso__space_collider *moving, const iso__space_collider *field,
                                  const iso__space_ray *way, int64_t extent, iso__space_cast_hit *hit);

#endif
