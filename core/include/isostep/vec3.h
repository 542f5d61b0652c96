/// Vectors and rotations of space, and arithmetic with them for games.
///
/// As in the plane (isostep/vec2.h) there are two formats of vectors: iso_vec3_wide is for positions and velocities in
/// the world, iso_vec3 for positions in a body's frame. A rotation is a unit quaternion.
///
/// Everything is integer arithmetic. Each component is rounded once, to the nearest, a half up (towards plus infinity)
/// unless stated otherwise; components that do not fit saturate. The bits are the same on every processor. No function
/// keeps state or fails; each takes some nanoseconds, those of quaternions up to a hundred. They may be called
/// anywhere, from any thread.
#ifndef ISOSTEP_VEC3_H
#define ISOSTEP_VEC3_H

#include "isostep/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Q15.16. The unit is given where one is used.
typedef struct iso_vec3 {
    fix16_t x, y, z;
} iso_vec3;

/// Q31.32.
typedef struct iso_vec3_wide {
    iso_wide x, y, z;
} iso_vec3_wide;

/// A direction, Q2.30: 2^30 is one.
typedef struct iso_unit3 {
    int32_t x, y, z;
} iso_unit3;

/// A rotation from a body's frame to the world as a unit quaternion, Q2.30: (x, y, z) is the axis times the sine of
/// half the angle, w the cosine of half the angle.
///
/// q and -q are one rotation. What the functions here return, and what a world holds, is the one whose first component
/// other than zero, in the order w, x, y, z, is positive; its length is within 2^-28 of one. They take any components:
/// other lengths stand for the rotation that iso_quat_normalize makes of them, so that all zero is no rotation.
typedef struct iso_quat {
    int32_t x, y, z, w;
} iso_quat;

/// The same vector in the other format. The conversion to Q31.32 is exact.
static inline iso_vec3_wide iso_vec3_to_wide(iso_vec3 v) {
    const iso_vec3_wide wide = {iso_wide_from_fix16(v.x), iso_wide_from_fix16(v.y), iso_wide_from_fix16(v.z)};
    return wide;
}
iso_vec3 iso_vec3_from_wide(iso_vec3_wide v);

/// A direction as a vector of length one, exact.
static inline iso_vec3_wide iso_vec3_wide_from_unit(iso_unit3 direction) {
    const iso_vec3_wide wide = {(iso_wide)direction.x * 4, (iso_wide)direction.y * 4, (iso_wide)direction.z * 4};
    return wide;
}

// ---- Q15.16 --------------------------------------------------------------------------------------

iso_vec3 iso_vec3_add(iso_vec3 a, iso_vec3 b);
iso_vec3 iso_vec3_sub(iso_vec3 a, iso_vec3 b);

/// v times a number.
iso_vec3 iso_vec3_scale(iso_vec3 v, fix16_t factor);

/// a.x b.x + a.y b.y + a.z b.z as Q31.32: exact. It saturates only where components near ±32768 meet.
iso_wide iso_vec3_dot(iso_vec3 a, iso_vec3 b);

/// (a.y b.z - a.z b.y, a.z b.x - a.x b.z, a.x b.y - a.y b.x) as Q31.32: exact.
iso_vec3_wide iso_vec3_cross(iso_vec3 a, iso_vec3 b);

/// The length as Q31.32, rounded down; it always fits.
iso_wide iso_vec3_length(iso_vec3 v);

/// The length of b - a as Q31.32, rounded down; it always fits.
iso_wide iso_vec3_distance(iso_vec3 a, iso_vec3 b);

/// The vector of length one in the direction of v, each component within 0.51 quanta; zero for zero.
iso_vec3 iso_vec3_normalize(iso_vec3 v);

/// a (1 - t) + b t: a at t = 0, b at t = 1, exactly; beyond, the line goes on.
iso_vec3 iso_vec3_lerp(iso_vec3 a, iso_vec3 b, fix16_t t);

// ---- Q31.32 --------------------------------------------------------------------------------------

iso_vec3_wide iso_vec3_wide_add(iso_vec3_wide a, iso_vec3_wide b);
iso_vec3_wide iso_vec3_wide_sub(iso_vec3_wide a, iso_vec3_wide b);

/// v times a number.
iso_vec3_wide iso_vec3_wide_scale(iso_vec3_wide v, iso_wide factor);

/// a.x b.x + a.y b.y + a.z b.z, and the cross product as in iso_vec3_cross; summed in 128 bits, rounded once,
/// saturating.
iso_wide iso_vec3_wide_dot(iso_vec3_wide a, iso_vec3_wide b);
iso_vec3_wide iso_vec3_wide_cross(iso_vec3_wide a, iso_vec3_wide b);

/// The length, rounded down, saturating.
iso_wide iso_vec3_wide_length(iso_vec3_wide v);

/// The length of b - a, rounded down, saturating. Exact where components differ by less than 2^31, as positions in a
/// world do; beyond, their difference saturates first.
iso_wide iso_vec3_wide_distance(iso_vec3_wide a, iso_vec3_wide b);

/// The vector of length one in the direction of v, each component within 1.2e-9; zero for zero. Times 2^-2 it is an
/// iso_unit3.
iso_vec3_wide iso_vec3_wide_normalize(iso_vec3_wide v);

/// a (1 - t) + b t: a at t = 0, b at t = 1, exactly; beyond, the line goes on. Where 1 - t does not fit, it saturates
/// first.
iso_vec3_wide iso_vec3_wide_lerp(iso_vec3_wide a, iso_vec3_wide b, iso_wide t);

// ---- rotations -----------------------------------------------------------------------------------

/// No rotation: (0, 0, 0, 1).
static inline iso_quat iso_quat_identity(void) {
    const iso_quat identity = {0, 0, 0, ISO_ROTATION_ONE};
    return identity;
}

/// The rotation about an axis, right-handed.
///
/// @param axis     of any length; the zero vector gives no rotation
/// @param radians  any; each component of the result is within 3 quanta (2.8e-9)
iso_quat iso_quat_from_axis_angle(iso_vec3 axis, iso_wide radians);

/// The rotation b followed by a: rotating by the product is rotating by b first. Within 3 quanta.
iso_quat iso_quat_mul(iso_quat a, iso_quat b);

/// The rotation that undoes q. Exact.
iso_quat iso_quat_conjugate(iso_quat q);

/// The quaternion of length one in the direction of q and with the sign of the state; zero gives no rotation. One
/// whose length is already within 2^-28 of one keeps its components; else each is within 2 quanta.
iso_quat iso_quat_normalize(iso_quat q);

/// v of the body's frame in the world, and v of the world in the body's frame. Each component is within a quantum and
/// 6e-9 of the length of v.
iso_vec3_wide iso_quat_rotate(iso_quat q, iso_vec3_wide v);
iso_vec3_wide iso_quat_rotate_inverse(iso_quat q, iso_vec3_wide v);

/// The angle of the rotation that takes a to b, in radians, from 0 to pi. Within 1e-8.
iso_wide iso_quat_angle(iso_quat a, iso_quat b);

#ifdef __cplusplus
}
#endif

#endif
