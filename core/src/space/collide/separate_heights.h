/// How deep pieces are in fields of heights.
#ifndef ISO_SPACE_COLLIDE_SEPARATE_HEIGHTS_H
#define ISO_SPACE_COLLIDE_SEPARATE_HEIGHTS_H

#include "space/collide/piece.h"

/// [m] Q31.32: no deeper overlap is told.
#define ISO__SPACE_HEIGHTS_DEEPEST (ISO__SPACE_HEIGHTS_DEPTH * 256)

/// @param piece  about the centre of the field's body, in the world's orientation; no half-space
/// @return [m] Q31.32, 0 or less when the piece touches the ground below a triangle: the least translation that parts
/// it from
///         that ground alone, of the triangle from which it is the largest, at least -ISO__SPACE_HEIGHTS_DEEPEST. Above
///         zero it is not how far they are apart.
int64_t iso__space_piece_separate_heights(const iso__space_piece *piece, const iso__space_collider *field);

#endif
