/// Vectors of a blueprint in the world.
#ifndef ISO_PLANE_COMPOUND_FRAME_H
#define ISO_PLANE_COMPOUND_FRAME_H

#include "isostep/fixed.h"
#include "isostep/vec2.h"
#include "math/wide128.h"

/// A vector turned, Q31.32, rounded once; exact for the rotation by nothing. Saturates.
static inline iso_vec2_wide iso__plane_frame_turn(iso_rotation q, iso_vec2_wide v) {
    return (iso_vec2_wide){iso__dot_shift(q.c, v.x, -(int64_t)q.s, v.y, 30), iso__dot_shift(q.s, v.x, q.c, v.y, 30)};
}

#endif
