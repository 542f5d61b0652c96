/// The inverses of the blocks of joints: symmetric matrices of one to three rows that are at least the unit matrix.
///
/// A row's matrix divided by its mass scale is K = 1 + something positive, so that no eigenvalue of the inverse is
/// above 1 and every entry fits Q1.62. Three rows go by K = L D L^T: no pivot d is below 1, so that nothing is ever
/// divided by something small. The inverse follows backwards from L^T K^-1 = D^-1 L^-1 (Takahashi, Fagan, Chen 1973),
/// each entry with one rounding.
#ifndef ISO_MATH_SOLVE3_H
#define ISO_MATH_SOLVE3_H

#include "math/fixed_ops.h"
#include "math/wide128.h"

/// A symmetric 3x3 matrix of Q1.62.
typedef struct iso__inverse3 {
    int64_t i11, i12, i13, i22, i23, i33;
} iso__inverse3;

/// 1/d in Q1.62 for d in Q.(32 + scale), at least 1/2; scale 0..30.
static inline int64_t iso__pivot_reciprocal(int64_t d, unsigned scale) {
    uint64_t rest;
    const uint64_t divisor = (uint64_t)d;
    const uint64_t quotient = iso__udiv128(UINT64_C(1) << (30 + scale), 0, divisor, &rest); // 2^(94 + scale) / d
    const uint64_t rounded = quotient + (rest >= divisor - rest);
    return rounded > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)rounded;
}

/// The bits by which the largest entry of a symmetric 3x3 matrix fits 62 bits, so that pivots keep all that there are;
/// -1 for a matrix that is not positive, seen from its diagonal: an entry beside it is never above the largest on it.
static inline int iso__inverse3_scale(const int64_t K[6]) {
    if (K[0] <= 0 || K[3] <= 0 || K[5] <= 0) {
        return -1;
    }
    const uint64_t largest = (uint64_t)iso__max64(K[0], iso__max64(K[3], K[5]));
    const uint64_t beside = iso__abs_u64(K[1]) | iso__abs_u64(K[2]) | iso__abs_u64(K[4]);
    const int scale = (int)iso__clz64(largest) - 2;
    return scale < 0 || scale > 30 || iso__clz64(beside) < iso__clz64(largest) ? -1 : scale;
}

/// Inverts K = [K0 K1 K2; K1 K3 K4; K2 K4 K5], Q31.32, at least the unit matrix, no entry of 2^30 or more.
///
/// An entry of the inverse is within 2^-58 where K's entries are at most 4, 2^-43 at 3,000, 2^-32 at 2^17, 2^-12 at
/// 2^27. Any other matrix gives all zero and false, so that applying it gives zero.
static inline bool iso__inverse3_make(const int64_t K[6], iso__inverse3 *inverse) {
    *inverse = (iso__inverse3){0, 0, 0, 0, 0, 0};
    const int fits = iso__inverse3_scale(K);
    if (fits < 0) {
        return false;
    }
    const unsigned scale = (unsigned)fits;
    int64_t A[6];
    for (int i = 0; i < 6; ++i) {
        A[i] = iso__shl64(K[i], scale);
    }
    // l is at most sqrt(k22 / k11) <= 2^(15 - scale/2): with this fraction it stays below 2^61.
    const unsigned fraction = 46 + scale / 2;
    const unsigned down = 32 + scale + 62 - fraction;
    const int64_t least = INT64_C(1) << (31 + scale);
    if (A[0] < least) {
        return false;
    }
    const int64_t r1 = iso__pivot_reciprocal(A[0], scale);
    const int64_t l21 = iso__mul_shift(A[1], r1, down);
    const int64_t l31 = iso__mul_shift(A[2], r1, down);
    // What is taken from the diagonal is a square, so that no difference leaves 64 bits.
    const int64_t d2 = A[3] - iso__mul_shift(l21, A[1], fraction);
    if (d2 < least) {
        return false;
    }
    const int64_t r2 = iso__pivot_reciprocal(d2, scale);
    const int64_t u = iso__sub64(A[4], iso__mul_shift(l21, A[2], fraction));
    const int64_t l32 = iso__mul_shift(u, r2, down);
    const int64_t d3 = A[5] - iso__dot_shift(l31, A[2], l32, u, fraction);
    if (d3 < least) {
        return false;
    }
    iso__inverse3 result;
    result.i33 = iso__pivot_reciprocal(d3, scale);
    result.i23 = iso__neg64(iso__mul_shift(l32, result.i33, fraction));
    result.i22 = iso__sub64(r2, iso__mul_shift(l32, result.i23, fraction));
    result.i13 = iso__neg64(iso__dot_shift(l21, result.i23, l31, result.i33, fraction));
    result.i12 = iso__neg64(iso__dot_shift(l21, result.i22, l31, result.i23, fraction));
    result.i11 = iso__sub64(r1, iso__dot_shift(l21, result.i12, l31, result.i13, fraction));
    // The diagonal bounds the rest. Above one it is not K's that we know: a difference may have wrapped, and the sums
    // of iso__inverse3_apply would not fit. 2^-22 is far more than the rounding of K's entries does.
    const uint64_t bound = (UINT64_C(1) << 62) + (UINT64_C(1) << 40);
    if ((uint64_t)result.i11 > bound || (uint64_t)result.i22 > bound || (uint64_t)result.i33 > bound) {
        return false;
    }
    *inverse = result;
    return true;
}

