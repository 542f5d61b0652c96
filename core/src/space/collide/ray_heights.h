/// Rays at fields of heights.
#ifndef ISO_SPACE_COLLIDE_RAY_HEIGHTS_H
#define ISO_SPACE_COLLIDE_RAY_HEIGHTS_H

#include "space/collide/ray.h"

/// Where a ray meets the surface of a field of heights from above.
///
/// @param ray     from the centre of the field's body, in the world's orientation; anywhere
/// @param s       [m] Q31.32 along the ray, 0 to its reach; 0 where it begins below the surface
/// @param normal  Q2.30, in the world, out of the ground; zero where it begins below the surface
/// @return false when it does not
bool iso__space_ray_enter_heights(const iso__space_ray *ray, const iso__space_collider *field, int64_t *s,
                                  int32_t normal[3]);

#endif
