/// The small integer operations of the solver: formats, rounding shifts, wrapping sums, clamps, roots.
///
/// Everything is static inline and free of state. Hot code adds with defined wrap (on unsigned numbers) and
/// proves its ranges where it is written; a build with ISO_VALIDATE checks each narrowing and each rounding.
/// Products of more than 64 bits are in wide128.h.
#ifndef ISO_MATH_FIXED_OPS_H
#define ISO_MATH_FIXED_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

// C17 leaves both to the implementation. Every compiler we build with shifts the sign in and wraps.
_Static_assert((-1 >> 1) == -1, "right shifts of negative numbers must be arithmetic");
_Static_assert((int32_t)UINT32_C(0xffffffff) == -1, "conversion to a signed type must wrap");

// The fraction bits of each quantity. NUMERICS.md gives ranges and reasons.
enum {
    ISO__FIX16_FRACTION = 16,    // public scalars
    ISO__VEL_FRACTION = 19,      // velocities, scaled angular velocities, impulses, bias: one shared format
    ISO__GYRO_FRACTION = 22,     // g = (L^2/I/sigma) r
    ISO__LENGTH_FRACTION = 24,   // separations, extents, displacements within a step
    ISO__FRICTION_FRACTION = 28, // friction, restitution
    ISO__UNIT_FRACTION = 30,     // unit vectors, mass shares, 1/K, anchors r/L, cosine and sine
    ISO__WIDE_FRACTION = 32,     // positions, turns, masses, joint rows
    ISO__STEP_FRACTION = 36      // the length of a substep in seconds
};

#define ISO__UNIT_ONE   (INT32_C(1) << ISO__UNIT_FRACTION)
#define ISO__LENGTH_ONE (INT32_C(1) << ISO__LENGTH_FRACTION)
#define ISO__VEL_ONE    (INT32_C(1) << ISO__VEL_FRACTION)

// ---- sums that wrap ------------------------------------------------------------------------------

