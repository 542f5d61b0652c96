/// The ground below one triangle of a field of heights, as a solid: a prism, whose sides are upright in the field's
/// frame.
///
/// A field is the union of its prisms: what touches one of them touches the field. Of their sides only those at the
/// field's border are borders of the ground.
#ifndef ISO_SPACE_COLLIDE_PRISM_H
#define ISO_SPACE_COLLIDE_PRISM_H

#include "space/collide/piece.h"

/// Faces of a prism: the triangle, the floor, and three sides from here on.
enum { ISO__SPACE_PRISM_TOP, ISO__SPACE_PRISM_FLOOR, ISO__SPACE_PRISM_SIDES };

typedef struct iso__space_prism {
    iso__space_hull
        hull; // about its triangle's first corner, in the field's frame; a metre below its lowest one it ends
    iso__space_collider collider; // of this hull
    int64_t at[3];          // [m] Q31.32: that corner, from the centre of the field's body, in the world's orientation
    iso__space_piece piece; // down to the field's floor, about that corner
    uint8_t inner;          // bits of the sides that another prism of the field is beside
} iso__space_prism;

/// @param field  not turned in its body; its `rotation` is the body's
/// @param half   of the cell, 0 or 1: space/collide/heights.h
void iso__space_prism_make(const iso__space_collider *field, int64_t column, int64_t row, uint32_t half,
                           iso__space_prism *prism);

#endif
