/// Vectors of the plane, and arithmetic with them for games.
///
/// Two formats: iso_vec2_wide is for positions and velocities in the world, iso_vec2 for positions in a body's frame,
/// such as corners and anchors. A program whose world is small may keep positions in iso_vec2, too, and pass
/// iso_vec2_to_wide(position).
///
/// Everything is exact integer arithmetic that is rounded once, to the nearest, a half up (towards plus infinity)
/// unless stated otherwise. Components that do not fit saturate. The bits are the same on every processor. No function
/// keeps state or fails; each takes some nanoseconds. They may be called anywhere, from any thread.
#ifndef ISOSTEP_VEC2_H
#define ISOSTEP_VEC2_H

#include "isostep/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Q15.16. The unit is given where one is used.
typedef struct iso_vec2 {
    fix16_t x, y;
} iso_vec2;

/// Q31.32.
typedef struct iso_vec2_wide {
    iso_wide x, y;
} iso_vec2_wide;

/// A direction, Q2.30: 2^30 is one.
typedef struct iso_unit2 {
    int32_t x, y;
} iso_unit2;

/// The same vector in the other format. The conversion to Q31.32 is exact.
static inline iso_vec2_wide iso_vec2_to_wide(iso_vec2 v) {
    const iso_vec2_wide wide = {iso_wide_from_fix16(v.x), iso_wide_from_fix16(v.y)};
    return wide;
}
iso_vec2 iso_vec2_from_wide(iso_vec2_wide v);

/// A direction as a vector of length one, exact.
static inline iso_vec2_wide iso_vec2_wide_from_unit(iso_unit2 direction) {
    const iso_vec2_wide wide = {(iso_wide)direction.x * 4, (iso_wide)direction.y * 4};
    return wide;
}

// ---- Q15.16 --------------------------------------------------------------------------------------

iso_vec2 iso_vec2_add(iso_vec2 a, iso_vec2 b);
iso_vec2 iso_vec2_sub(iso_vec2 a, iso_vec2 b);

/// v times a number.
iso_vec2 iso_vec2_scale(iso_vec2 v, fix16_t factor);

/// a.x b.x + a.y b.y as Q31.32: exact. It saturates only if all four are ISO_FIX16_MIN.
iso_wide iso_vec2_dot(iso_vec2 a, iso_vec2 b);

/// a.x b.y - a.y b.x as Q31.32: exact. Above 0 when b is to the left of a.
iso_wide iso_vec2_cross(iso_vec2 a, iso_vec2 b);

/// The length as Q31.32, rounded down; it always fits.
iso_wide iso_vec2_length(iso_vec2 v);

/// The length of b - a as Q31.32, rounded down; it always fits.
iso_wide iso_vec2_distance(iso_vec2 a, iso_vec2 b);

/// The vector of length one in the direction of v, each component within 0.51 quanta; zero for zero.
iso_vec2 iso_vec2_normalize(iso_vec2 v);

/// v turned counter-clockwise by a rotation; and by an angle in turns, of which the low 32 bits count: 2^32 is one
/// turn. To turn several vectors by the same angle, compute the rotation once with iso_rotation_make.
iso_vec2 iso_vec2_rotate(iso_vec2 v, iso_rotation rotation);
iso_vec2 iso_vec2_rotate_turns(iso_vec2 v, iso_wide turns);

/// a (1 - t) + b t: a at t = 0, b at t = 1, exactly; beyond, the line goes on.
iso_vec2 iso_vec2_lerp(iso_vec2 a, iso_vec2 b, fix16_t t);

// ---- Q31.32 --------------------------------------------------------------------------------------

iso_vec2_wide iso_vec2_wide_add(iso_vec2_wide a, iso_vec2_wide b);
iso_vec2_wide iso_vec2_wide_sub(iso_vec2_wide a, iso_vec2_wide b);

/// v times a number.
iso_vec2_wide iso_vec2_wide_scale(iso_vec2_wide v, iso_wide factor);

/// a.x b.x + a.y b.y and a.x b.y - a.y b.x, summed in 128 bits, rounded once, saturating.
iso_wide iso_vec2_wide_dot(iso_vec2_wide a, iso_vec2_wide b);
iso_wide iso_vec2_wide_cross(iso_vec2_wide a, iso_vec2_wide b);

/// The length, rounded down, saturating.
iso_wide iso_vec2_wide_length(iso_vec2_wide v);

/// The length of b - a, rounded down, saturating. Exact where components differ by less than 2^31, as positions in a
/// world do; beyond, their difference saturates first.
iso_wide iso_vec2_wide_distance(iso_vec2_wide a, iso_vec2_wide b);

/// The vector of length one in the direction of v, each component within 1.2e-9; zero for zero. Times 2^-2 it is an
/// iso_unit2.
iso_vec2_wide iso_vec2_wide_normalize(iso_vec2_wide v);

/// v turned counter-clockwise by a rotation; and by an angle in turns, of which the low 32 bits count.
iso_vec2_wide iso_vec2_wide_rotate(iso_vec2_wide v, iso_rotation rotation);
iso_vec2_wide iso_vec2_wide_rotate_turns(iso_vec2_wide v, iso_wide turns);

/// a (1 - t) + b t: a at t = 0, b at t = 1, exactly; beyond, the line goes on. Where 1 - t does not fit, it saturates
/// first.
iso_vec2_wide iso_vec2_wide_lerp(iso_vec2_wide a, iso_vec2_wide b, iso_wide t);

#ifdef __cplusplus
}
#endif

#endif