/// x = inverse * b, Q31.32, one rounding each (a half up), saturating.
static inline void iso__inverse3_apply(const iso__inverse3 *inverse, const int64_t b[3], int64_t x[3]) {
    const int64_t b1 = b[0], b2 = b[1], b3 = b[2];
    x[0] = iso__dot3_shift(inverse->i11, b1, inverse->i12, b2, inverse->i13, b3, 62);
    x[1] = iso__dot3_shift(inverse->i12, b1, inverse->i22, b2, inverse->i23, b3, 62);
    x[2] = iso__dot3_shift(inverse->i13, b1, inverse->i23, b2, inverse->i33, b3, 62);
}

// ---- blocks of one to three rows -----------------------------------------------------------------

/// The inverse of a block of n rows: of one row i11 alone, of two i11, i12, i22 are in use, the rest is zero.
typedef struct iso__block_inverse {
    iso__inverse3 inverse;
} iso__block_inverse;

/// Inverts the symmetric n x n matrix, 1 <= n <= 3, Q31.32, at least the unit matrix, no entry of 2^30 or more.
///
/// @param K  the upper triangle by rows: k11; k11 k12 k22; k11 k12 k13 k22 k23 k33
/// @return false, and an inverse that gives zero, for a matrix that is not
static inline bool iso__block_inverse_make(unsigned n, const int64_t *K, iso__block_inverse *block) {
    ISO_VALIDATE_ASSERT(n >= 1 && n <= 3);
    block->inverse = (iso__inverse3){0, 0, 0, 0, 0, 0};
    if (n == 3) {
        return iso__inverse3_make(K, &block->inverse);
    }
    if (n == 2) {
        iso__inverse2 inverse;
        const bool has_inverse = iso__inverse2_make(K[0], K[1], K[2], &inverse);
        block->inverse.i11 = inverse.i11;
        block->inverse.i12 = inverse.i12;
        block->inverse.i22 = inverse.i22;
        return has_inverse;
    }
    if (K[0] < INT64_C(1) << 31) {
        return false;
    }
    block->inverse.i11 = iso__pivot_reciprocal(K[0], 0);
    return true;
}

/// x = inverse * b for the first n components, Q31.32, one rounding each (a half up), saturating. x may be b.
static inline void iso__block_inverse_apply(unsigned n, const iso__block_inverse *block, const int64_t *b, int64_t *x) {
    const iso__inverse3 *inverse = &block->inverse;
    if (n == 3) {
        iso__inverse3_apply(inverse, b, x);
    } else if (n == 2) {
        const int64_t b1 = b[0], b2 = b[1];
        x[0] = iso__dot_shift(inverse->i11, b1, inverse->i12, b2, 62);
        x[1] = iso__dot_shift(inverse->i12, b1, inverse->i22, b2, 62);
    } else {
        x[0] = iso__mul_shift(inverse->i11, b[0], 62);
    }
}

#endif
