/// Three-vectors of the solver: products, rotations by a matrix, directions, tangents.
///
/// A vector is int32_t[3] or int64_t[3], a rotation matrix R int32_t[9] in rows, Q2.30: world = R body. Rows and
/// columns of R are unit vectors within 2^-28, so that by Cauchy and Schwarz no row of R times v exceeds the length of
/// v by more than that. Whoever calls may pass one array as argument and result.
#ifndef ISO_MATH_VEC3_H
#define ISO_MATH_VEC3_H

#include "math/fixed_ops.h"
#include "math/wide128.h"

// ---- products ------------------------------------------------------------------------------------

/// a . b, exact, for |a| |b| < 2^63: unit vectors (2^30) with any int32 vector (2^31.8), two vectors below 2^31 each.
/// Beyond, it wraps.
static inline int64_t iso__dot3(const int32_t a[3], const int32_t b[3]) {
    // With |a| |b| < 2^63 the sum of any two of the products is below that, too.
    return iso__add64(iso__add64(iso__mul32(a[0], b[0]), iso__mul32(a[1], b[1])), iso__mul32(a[2], b[2]));
}

/// a x b, exact for any arguments: a product reaches 2^62 only above zero, so that no difference reaches 2^63.
static inline void iso__cross3(const int32_t a[3], const int32_t b[3], int64_t result[3]) {
    const int64_t x = iso__cross32(a[1], a[2], b[1], b[2]);
    const int64_t y = iso__cross32(a[2], a[0], b[2], b[0]);
    result[2] = iso__cross32(a[0], a[1], b[0], b[1]);
    result[0] = x;
    result[1] = y;
}

/// a x b / 2^shift, each component rounded once, for results that fit int32; shift 1..63.
static inline void iso__cross3_shift(const int32_t a[3], const int32_t b[3], unsigned shift, int32_t result[3]) {
    int64_t exact[3];
    iso__cross3(a, b, exact);
    for (int i = 0; i < 3; ++i) {
        result[i] = iso__round_shift32(exact[i], shift);
    }
}

/// |v| in the format of v, rounded down, saturating.
static inline int64_t iso__length3(const int64_t v[3]) {
    iso__uint128 sum = {0, 0};
    for (int i = 0; i < 3; ++i) {
        const uint64_t magnitude = iso__abs_u64(v[i]);
        const iso__uint128 square = iso__umul128(magnitude, magnitude); // at most 2^126, so that three fit
        sum.lo += square.lo;
        sum.hi += square.hi + (sum.lo < square.lo);
    }
    return sum.hi >> 62 != 0 ? INT64_MAX : (int64_t)iso__isqrt128(sum);
}

/// True only where |v| <= limit: what is far below it, as most vectors are, needs no root.
static inline bool iso__is_far_within3(const int64_t v[3], int64_t limit) {
    const uint64_t half = (uint64_t)limit / 2;
    return iso__abs_u64(v[0]) <= half && iso__abs_u64(v[1]) <= half && iso__abs_u64(v[2]) <= half;
}

// ---- rotations -----------------------------------------------------------------------------------

/// R v of a body's vector, in the format of v; |v| < 2^31. One rounding per component.
static inline void iso__rotate3(const int32_t R[9], const int32_t v[3], int32_t result[3]) {
    const int64_t x = iso__dot3(R, v), y = iso__dot3(R + 3, v), z = iso__dot3(R + 6, v);
    result[0] = iso__round_shift32(x, ISO__UNIT_FRACTION);
    result[1] = iso__round_shift32(y, ISO__UNIT_FRACTION);
    result[2] = iso__round_shift32(z, ISO__UNIT_FRACTION);
}

