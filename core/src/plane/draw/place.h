/// Where bodies are drawn: at their own poses, or at those that the caller shows.
#ifndef ISO_PLANE_DRAW_PLACE_H
#define ISO_PLANE_DRAW_PLACE_H

#include "isostep/draw.h"
#include "plane/world/plane.h"

typedef struct iso__plane_draw_place {
    iso_vec2_wide position; // [m] of the origin
    iso_vec2_wide centre;   // [m] of the centre of mass
    iso_rotation rotation;
    iso_wide turns; // [turns]
} iso__plane_draw_place;

/// The place of a live body.
iso__plane_draw_place iso__plane_draw_place_of(const iso_draw *draw, uint32_t body);

/// Where a point [m] and an angle [rad] that are fixed to a live body are drawn.
iso_vec2_wide iso__plane_draw_carry(const iso_draw *draw, uint32_t body, iso_vec2_wide at);
iso_wide iso__plane_draw_carry_angle(const iso_draw *draw, uint32_t body, iso_wide angle);

#endif
