/// Unit quaternions of the solver: rotations from body to world and how they turn.
///
/// q is int32_t[4], (x, y, z, w), Q2.30. Every function keeps its length within 2^-28 of one, and needs no more: the
/// sums of its products are below the product of two lengths (Cauchy and Schwarz), which for a quaternion and one in
/// Q.32 is 2^62. What takes a result may be given an argument's array.
///
/// A rotation by a vector a of half the angle (axis times half the angle, radians) is (sin|a| a/|a|, cos|a|). With
/// x = |a|^2 both are series in x, so that no root is taken: sin|a| / |a| = 1 - x/6 + x^2/120 - ..., cos|a| = 1 - x/2 +
/// x^2/24 - ...
#ifndef ISO_MATH_QUAT_H
#define ISO_MATH_QUAT_H

#include <stdbool.h>

#include "isostep/fixed.h"
#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"

/// Half-angle vectors, and the largest length that the series take: pi/4.
#define ISO__HALF_FRACTION 48
#define ISO__HALF_MAX      INT64_C(221069929750888)

/// The sine and cosine of an angle, Q.32, each within 2 quanta.
typedef struct iso__sine_cosine {
    int64_t sine, cosine;
} iso__sine_cosine;

// ---- length and sign -----------------------------------------------------------------------------

/// 1 - |q|^2 with 60 fraction bits, exact for |q| < 2^31, such as all that is near one.
static inline int64_t iso__quat_length_error(const int32_t q[4]) {
    uint64_t squared = 0;
    for (int i = 0; i < 4; ++i) {
        squared += (uint64_t)iso__mul32(q[i], q[i]);
    }
    return (int64_t)((UINT64_C(1) << 60) - squared);
}

/// Makes the length one by a Newton step of 1/sqrt(1 - e), q (1 + e/2): within a quantum where |e| < 2^-15.
static inline void iso__quat_renormalise(int32_t q[4]) {
    const int64_t e = iso__quat_length_error(q);
    ISO_VALIDATE_ASSERT(e > -(INT64_C(1) << 45) && e < INT64_C(1) << 45);
    for (int i = 0; i < 4; ++i) {
        // 2^29 times 2^30; the 16 bits that are left out are 2^-15 of a quantum.
        q[i] = iso__add32(q[i], (int32_t)iso__round_shift((e >> 16) * q[i], 45));
    }
}

/// Whether the first component other than zero, in the order w, x, y, z, is positive. q and -q are one rotation, and
/// the state has one name for each.
static inline bool iso__quat_is_canonical(const int32_t q[4]) {
    const int32_t first = q[3] != 0 ? q[3] : q[0] != 0 ? q[0] : q[1] != 0 ? q[1] : q[2];
    return first > 0;
}

/// Takes -q for q where the sign is not the state's.
static inline void iso__quat_canonical(int32_t q[4]) {
    if (!iso__quat_is_canonical(q)) {
        for (int i = 0; i < 4; ++i) {
            q[i] = iso__neg32(q[i]);
        }
    }
}

/// Whether the length is within 2^-28 of one. Any components.
static inline bool iso__quat_is_unit(const int32_t q[4]) {
    // Four times INT32_MIN wraps to the length zero, which is not one either.
    return iso__abs_u64(iso__quat_length_error(q)) <= UINT64_C(1) << 33;
}

/// Whether q may stand in the state: of length one, with the state's sign. Any components.
static inline bool iso__quat_is_state(const int32_t q[4]) {
    return iso__quat_is_unit(q) && iso__quat_is_canonical(q);
}

/// The quaternion of length one in the direction of v, of any common format; each component within 2 quanta. Zero
/// gives no rotation. The sign stays.
static inline void iso__normalize4(const int64_t v[4], int32_t q[4]) {
    if (iso__normalize_many(v, 4, q) == 0) {
        q[3] = ISO__UNIT_ONE;
    }
    iso__quat_renormalise(q);
}

// ---- products ------------------------------------------------------------------------------------

/// a b, exact: the rotation b, then a. Q of the sum of both fractions; |a| |b| < 2^63.
static inline void iso__quat_product(const int64_t a[4], const int32_t b[4], int64_t product[4]) {
    // The four products of a sum, and so any of them, are below |a| |b|.
    const int64_t x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const int64_t y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    const int64_t z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    product[0] = x;
    product[1] = y;
    product[2] = z;
}

