/// Shapes of worlds in space where they are, as collide3/ takes them.
#ifndef ISO_WORLD3_GEOMETRY3_H
#define ISO_WORLD3_GEOMETRY3_H

#include "collide3/hull3.h"
#include "collide3/manifold3.h"
#include "world3/world3.h"

/// A record of a shape as a collider.
/// @param centre    [m] Q7.24, of mass, in the body's frame
/// @param rotation  of the body
/// Of heights it is the place alone: the samples are a world's.
/// @param hull      a hull's solid about the centre of mass; else unused
void iso__shape3_collider(const iso__shape3 *shape, const int32_t centre[3], const int32_t rotation[9],
                          const iso__hull3 *hull, iso__collider3 *collider);

/// The solid of a hull shape about the centre of mass: the world's, or one that is made in `room` where that is not there
/// yet, since the shape came with an image. For who must not change the world.
const iso__hull3 *iso__hull3_of(const iso__space *space, uint32_t shape, iso__hull3 *room);

/// The collider of a shape at its body's pose, of a world whose hulls are there: iso__hulls3_refresh.
void iso__collider3_of(const iso__space *space, uint32_t shape, iso__collider3 *collider);

/// The same at any time, with iso__hull3_of.
void iso__collider3_make(const iso__space *space, uint32_t shape, iso__hull3 *room, iso__collider3 *collider);

#endif
