/// The hulls of a world's shapes: made once, moved with their bodies' centres of mass.
#ifndef ISO_SPACE_WORLD_HULLS_H
#define ISO_SPACE_WORLD_HULLS_H

#include "space/collide/hull.h"
#include "space/world/mass.h"
#include "space/world/space.h"

/// Radii that a body of the same shapes has about the origin, which may be far away, and about points between the
/// shapes: the last are within a factor of two.
#define ISO__SPACE_HULL_SOLIDS 3

/// The integrals of a hull in the units in which they were asked for last. They follow from the hull and the unit.
typedef struct iso__space_hull_solids {
    iso__space_solid solids[ISO__SPACE_HULL_SOLIDS];
    int8_t exponents[ISO__SPACE_HULL_SOLIDS];
    uint8_t count, next;
} iso__space_hull_solids;

/// The solid of a hull's points about a point of the body's frame. A definition and a snapshot are refused when they
/// make none.
void iso__space_shape_make_hull(const iso__space_shape *shape, const int32_t centre[3], iso__space_hull *hull);

/// Makes a shape's hull about a point, in the world.
void iso__space_hulls_make(iso__space *space, uint32_t shape, const int32_t centre[3]);

/// Makes those of a body's hulls about its centre of mass that another image left, so that they can be moved.
void iso__space_hulls_refresh_body(iso__space *space, uint32_t body);

/// Makes the hulls again that came with an image, which has none.
void iso__space_hulls_refresh(iso__space *space);

/// Moves the hulls of a list of shapes from about one point to about another: the same bits as if they were made there,
/// since a hull does not depend on where it is.
void iso__space_hulls_move(iso__space *space, uint32_t first_shape, const int32_t from[3], const int32_t to[3]);

/// The integrals of a shape's hull, which is there.
///
/// @param about  [m] Q7.24 of the body's frame: what point the hull is about
const iso__space_solid *iso__space_hulls_solid(const iso__space *space, uint32_t shape, const int32_t about[3],
                                               int8_t exponent);

#endif