/// The product rounded to Q2.30.
static inline void iso__quat_product_shift(const int64_t a[4], const int32_t b[4], unsigned shift, int32_t result[4]) {
    int64_t product[4];
    iso__quat_product(a, b, product);
    for (int i = 0; i < 4; ++i) {
        result[i] = iso__round_shift32(product[i], shift);
    }
}

/// a b: the rotation b, then a. Each component is rounded once; the length is not restored.
static inline void iso__quat_mul(const int32_t a[4], const int32_t b[4], int32_t result[4]) {
    iso__quat_product_shift((const int64_t[4]){a[0], a[1], a[2], a[3]}, b, ISO__UNIT_FRACTION, result);
}

/// conj(a) b: the frame b seen from the frame a, as of the two bodies of a joint. As iso__quat_mul.
static inline void iso__quat_conj_mul(const int32_t a[4], const int32_t b[4], int32_t result[4]) {
    const int64_t conj[4] = {-(int64_t)a[0], -(int64_t)a[1], -(int64_t)a[2], a[3]};
    iso__quat_product_shift(conj, b, ISO__UNIT_FRACTION, result);
}

/// The matrix of q, in rows, Q2.30, each entry rounded once. Its determinant is one: the diagonal is 1 - 2 (y^2 + z^2)
/// and so on, so that what q's length is off by changes no sign and at most 2^-27 of the length of what is rotated.
static inline void iso__quat_matrix(const int32_t q[4], int32_t R[9]) {
    const int64_t x = q[0], y = q[1], z = q[2], w = q[3];
    const unsigned shift = ISO__UNIT_FRACTION - 1; // twice the products of Q.60, up to 2^31
    R[0] = iso__narrow32(ISO__UNIT_ONE - iso__round_shift(y * y + z * z, shift));
    R[1] = iso__round_shift32(x * y - w * z, shift);
    R[2] = iso__round_shift32(x * z + w * y, shift);
    R[3] = iso__round_shift32(x * y + w * z, shift);
    R[4] = iso__narrow32(ISO__UNIT_ONE - iso__round_shift(x * x + z * z, shift));
    R[5] = iso__round_shift32(y * z - w * x, shift);
    R[6] = iso__round_shift32(x * z - w * y, shift);
    R[7] = iso__round_shift32(y * z + w * x, shift);
    R[8] = iso__narrow32(ISO__UNIT_ONE - iso__round_shift(x * x + y * y, shift));
}

// ---- turning -------------------------------------------------------------------------------------

/// sin|a| / |a| and cos|a| in Q.36 of x = |a|^2 in Q.36, by Horner to x^6; x <= (pi/4)^2. What is left out is below
/// 2^-41. The coefficients are 2^36 / n!, rounded.
static inline void iso__half_angle_series(int64_t x, int64_t *sine_ratio, int64_t *cosine) {
    if (x == 0) { // of what hardly turns, as all that rests: what follows then gives just this
        *sine_ratio = *cosine = INT64_C(1) << 36;
        return;
    }
    // x is below 2^35.3: with coefficients below 2^27.6 a product fits 64 bits.
    int64_t s = 1722 - iso__round_shift(11 * x, 36);
    s = 189372 - iso__round_shift(s * x, 36);
    s = 13634817 - iso__round_shift(s * x, 36);
    s = 572662306 - iso__round_shift(s * x, 36);
    s = INT64_C(11453246123) - iso__mul_narrow(s, x, 36);
    *sine_ratio = (INT64_C(1) << 36) - iso__mul_narrow(s, x, 36);
    int64_t c = 18937 - iso__round_shift(143 * x, 36);
    c = 1704352 - iso__round_shift(c * x, 36);
    c = 95443718 - iso__round_shift(c * x, 36);
    c = INT64_C(2863311531) - iso__round_shift(c * x, 36);
    c = (INT64_C(1) << 35) - iso__mul_narrow(c, x, 36);
    *cosine = (INT64_C(1) << 36) - iso__mul_narrow(c, x, 36);
}

