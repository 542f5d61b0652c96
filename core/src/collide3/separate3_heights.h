/// How deep pieces are in fields of heights.
#ifndef ISO_COLLIDE3_SEPARATE3_HEIGHTS_H
#define ISO_COLLIDE3_SEPARATE3_HEIGHTS_H

#include "collide3/piece3.h"

/// [m] Q31.32: no deeper overlap is told.
#define ISO__HEIGHTS3_DEEPEST (ISO__HEIGHTS3_DEPTH * 256)

/// @param piece  about the centre of the field's body, in the world's orientation; no half-space
/// @return [m] Q31.32, 0 or less when the piece touches the ground below a triangle: the least translation that parts it from
///         that ground alone, of the triangle from which it is the largest, at least -ISO__HEIGHTS3_DEEPEST. Above zero it is
///         not how far they are apart.
int64_t iso__piece3_separate_heights(const iso__piece3 *piece, const iso__collider3 *field);

#endif