/// The transpose of R times v: a vector of the world in the body's frame; as iso__rotate3.
static inline void iso__rotate3_inverse(const int32_t R[9], const int32_t v[3], int32_t result[3]) {
    const int32_t columns[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
    iso__rotate3(columns, v, result);
}

/// R v of any 64-bit vector, in the format of v. One rounding per component, saturating.
static inline void iso__rotate3_wide(const int32_t R[9], const int64_t v[3], int64_t result[3]) {
    const int64_t a = v[0], b = v[1], c = v[2];
    // Of components within 2^32 the sums, and those of any two products, are within sqrt(3) 2^62: 64 bits do.
    if (((a ^ a >> 63) | (b ^ b >> 63) | (c ^ c >> 63)) >> 32 == 0) {
        for (int i = 0; i < 3; ++i) {
            result[i] = iso__round_shift(R[3 * i] * a + R[3 * i + 1] * b + R[3 * i + 2] * c, ISO__UNIT_FRACTION);
        }
        return;
    }
    for (int i = 0; i < 3; ++i) {
        result[i] = iso__dot3_shift(R[3 * i], a, R[3 * i + 1], b, R[3 * i + 2], c, ISO__UNIT_FRACTION);
    }
}

/// The transpose of R times v; as iso__rotate3_wide.
static inline void iso__rotate3_wide_inverse(const int32_t R[9], const int64_t v[3], int64_t result[3]) {
    const int32_t columns[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
    iso__rotate3_wide(columns, v, result);
}

// ---- directions ----------------------------------------------------------------------------------

/// iso__normalize for `count` components, 2 to 4: the direction of v in Q2.30 and, returned, its length.
///
/// Any format of v does, the whole range of int64 is allowed. Each component is within 1.2 quanta of the true direction
/// and never outside ±2^30. The length is within 2 quanta below 2^30, else within 2^-29 of itself, and saturates. The
/// zero vector gives zero and returns 0.
static inline int64_t iso__normalize_many(const int64_t *v, unsigned count, int32_t *n) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; ++i) {
        bits |= iso__abs_u64(v[i]);
    }
    const int shift = (int)iso__clz64(bits) - 33;
    int64_t scaled[4] = {0, 0, 0, 0};
    uint64_t squared = 0; // in [2^60, 2^64): four squares of 2^31 - 1 still fit
    for (unsigned i = 0; i < count; ++i) {
        scaled[i] = bits == 0 ? 0 : iso__normalize_scale(v[i], shift);
        squared += (uint64_t)(scaled[i] * scaled[i]);
    }
    if (bits == 0) {
        for (unsigned i = 0; i < count; ++i) {
            n[i] = 0;
        }
        return 0;
    }
    const unsigned even = iso__clz64(squared) & ~1u; // 0 or 2
    const uint64_t top = ((squared << even >> 31) + 1) >> 1;
    const uint32_t m = top > UINT32_MAX ? UINT32_MAX : (uint32_t)top;
    const uint64_t rsqrt = iso__rsqrt_unit(m);
    const int64_t scale = rsqrt > UINT32_MAX ? UINT32_MAX : (int64_t)rsqrt; // so that the products round below 2^63
    for (unsigned i = 0; i < count; ++i) {
        const int64_t unit = iso__round_shift(scaled[i] * scale, 33u - even / 2);
        n[i] = (int32_t)iso__clamp64(unit, -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
    const uint64_t length = (uint64_t)m * rsqrt; // the scaled length times 2^(31 + even/2), at most 2^63
    const int down = 31 + (int)(even / 2) + shift;
    if (down > 0) {
        return (int64_t)((length + (UINT64_C(1) << (down - 1))) >> down);
    }
    return length >> (63 + down) != 0 ? INT64_MAX : (int64_t)(length << -down);
}

/// The direction of v in Q2.30 and, returned, its length in the format of v: see iso__normalize_many.
static inline int64_t iso__normalize3(const int64_t v[3], int32_t n[3]) {
    return iso__normalize_many(v, 3, n);
}

/// Two unit vectors that with the unit vector n are a right-handed frame (t1, t2, n but for the order: t2 = n x t1).
///
/// t1 is the direction of n x e, e the axis along which |n| is least, the lower one when two are as small: the longest
/// of the three products, at least sqrt(2/3). It has a zero on that axis, so that two components are normalised. Each
/// component is within 2 quanta.
static inline void iso__tangents3(const int32_t n[3], int32_t t1[3], int32_t t2[3]) {
    const uint32_t x = iso__abs_u32(n[0]), y = iso__abs_u32(n[1]), z = iso__abs_u32(n[2]);
    const bool is_x = x <= y && x <= z, is_y = !is_x && y <= z;
    // No index into t1: processors wait long for what is stored component by component and loaded as a whole.
    const int32_t next = is_x ? n[1] : is_y ? n[2] : n[0], last = is_x ? n[2] : is_y ? n[0] : n[1];
    int32_t at_next, at_last;
    iso__normalize(last, -(int64_t)next, &at_next, &at_last);
    t1[0] = is_x ? 0 : is_y ? at_last : at_next;
    t1[1] = is_x ? at_next : is_y ? 0 : at_last;
    t1[2] = is_x ? at_last : is_y ? at_next : 0;
    iso__cross3_shift(n, t1, ISO__UNIT_FRACTION, t2);
}

#endif
