/// How far two convex pieces are apart.
#ifndef ISO_SPACE_COLLIDE_SEPARATE_H
#define ISO_SPACE_COLLIDE_SEPARATE_H

#include "space/collide/piece.h"

/// How far two pieces are apart; negative: the least translation that parts them. Two solids that are apart may be
/// farther: then it is how far they are along the best of their faces' normals, or, when that is less than 1e-6 m, of
/// the crosses of their edges, too, which is above zero as long as they are apart. Two half-spaces never meet.
///
/// @param axis  Q2.30, the direction from a to b along which they are as far apart
/// @return [m] Q31.32. Their coordinates must be within 400 m unless one is a half-space.
int64_t iso__space_piece_separate(const iso__space_piece *a, const iso__space_piece *b, int32_t axis[3]);

#endif
