/// Shapes of worlds in space where they are, as space/collide/ takes them.
#ifndef ISO_SPACE_WORLD_GEOMETRY_H
#define ISO_SPACE_WORLD_GEOMETRY_H

#include "space/collide/hull.h"
#include "space/collide/manifold.h"
#include "space/world/space.h"

/// A record of a shape as a collider.
/// @param centre    [m] Q7.24, of mass, in the body's frame
/// @param rotation  of the body
/// Of heights it is the place alone: the samples are a world's.
/// @param hull      a hull's solid about the centre of mass; else unused
void iso__space_shape_collider(const iso__space_shape *shape, const int32_t centre[3], const int32_t rotation[9],
                               const iso__space_hull *hull, iso__space_collider *collider);

/// The solid of a hull shape about the centre of mass: the world's, or one that is made in `room` where that is not
/// there yet, since the shape came with an image. For who must not change the world.
const iso__space_hull *iso__space_hull_of(const iso__space *space, uint32_t shape, iso__space_hull *room);

/// The collider of a shape at its body's pose, of a world whose hulls are there: iso__space_hulls_refresh.
void iso__space_collider_of(const iso__space *space, uint32_t shape, iso__space_collider *collider);

/// The same at any time, with iso__space_hull_of.
void iso__space_collider_make(const iso__space *space, uint32_t shape, iso__space_hull *room,
                              iso__space_collider *collider);

#endif
