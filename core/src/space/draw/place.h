/// Where bodies in space are drawn: at their own poses, or at those that the caller shows.
#ifndef ISO_SPACE_DRAW_PLACE_H
#define ISO_SPACE_DRAW_PLACE_H

#include "isostep/draw3.h"
#include "space/world/space.h"

typedef struct iso__space_draw_place {
    iso_vec3_wide position; // [m] of the origin
    iso_vec3_wide centre;   // [m] of the centre of mass
    int32_t rotation[9];    // Q2.30, body to world, rows
    int32_t quat[4];        // Q2.30, the same
} iso__space_draw_place;

/// The place of a live body.
void iso__space_draw_place_of(const iso_draw3 *draw, uint32_t body, iso__space_draw_place *place);

/// Where a point [m] of the world that is fixed to a live body is drawn.
iso_vec3_wide iso__space_draw_carry(const iso_draw3 *draw, uint32_t body, iso_vec3_wide at);

/// A point beside another one, by a vector of a body's frame [m] Q7.24.
iso_vec3_wide iso__space_draw_beside(iso_vec3_wide from, const int32_t rotation[9], const int32_t by[3]);

#endif
