/// The faces of points.
#ifndef ISO_SPACE_COLLIDE_HULL_FACES_H
#define ISO_SPACE_COLLIDE_HULL_FACES_H

#include "space/collide/hull_build.h"

/// Finds the faces of the points, without rounding, in the order of the first three points of each that are on no line.
/// @return false when all points are on one plane
bool iso__space_hull_find_faces(iso__space_hull_builder *builder);

#endif
