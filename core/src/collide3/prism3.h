/// The ground below one triangle of a field of heights, as a solid: a prism, whose sides are upright in the field's frame.
///
/// A field is the union of its prisms: what touches one of them touches the field. Of their sides only those at the
/// field's border are borders of the ground.
#ifndef ISO_COLLIDE3_PRISM3_H
#define ISO_COLLIDE3_PRISM3_H

#include "collide3/piece3.h"

/// Faces of a prism: the triangle, the floor, and three sides from here on.
enum { ISO__PRISM3_TOP, ISO__PRISM3_FLOOR, ISO__PRISM3_SIDES };

typedef struct iso__prism3 {
    iso__hull3 hull; // about its triangle's first corner, in the field's frame; a metre below its lowest one it ends
    iso__collider3 collider; // of this hull
    int64_t at[3];           // [m] Q31.32: that corner, from the centre of the field's body, in the world's orientation
    iso__piece3 piece;       // down to the field's floor, about that corner
    uint8_t inner;           // bits of the sides that another prism of the field is beside
} iso__prism3;

/// @param field  not turned in its body; its `rotation` is the body's
/// @param half   of the cell, 0 or 1: collide3/heights3.h
void iso__prism3_make(const iso__collider3 *field, int64_t column, int64_t row, uint32_t half, iso__prism3 *prism);

#endif