/// The square of a half-angle component (Q.48, |a| <= pi/4) with 64 fraction bits, from the component in Q.32.
static inline uint64_t iso__half_angle_square(int64_t a) {
    const int64_t rounded = iso__round_shift(a, ISO__HALF_FRACTION - 32);
    return (uint64_t)rounded * (uint64_t)rounded; // (pi/4)^2 2^64 needs the sign's bit
}

/// The quaternion (x, y, z, w) of a half-angle vector in Q.48, |half| <= pi/4, in Q.32, each component within a
/// quantum. Zero gives exactly no rotation.
static inline void iso__quat_of_half_angle(const int64_t half[3], int64_t d[4]) {
    const uint64_t squared =
        iso__half_angle_square(half[0]) + iso__half_angle_square(half[1]) + iso__half_angle_square(half[2]);
    const int64_t x = (int64_t)((squared + (UINT64_C(1) << 27)) >> 28);
    ISO_VALIDATE_ASSERT(x <= INT64_C(42390202000)); // (pi/4)^2 and the rounding of half
    int64_t ratio, cosine;
    iso__half_angle_series(x, &ratio, &cosine);
    for (int i = 0; i < 3; ++i) {
        d[i] = iso__mul_narrow(ratio, half[i], 36 + ISO__HALF_FRACTION - 32);
    }
    d[3] = iso__round_shift(cosine, 4);
}

/// Turns q by twice the half-angle vector (Q.48, world's frame, |half| <= pi/4). Each component is rounded once;
/// iso__quat_renormalise follows once per substep.
static inline void iso__quat_integrate(int32_t q[4], const int64_t half[3]) {
    int64_t d[4];
    iso__quat_of_half_angle(half, d);
    iso__quat_product_shift(d, q, 32, q);
}

/// Turns q about one of the body's axes (0 to 2) by twice the half angle (Q.48, |half| <= pi/4), and returns sine and
/// cosine of the whole angle. A vector that stays in the world, as the momentum does, turns back in the body: with j, k
/// the axes that follow, P_j' = cosine P_j + sine P_k, P_k' = cosine P_k - sine P_j. Rounds as iso__quat_integrate.
static inline iso__sine_cosine iso__quat_turn_axis(int32_t q[4], unsigned axis, int64_t half) {
    const int64_t x = (int64_t)((iso__half_angle_square(half) + (UINT64_C(1) << 27)) >> 28);
    ISO_VALIDATE_ASSERT(axis < 3 && x <= INT64_C(42390202000));
    int64_t ratio, cosine;
    iso__half_angle_series(x, &ratio, &cosine);
    const int64_t s = iso__mul_narrow(ratio, half, 36 + ISO__HALF_FRACTION - 32);
    const int64_t c = iso__round_shift(cosine, 4);
    const unsigned j = axis == 2 ? 0 : axis + 1, k = 3 - axis - j;
    const int32_t qi = q[axis], qj = q[j], qk = q[k], qw = q[3];
    q[axis] = iso__round_shift32(c * qi + s * qw, 32);
    q[j] = iso__round_shift32(c * qj + s * qk, 32);
    q[k] = iso__round_shift32(c * qk - s * qj, 32);
    q[3] = iso__round_shift32(c * qw - s * qi, 32);
    // 2 s c and 1 - 2 s^2, from 64 fraction bits.
    return (iso__sine_cosine){iso__mul_narrow(s, c, 31), (INT64_C(1) << 32) - iso__mul_narrow(s, s, 31)};
}

// ---- angles --------------------------------------------------------------------------------------

/// The twist of r about x, 2 atan2(x, w) with w >= 0, in turns, Q31.32, from -1/2 to 1/2; 0 where x and w are 0.
/// A quantum of r is a quantum and a third of the angle where the swing is small. r and -r give the same.
iso_wide iso__quat_twist(const int32_t r[4]);

/// The swing of r, the angle between x and x turned: 2 atan2(sqrt(y^2 + z^2), sqrt(x^2 + w^2)) in turns, Q31.32, from
/// 0 to 1/2. Within 3 quanta of that of r.
iso_wide iso__quat_swing(const int32_t r[4]);

/// The rotation vector of r, axis times angle in radians, Q31.32, of length 0 to pi; r and -r give the same. Each
/// component is within 16 quanta (4e-9) of that of r.
void iso__quat_to_vector(const int32_t r[4], int64_t vector[3]);

#endif
