/// Fewer faces of a hull.
#ifndef ISO_SPACE_COLLIDE_HULL_JOIN_H
#define ISO_SPACE_COLLIDE_HULL_JOIN_H

#include "space/collide/hull_build.h"

/// Joins faces that are nearly one.
/// @return false when less than four faces are left, or the solid has become another one: it is smaller than 2^-30 m^3,
///         or than seven eighths of what it was
bool iso__space_hull_join_faces(iso__space_hull_builder *builder);

#endif
