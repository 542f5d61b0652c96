/// The few operations on vectors of three that collision in space needs.
///
/// Directions are Q2.30 in int32, lengths Q.24 in int64. |n| <= 1 and |v| <= 418 m (two pieces of 60 m, their corners
/// at 104 m, at boxes that overlap), so that n . v stays below 2^63 by Cauchy and Schwarz, its partial sums included.
/// Matrices are Q2.30, row-major, and turn what is on their right.
#ifndef ISO_SPACE_COLLIDE_VEC_OPS_H
#define ISO_SPACE_COLLIDE_VEC_OPS_H

#include "math/fixed_ops.h"

/// n . v, exact, Q.54.
static inline int64_t iso__space_ops_dot(const int32_t n[3], const int64_t v[3]) {
    return n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
}

/// n . v, rounded once, Q.24.
static inline int64_t iso__space_ops_along(const int32_t n[3], const int64_t v[3]) {
    return iso__round_shift(iso__space_ops_dot(n, v), ISO__UNIT_FRACTION);
}

/// a . b of two directions, exact, Q.60.
static inline int64_t iso__space_ops_cosine(const int32_t a[3], const int32_t b[3]) {
    return iso__mul32(a[0], b[0]) + iso__mul32(a[1], b[1]) + iso__mul32(a[2], b[2]);
}

/// a x b of two directions.
static inline void iso__space_ops_cross(const int32_t a[3], const int32_t b[3], int32_t out[3]) {
    const int32_t x = iso__round_shift32(iso__cross32(a[1], a[2], b[1], b[2]), ISO__UNIT_FRACTION);
    const int32_t y = iso__round_shift32(iso__cross32(a[2], a[0], b[2], b[0]), ISO__UNIT_FRACTION);
    const int32_t z = iso__round_shift32(iso__cross32(a[0], a[1], b[0], b[1]), ISO__UNIT_FRACTION);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void iso__space_ops_sub(const int64_t a[3], const int64_t b[3], int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

/// p + n t; |t| <= 418 m.
static inline void iso__space_ops_advance(const int64_t p[3], const int32_t n[3], int64_t t, int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = p[i] + iso__round_shift(n[i] * t, ISO__UNIT_FRACTION);
    }
}

/// R v.
static inline void iso__space_ops_turn(const int32_t r[9], const int64_t v[3], int64_t out[3]) {
    const int64_t x = iso__space_ops_along(r, v), y = iso__space_ops_along(r + 3, v),
                  z = iso__space_ops_along(r + 6, v);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/// R^T v.
static inline void iso__space_ops_turn_back(const int32_t r[9], const int64_t v[3], int64_t out[3]) {
    const int64_t x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i) {
        out[i] = iso__round_shift(r[i] * x + r[3 + i] * y + r[6 + i] * z, ISO__UNIT_FRACTION);
    }
}

/// R v of a vector of int32, as shapes hold it.
static inline void iso__space_ops_turn32(const int32_t r[9], const int32_t v[3], int64_t out[3]) {
    const int64_t wide[3] = {v[0], v[1], v[2]};
    iso__space_ops_turn(r, wide, out);
}

/// R n of a direction.
static inline void iso__space_ops_turn_unit(const int32_t r[9], const int32_t n[3], int32_t out[3]) {
    const int64_t x = iso__space_ops_cosine(r, n), y = iso__space_ops_cosine(r + 3, n),
                  z = iso__space_ops_cosine(r + 6, n);
    out[0] = iso__round_shift32(x, ISO__UNIT_FRACTION);
    out[1] = iso__round_shift32(y, ISO__UNIT_FRACTION);
    out[2] = iso__round_shift32(z, ISO__UNIT_FRACTION);
}

/// R^T n of a direction.
static inline void iso__space_ops_turn_unit_back(const int32_t r[9], const int32_t n[3], int32_t out[3]) {
    const int32_t columns[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
    iso__space_ops_turn_unit(columns, n, out);
}

/// A B; `out` is neither.
static inline void iso__space_ops_product(const int32_t a[9], const int32_t b[9], int32_t out[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = iso__round_shift32(iso__mul32(a[3 * i], b[j]) + iso__mul32(a[3 * i + 1], b[3 + j]) +
                                                    iso__mul32(a[3 * i + 2], b[6 + j]),
                                                ISO__UNIT_FRACTION);
        }
    }
}

/// A^T B; `out` is neither.
static inline void iso__space_ops_product_back(const int32_t a[9], const int32_t b[9], int32_t out[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = iso__round_shift32(iso__mul32(a[i], b[j]) + iso__mul32(a[3 + i], b[3 + j]) +
                                                    iso__mul32(a[6 + i], b[6 + j]),
                                                ISO__UNIT_FRACTION);
        }
    }
}

/// The direction of v and, returned, its length in the format of v: iso__normalize for three components, with its
/// errors. The zero vector gives n = 0 and returns 0.
static inline int64_t iso__space_ops_normalize(const int64_t v[3], int32_t n[3]) {
    const uint64_t bits = iso__abs_u64(v[0]) | iso__abs_u64(v[1]) | iso__abs_u64(v[2]);
    if (bits == 0) {
        n[0] = n[1] = n[2] = 0;
        return 0;
    }
    const int shift = (int)iso__clz64(bits) - 33;
    int64_t scaled[3];
    uint64_t squared = 0; // in [2^60, 3 2^62)
    for (int i = 0; i < 3; ++i) {
        scaled[i] = iso__normalize_scale(v[i], shift);
        squared += (uint64_t)(scaled[i] * scaled[i]);
    }
    const unsigned even = iso__clz64(squared) & ~1u; // 0 or 2
    const uint64_t top = ((squared << even >> 31) + 1) >> 1;
    const uint32_t m = top > UINT32_MAX ? UINT32_MAX : (uint32_t)top;
    const uint64_t rsqrt = iso__rsqrt_unit(m);
    const int64_t scale = rsqrt > UINT32_MAX ? UINT32_MAX : (int64_t)rsqrt; // so that the products round below 2^63
    const unsigned unit_shift = 33u - even / 2;
    for (int i = 0; i < 3; ++i) {
        n[i] = (int32_t)iso__clamp64(iso__round_shift(scaled[i] * scale, unit_shift), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
    const uint64_t length = (uint64_t)m * rsqrt; // the scaled length times 2^(31 + even/2)
    const int down = 31 + (int)(even / 2) + shift;
    if (down > 0) {
        return (int64_t)((length + (UINT64_C(1) << (down - 1))) >> down);
    }
    return length >> (63 + down) != 0 ? INT64_MAX : iso__shl64((int64_t)length, (unsigned)-down);
}

/// A direction that is orthogonal to u: u x the axis on which u is least, the first of equal ones.
static inline void iso__space_ops_perpendicular(const int32_t u[3], int32_t n[3]) {
    int least = 0;
    for (int i = 1; i < 3; ++i) {
        least = iso__abs_u32(u[i]) < iso__abs_u32(u[least]) ? i : least;
    }
    int64_t v[3] = {0, 0, 0};
    v[(least + 1) % 3] = u[(least + 2) % 3];
    v[(least + 2) % 3] = -(int64_t)u[(least + 1) % 3];
    if (iso__space_ops_normalize(v, n) == 0) {
        n[1] = ISO__UNIT_ONE;
    }
}

static inline int64_t iso__space_ops_sign(int64_t a) {
    return a < 0 ? -1 : 1;
}

#endif