static inline int32_t iso__add32(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t iso__sub32(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static inline int32_t iso__neg32(int32_t a) {
    return (int32_t)(0u - (uint32_t)a);
}

static inline int64_t iso__add64(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t iso__sub64(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t iso__neg64(int64_t a) {
    return (int64_t)(UINT64_C(0) - (uint64_t)a);
}

/// a * 2^shift, wrapping; shift 0..63.
static inline int64_t iso__shl64(int64_t a, unsigned shift) {
    return (int64_t)((uint64_t)a << shift);
}

// ---- products that cannot overflow ---------------------------------------------------------------

/// a * b, exact.
static inline int64_t iso__mul32(int32_t a, int32_t b) {
    return (int64_t)a * b;
}

/// ax bx + ay by, exact but for the one case of four times INT32_MIN, which wraps.
static inline int64_t iso__dot32(int32_t ax, int32_t ay, int32_t bx, int32_t by) {
    return iso__add64((int64_t)ax * bx, (int64_t)ay * by);
}

/// ax by - ay bx, exact.
static inline int64_t iso__cross32(int32_t ax, int32_t ay, int32_t bx, int32_t by) {
    return iso__sub64((int64_t)ax * by, (int64_t)ay * bx);
}

// ---- magnitudes, clamps, narrowing ---------------------------------------------------------------

/// |a|; also right for INT32_MIN.
static inline uint32_t iso__abs_u32(int32_t a) {
    return a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
}

/// |a|; also right for INT64_MIN.
static inline uint64_t iso__abs_u64(int64_t a) {
    return a < 0 ? UINT64_C(0) - (uint64_t)a : (uint64_t)a;
}

static inline int32_t iso__min32(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t iso__max32(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static inline int64_t iso__min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t iso__max64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/// The number of [low, high] nearest to a; low <= high.
static inline int32_t iso__clamp32(int32_t a, int32_t low, int32_t high) {
    return a < low ? low : a > high ? high : a;
}

static inline int64_t iso__clamp64(int64_t a, int64_t low, int64_t high) {
    return a < low ? low : a > high ? high : a;
}

/// a when it fits, else the nearest end of int32.
static inline int32_t iso__saturate32(int64_t a) {
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

/// The low half of a. For values whose range is proven where this is called: it costs nothing, and a build
/// with ISO_VALIDATE traps when the proof was wrong. What is not proven takes iso__saturate32.
static inline int32_t iso__narrow32(int64_t a) {
    ISO_VALIDATE_ASSERT(a >= INT32_MIN && a <= INT32_MAX);
    return (int32_t)a;
}

// ---- rounding ------------------------------------------------------------------------------------

/// a / 2^shift to nearest, a half towards plus infinity; shift 1..63. Adds half, then shifts: |a| must stay
/// below 2^63 - 2^(shift-1), beyond which the sum wraps (and a build with ISO_VALIDATE traps).
static inline int64_t iso__round_shift(int64_t a, unsigned shift) {
    ISO_VALIDATE_ASSERT(shift >= 1 && shift <= 63);
    uint64_t half = UINT64_C(1) << (shift - 1);
    ISO_VALIDATE_ASSERT(a <= (int64_t)(UINT64_C(0x7fffffffffffffff) - half));
    return (int64_t)((uint64_t)a + half) >> shift;
}

/// iso__round_shift, then iso__narrow32: for products whose result is known to fit.
static inline int32_t iso__round_shift32(int64_t a, unsigned shift) {
    return iso__narrow32(iso__round_shift(a, shift));
}

/// a / b to nearest, a half away from zero; b != 0. INT64_MIN / -1 saturates.
static inline int64_t iso__div_round64(int64_t a, int64_t b) {
    uint64_t divisor = iso__abs_u64(b);
    uint64_t magnitude = iso__abs_u64(a);
    uint64_t quotient = magnitude / divisor;
    uint64_t rest = magnitude % divisor;
    quotient += rest >= divisor - rest;
    if ((a < 0) != (b < 0)) {
        return (int64_t)(UINT64_C(0) - quotient);
    }
    return quotient > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)quotient;
}

/// iso__div_round64 by 1 to 4, which takes no divider; |a| below 2^62.
static inline int64_t iso__div_round_few(int64_t a, uint32_t b) {
    ISO_VALIDATE_ASSERT(b >= 1 && b <= 4);
    // A half away from zero is a half up, and of what is negative down: one less before the shift.
    const int64_t sign = a >> 63;
    return b == 4 ? (a + 2 + sign) >> 2 : b == 2 ? (a + 1 + sign) >> 1 : b == 1 ? a : iso__div_round64(a, 3);
}

/// 1/K as Q2.30 for K in Q.32, rounded to nearest. K = 0.5 (2^31) or less gives INT32_MAX.
static inline int32_t iso__recip_unit(uint64_t k_q32) {
    if (k_q32 <= UINT64_C(0x80000000)) {
        return INT32_MAX;
    }
    uint64_t quotient = ((UINT64_C(1) << 62) + (k_q32 >> 1)) / k_q32;
    return quotient > INT32_MAX ? INT32_MAX : (int32_t)quotient;
}

// ---- bits and roots ------------------------------------------------------------------------------

/// Leading zero bits; 64 (32) for zero.
static inline unsigned iso__clz64(uint64_t a) {
    return a == 0 ? 64u : (unsigned)__builtin_clzll(a);
}

static inline unsigned iso__clz32(uint32_t a) {
    return a == 0 ? 32u : (unsigned)__builtin_clz(a);
}

/// The index of the highest set bit plus one; 0 for zero.
static inline unsigned iso__bit_width64(uint64_t a) {
    return 64u - iso__clz64(a);
}

/// 1/sqrt at the middle of each of the 384 intervals of [1/4, 1) of width 1/512, Q1.15. A test recomputes it.
extern const uint16_t iso__rsqrt_seed[384];

/// 1/sqrt(m / 2^32) as Q.31 for m in [2^30, 2^32), within 1 quantum; the result is in [2^31, 2^32].
static inline uint64_t iso__rsqrt_unit(uint32_t m) {
    ISO_VALIDATE_ASSERT(m >> 30 != 0);
    // Two Newton steps, y <- y (3 - x y^2) / 2, from a seed good to 2^-9: 2^-17, then the rounding.
    uint64_t y = iso__rsqrt_seed[(m >> 23) - 128];
    uint64_t xyy = ((uint64_t)m * (y * y)) >> 32;                     // Q.30
    y = (y * ((UINT64_C(3) << 30) - xyy)) >> 16;                      // Q.30
    uint64_t yy = (y * y + (UINT64_C(1) << 28)) >> 29;                // Q.31
    int64_t rest = (int64_t)((UINT64_C(1) << 63) - (uint64_t)m * yy); // Q.63: 1 - x y^2, below 2^-15
    return 2 * y + (uint64_t)iso__round_shift((int64_t)y * (rest >> 20), 43);
}

/// The integer root: the largest s with s s <= a. Exact, and without branches that nobody can foresee.
static inline uint32_t iso__isqrt64(uint64_t a) {
    if (a == 0) {
        return 0;
    }
    const unsigned shift = iso__clz64(a) & ~1u;
    const uint64_t b = a << shift; // in [2^62, 2^64); the root of a is that of b without its last bits
    const uint32_t m = (uint32_t)(b >> 32);
    const uint64_t y = iso__rsqrt_unit(m); // 2^63 / sqrt(b), within 2^-29 of itself
    uint64_t s = ((uint64_t)m * y) >> 31;
    s = s > UINT32_MAX ? UINT32_MAX : s;
    // Within 5 of the root, so that the rest is below 2^36. A Newton step's errors are below 2^-11 then, and 2^-8 are
    // taken off: s is the root rounded down, or one less.
    const int64_t rest = (int64_t)(b - s * s);
    s += (uint64_t)((rest * (int64_t)(y >> 16) - (INT64_C(1) << 40)) >> 48);
    s += b - s * s > 2 * s; // that is, (s + 1)^2 <= b
    return (uint32_t)(s >> (shift / 2));
}

/// Scales a component to at most 31 bits for iso__normalize; down rounds to nearest without overflow.
static inline int64_t iso__normalize_scale(int64_t a, int shift) {
    if (shift >= 0) {
        return iso__shl64(a, (unsigned)shift);
    }
    return iso__clamp64(((a >> (-shift - 1)) + 1) >> 1, -INT32_MAX, INT32_MAX);
}

/// The direction of (x, y) as a Q2.30 unit vector and, returned, its length in the format of x and y.
///
/// Any shared format does, the whole range of int64 is allowed. Each component is within 1 quantum of the true
/// direction when |x| and |y| are below 2^31, else within 1.2, and never outside ±2^30. The length is within
/// 1 quantum below 2^30, else within 2^-30 of itself, and saturates. The zero vector gives n = 0 and returns 0:
/// test the result, not a squared length.
static inline int64_t iso__normalize(int64_t x, int64_t y, int32_t *nx, int32_t *ny) {
    uint64_t bits = iso__abs_u64(x) | iso__abs_u64(y);
    if (bits == 0) {
        *nx = 0;
        *ny = 0;
        return 0;
    }
    int shift = (int)iso__clz64(bits) - 33;
    int64_t sx = iso__normalize_scale(x, shift);
    int64_t sy = iso__normalize_scale(y, shift);
    uint64_t squared = (uint64_t)(sx * sx) + (uint64_t)(sy * sy); // in [2^60, 2^63)
    unsigned even = iso__clz64(squared) & ~1u;                    // 0 or 2
    uint64_t top = ((squared << even >> 31) + 1) >> 1;
    uint32_t m = top > UINT32_MAX ? UINT32_MAX : (uint32_t)top;
    uint64_t rsqrt = iso__rsqrt_unit(m);
    int64_t scale = rsqrt > UINT32_MAX ? UINT32_MAX : (int64_t)rsqrt; // so that the products round below 2^63
    unsigned unit_shift = 33u - even / 2;
    *nx = (int32_t)iso__clamp64(iso__round_shift(sx * scale, unit_shift), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    *ny = (int32_t)iso__clamp64(iso__round_shift(sy * scale, unit_shift), -ISO__UNIT_ONE, ISO__UNIT_ONE);

    uint64_t length = (uint64_t)m * rsqrt; // the scaled length times 2^(31 + even/2)
    int down = 31 + (int)(even / 2) + shift;
    if (down > 0) {
        length = (length + (UINT64_C(1) << (down - 1))) >> down;
    } else if (length >> (63 + down) != 0) {
        return INT64_MAX;
    } else {
        length <<= -down;
    }
    return length > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)length;
}

#endif
