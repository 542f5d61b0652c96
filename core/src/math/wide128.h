/// The 64 x 64 to 128 bit products and the divisions by them, with one rounding each.
///
/// 32-bit processors, WebAssembly and some compilers have no 128-bit integer (or only a slow one), so the two
/// primitives and the rounding product exist twice: with __int128, and portable. ISO_NO_INT128 chooses the
/// portable one; a test holds both equal. Everything else is written once on top.
///
/// Rounding: shifts round a half towards plus infinity (as iso__round_shift), divisions round a half away
/// from zero. Results saturate to int64. No operation here is undefined for any argument within its contract.
#ifndef ISO_MATH_WIDE128_H
#define ISO_MATH_WIDE128_H

#include <stdbool.h>
#include <stdint.h>

#include "math/fixed_ops.h"

#if defined(__SIZEOF_INT128__) && !defined(ISO_NO_INT128) && !defined(__wasm__)
#define ISO__HAS_INT128 1
__extension__ typedef __int128 iso__native_int128;
__extension__ typedef unsigned __int128 iso__native_uint128;
#else
#define ISO__HAS_INT128 0
#endif

/// A signed 128-bit number, two's complement: hi * 2^64 + lo.
typedef struct iso__int128 {
    int64_t hi;
    uint64_t lo;
} iso__int128;

/// An unsigned 128-bit number.
typedef struct iso__uint128 {
    uint64_t hi;
    uint64_t lo;
} iso__uint128;

// ---- primitives ----------------------------------------------------------------------------------

/// a * b, exact.
static inline iso__uint128 iso__umul128(uint64_t a, uint64_t b) {
#if ISO__HAS_INT128
    iso__native_uint128 product = (iso__native_uint128)a * b;
    return (iso__uint128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = a & UINT32_MAX;
    uint64_t a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX;
    uint64_t b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32); // at most 2^64 - 2^32
    uint64_t cross = a0 * b1 + (middle & UINT32_MAX);
    return (iso__uint128){a1 * b1 + (middle >> 32) + (cross >> 32), (cross << 32) | (low & UINT32_MAX)};
#endif
}

#if !ISO__HAS_INT128
/// One 32-bit digit of a quotient: (rest * 2^32 + digit) / divisor, for a divisor with its top bit set and
/// rest < divisor. Leaves the new rest in *rest. The estimate from the divisor's upper half is at most two
/// too large.
static inline uint64_t iso__udiv128_digit(uint64_t *rest, uint64_t digit, uint64_t divisor) {
    uint64_t d1 = divisor >> 32;
    uint64_t d0 = divisor & UINT32_MAX;
    uint64_t quotient = *rest / d1;
    uint64_t part = *rest % d1;
    while (quotient > UINT32_MAX || quotient * d0 > ((part << 32) | digit)) {
        quotient -= 1;
        part += d1;
        if (part > UINT32_MAX) {
            break;
        }
    }
    // The true rest is below 2^64, so that computing it modulo 2^64 is exact.
    *rest = (*rest << 32) + digit - quotient * divisor;
    return quotient;
}
#endif

/// floor((hi * 2^64 + lo) / divisor) and its rest; hi < divisor.
static inline uint64_t iso__udiv128(uint64_t hi, uint64_t lo, uint64_t divisor, uint64_t *rest) {
    ISO_VALIDATE_ASSERT(hi < divisor);
    if (hi == 0) {
        *rest = lo % divisor;
        return lo / divisor;
    }
#if ISO__HAS_INT128
    iso__native_uint128 n = ((iso__native_uint128)hi << 64) | lo;
    uint64_t quotient = (uint64_t)(n / divisor);
    *rest = lo - quotient * divisor;
    return quotient;
#else
    unsigned shift = iso__clz64(divisor);
    divisor <<= shift;
    uint64_t part = shift == 0 ? hi : (hi << shift) | (lo >> (64 - shift));
    lo <<= shift;
    uint64_t upper = iso__udiv128_digit(&part, lo >> 32, divisor);
    uint64_t lower = iso__udiv128_digit(&part, lo & UINT32_MAX, divisor);
    *rest = part >> shift;
    return (upper << 32) | lower;
#endif
}

// ---- 128-bit numbers -----------------------------------------------------------------------------

static inline iso__int128 iso__int128_from(int64_t a) {
    return (iso__int128){a < 0 ? -1 : 0, (uint64_t)a};
}

/// a + b, wrapping.
static inline iso__int128 iso__int128_add(iso__int128 a, iso__int128 b) {
    uint64_t lo = a.lo + b.lo;
    return (iso__int128){(int64_t)((uint64_t)a.hi + (uint64_t)b.hi + (lo < a.lo)), lo};
}

/// a - b, wrapping.
static inline iso__int128 iso__int128_sub(iso__int128 a, iso__int128 b) {
    return (iso__int128){(int64_t)((uint64_t)a.hi - (uint64_t)b.hi - (a.lo < b.lo)), a.lo - b.lo};
}

/// -a, wrapping.
static inline iso__int128 iso__int128_neg(iso__int128 a) {
    return iso__int128_sub((iso__int128){0, 0}, a);
}

/// a * b, exact.
static inline iso__int128 iso__int128_mul(int64_t a, int64_t b) {
#if ISO__HAS_INT128
    const iso__native_int128 signed_product = (iso__native_int128)a * b;
    return (iso__int128){(int64_t)(signed_product >> 64), (uint64_t)signed_product};
#else
    iso__uint128 product = iso__umul128((uint64_t)a, (uint64_t)b);
    uint64_t correction = (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return (iso__int128){(int64_t)(product.hi - correction), product.lo};
#endif
}

/// -1, 0 or 1 as a is below, equal to or above b.
static inline int iso__int128_compare(iso__int128 a, iso__int128 b) {
    if (a.hi != b.hi) {
        return a.hi < b.hi ? -1 : 1;
    }
    return a.lo < b.lo ? -1 : a.lo > b.lo;
}

/// -1, 0 or 1.
static inline int iso__int128_sign(iso__int128 a) {
    return a.hi < 0 ? -1 : (a.hi | (int64_t)(a.lo >> 1) | (int64_t)(a.lo & 1)) != 0;
}

/// |a|; also right for -2^127.
static inline iso__uint128 iso__int128_abs(iso__int128 a) {
    iso__int128 b = a.hi < 0 ? iso__int128_neg(a) : a;
    return (iso__uint128){(uint64_t)b.hi, b.lo};
}

/// a * 2^shift, wrapping; shift 0..127.
static inline iso__uint128 iso__uint128_shl(iso__uint128 a, unsigned shift) {
    if (shift >= 64) {
        return (iso__uint128){a.lo << (shift - 64), 0};
    }
    if (shift == 0) {
        return a;
    }
    return (iso__uint128){(a.hi << shift) | (a.lo >> (64 - shift)), a.lo << shift};
}

/// a / 2^shift to nearest, a half towards plus infinity; shift 0..126.
static inline iso__int128 iso__int128_round_shift(iso__int128 a, unsigned shift) {
    if (shift == 0) {
        return a;
    }
    iso__int128 b;
    uint64_t half; // the highest bit that is shifted out
    if (shift > 64) {
        b.lo = (uint64_t)(a.hi >> (shift - 64));
        b.hi = a.hi >> 63;
        half = (uint64_t)(a.hi >> (shift - 65)) & 1;
    } else if (shift == 64) {
        b.lo = (uint64_t)a.hi;
        b.hi = a.hi >> 63;
        half = a.lo >> 63;
    } else {
        b.lo = ((uint64_t)a.hi << (64 - shift)) | (a.lo >> shift);
        b.hi = a.hi >> shift;
        half = (a.lo >> (shift - 1)) & 1;
    }
    return iso__int128_add(b, (iso__int128){0, half});
}

/// a when it fits, else the nearest end of int64.
static inline int64_t iso__int128_saturate(iso__int128 a) {
    if (a.hi != (int64_t)a.lo >> 63) {
        return a.hi < 0 ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)a.lo;
}

/// The signed number of this magnitude, saturating. `over` says that the magnitude has more than 64 bits.
static inline int64_t iso__signed_saturate(bool negative, bool over, uint64_t magnitude) {
    if (negative) {
        return over || magnitude > UINT64_C(0x8000000000000000) ? INT64_MIN : iso__neg64((int64_t)magnitude);
    }
    return over || magnitude > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)magnitude;
}

/// magnitude / divisor to nearest, with a sign; divisor != 0.
static inline int64_t iso__udiv128_signed(bool negative, iso__uint128 magnitude, uint64_t divisor) {
    if (magnitude.hi >= divisor) {
        return iso__signed_saturate(negative, true, 0);
    }
    uint64_t rest;
    uint64_t quotient = iso__udiv128(magnitude.hi, magnitude.lo, divisor, &rest);
    uint64_t up = rest >= divisor - rest;
    return iso__signed_saturate(negative, quotient + up < quotient, quotient + up);
}

// ---- the operations ------------------------------------------------------------------------------

#if ISO__HAS_INT128
/// As iso__int128_saturate. Written so that compilers continue with the 64 bits of the result, not with the 128-bit
/// number or two constants: otherwise the next product would take three multiplications instead of one.
static inline int64_t iso__native_saturate(iso__native_int128 a) {
    const int64_t high = (int64_t)(a >> 64), low = (int64_t)a;
    return high == low >> 63 ? low : (high >> 63) ^ INT64_MAX;
}
#endif

/// a b / 2^shift, one rounding (a half up), saturating; shift 0..126.
static inline int64_t iso__mul_shift(int64_t a, int64_t b, unsigned shift) {
#if ISO__HAS_INT128
    iso__native_int128 product = (iso__native_int128)a * b;
    if (shift != 0) {
        product = (product + ((iso__native_int128)1 << (shift - 1))) >> shift;
    }
    return iso__native_saturate(product);
#else
    return iso__int128_saturate(iso__int128_round_shift(iso__int128_mul(a, b), shift));
#endif
}

/// (a1 b1 + a2 b2) / 2^shift, one rounding (a half up), saturating; shift 0..126. The sum must stay below
/// 2^127, which only four times INT64_MIN reaches.
static inline int64_t iso__dot_shift(int64_t a1, int64_t b1, int64_t a2, int64_t b2, unsigned shift) {
#if ISO__HAS_INT128
    iso__native_int128 sum = (iso__native_int128)a1 * b1 + (iso__native_int128)a2 * b2;
    if (shift != 0) {
        sum = (sum + ((iso__native_int128)1 << (shift - 1))) >> shift;
    }
    return iso__native_saturate(sum);
#else
    iso__int128 sum = iso__int128_add(iso__int128_mul(a1, b1), iso__int128_mul(a2, b2));
    return iso__int128_saturate(iso__int128_round_shift(sum, shift));
#endif
}

/// (a1 b1 + a2 b2 + a3 b3) / 2^shift, one rounding (a half up), saturating; shift 0..126. The sum must stay below
/// 2^127.
static inline int64_t iso__dot3_shift(int64_t a1, int64_t b1, int64_t a2, int64_t b2, int64_t a3, int64_t b3,
                                      unsigned shift) {
#if ISO__HAS_INT128
    iso__native_int128 sum = (iso__native_int128)a1 * b1 + (iso__native_int128)a2 * b2 + (iso__native_int128)a3 * b3;
    if (shift != 0) {
        sum = (sum + ((iso__native_int128)1 << (shift - 1))) >> shift;
    }
    return iso__native_saturate(sum);
#else
    iso__int128 sum = iso__int128_add(iso__int128_mul(a1, b1), iso__int128_mul(a2, b2));
    sum = iso__int128_add(sum, iso__int128_mul(a3, b3));
    return iso__int128_saturate(iso__int128_round_shift(sum, shift));
#endif
}

/// iso__mul_shift for results that are proven to fit where this is called; shift 1..63. To saturate costs as much as
/// the product.
static inline int64_t iso__mul_narrow(int64_t a, int64_t b, unsigned shift) {
#if ISO__HAS_INT128 && !defined(ISO_VALIDATE)
    return (int64_t)(((iso__native_int128)a * b + ((iso__native_int128)1 << (shift - 1))) >> shift);
#else
    const iso__int128 shifted = iso__int128_round_shift(iso__int128_mul(a, b), shift);
    ISO_VALIDATE_ASSERT(shifted.hi == (int64_t)shifted.lo >> 63);
    return (int64_t)shifted.lo;
#endif
}

/// a b / c, one rounding (a half away from zero), saturating. c = 0 saturates by the sign of a b, 0 for 0.
static inline int64_t iso__mul_div(int64_t a, int64_t b, int64_t c) {
    iso__uint128 magnitude = iso__umul128(iso__abs_u64(a), iso__abs_u64(b));
    if (c == 0 && (magnitude.hi | magnitude.lo) == 0) {
        return 0;
    }
    bool negative = ((a < 0) != (b < 0)) != (c < 0);
    return iso__udiv128_signed(negative, magnitude, iso__abs_u64(c));
}

/// a 2^shift / b, one rounding (a half away from zero), saturating; shift 0..63. b = 0 saturates by the sign
/// of a, 0 for 0.
static inline int64_t iso__div_shift(int64_t a, unsigned shift, int64_t b) {
    if (a == 0) {
        return 0;
    }
    iso__uint128 magnitude = iso__uint128_shl((iso__uint128){0, iso__abs_u64(a)}, shift);
    return iso__udiv128_signed((a < 0) != (b < 0), magnitude, iso__abs_u64(b));
}

/// a / b, one rounding (a half away from zero), saturating; b != 0.
static inline int64_t iso__int128_div64(iso__int128 a, int64_t b) {
    return iso__udiv128_signed((a.hi < 0) != (b < 0), iso__int128_abs(a), iso__abs_u64(b));
}

/// a 2^shift / b, one rounding (a half away from zero), saturating; shift 0..127, b != 0.
static inline int64_t iso__int128_div(iso__int128 a, unsigned shift, iso__int128 b) {
    bool negative = (a.hi < 0) != (b.hi < 0);
    iso__uint128 n = iso__int128_abs(a);
    iso__uint128 d = iso__int128_abs(b);
    unsigned d_zeros = d.hi != 0 ? iso__clz64(d.hi) : 64 + iso__clz64(d.lo);
    unsigned n_zeros = n.hi != 0 ? iso__clz64(n.hi) : 64 + iso__clz64(n.lo);
    if (n_zeros == 128) {
        return 0;
    }
    // With the divisor's top bit at 2^127 a dividend of more than 192 bits has a quotient above 2^64.
    unsigned up = shift + d_zeros;
    if (128 - n_zeros + up > 192) {
        return iso__signed_saturate(negative, true, 0);
    }
    d = iso__uint128_shl(d, d_zeros);
    // n 2^up as three digits (n2, n1, n0): n is shifted to the top first, then down again by the rest.
    iso__uint128 top = iso__uint128_shl(n, n_zeros);
    unsigned down = 64 + n_zeros - up; // of (top, 0), 0..192
    uint64_t digits[3] = {top.hi, top.lo, 0};
    unsigned bits = down % 64;
    uint64_t n_digits[3];
    for (unsigned i = 0; i < 3; ++i) {
        // Digit i of the shifted number comes from digits i - words and i - words - 1 of the unshifted one.
        int from = (int)i - (int)(down / 64);
        uint64_t low = from >= 0 ? digits[from] : 0;
        uint64_t high = from >= 1 ? digits[from - 1] : 0;
        n_digits[i] = bits == 0 ? low : (low >> bits) | (high << (64 - bits));
    }
    uint64_t n2 = n_digits[0];
    uint64_t n1 = n_digits[1];
    uint64_t n0 = n_digits[2];
    if (n2 > d.hi || (n2 == d.hi && n1 >= d.lo)) {
        return iso__signed_saturate(negative, true, 0);
    }
    // The quotient's only digit: an estimate from d.hi alone, corrected with d.lo. As long as the quotient fits
    // a signed result the estimate is at most one too large; beyond, the result saturates either way.
    uint64_t part;
    uint64_t quotient = UINT64_MAX;
    bool carried = false;
    if (n2 == d.hi) {
        part = n1 + d.hi;
        carried = part < n1;
    } else {
        quotient = iso__udiv128(n2, n1, d.hi, &part);
    }
    iso__uint128 product = iso__umul128(quotient, d.lo);
    if (!carried && (product.hi > part || (product.hi == part && product.lo > n0))) {
        quotient -= 1;
        part += d.hi;
        product = iso__umul128(quotient, d.lo);
    }
    // The rest is below d, so that computing it modulo 2^128 is exact. Round up when it is at least d - rest.
    iso__int128 rest =
        iso__int128_sub((iso__int128){(int64_t)part, n0}, (iso__int128){(int64_t)product.hi, product.lo});
    iso__int128 left = iso__int128_sub((iso__int128){(int64_t)d.hi, d.lo}, rest);
    bool rounds_up =
        (uint64_t)rest.hi != (uint64_t)left.hi ? (uint64_t)rest.hi > (uint64_t)left.hi : rest.lo >= left.lo;
    return iso__signed_saturate(negative, rounds_up && quotient == UINT64_MAX, quotient + rounds_up);
}

/// floor(sqrt(a)) for a < 2^127. Exact.
static inline uint64_t iso__isqrt128(iso__uint128 a) {
    if (a.hi == 0) {
        return iso__isqrt64(a.lo);
    }
    // The root of the upper 64 bits, good to 2^-31; one Newton step, which never ends below the root by more
    // than its own rounding; then the last units exactly.
    unsigned shift = iso__clz64(a.hi) & ~1u;
    iso__uint128 top = iso__uint128_shl(a, shift);
    uint64_t s = (uint64_t)iso__isqrt64(top.hi) << 32 >> (shift / 2);
    uint64_t rest;
    uint64_t quotient = iso__udiv128(a.hi, a.lo, s, &rest);
    s = s / 2 + quotient / 2 + (s & quotient & 1);
    for (;;) {
        iso__uint128 square = iso__umul128(s, s);
        if (square.hi < a.hi || (square.hi == a.hi && square.lo <= a.lo)) {
            break;
        }
        s -= 1;
    }
    for (;;) {
        iso__uint128 square = iso__umul128(s + 1, s + 1);
        if (square.hi > a.hi || (square.hi == a.hi && square.lo > a.lo)) {
            break;
        }
        s += 1;
    }
    return s;
}

// ---- symmetric 2x2 systems -----------------------------------------------------------------------

/// The determinant K11 K22 - K12^2 with 64 fraction bits, exact. False when it is not positive.
static inline bool iso__det2(int64_t k11, int64_t k12, int64_t k22, iso__int128 *determinant) {
    *determinant = iso__int128_sub(iso__int128_mul(k11, k22), iso__int128_mul(k12, k12));
    return k11 > 0 && k22 > 0 && iso__int128_sign(*determinant) > 0;
}

/// Solves [k11 k12; k12 k22] x = b. All are Q31.32; each unknown is rounded once and saturates.
/// A matrix that is not positive definite in these bits gives x = 0 and false.
static inline bool iso__solve2(int64_t k11, int64_t k12, int64_t k22, int64_t b1, int64_t b2, int64_t *x1,
                               int64_t *x2) {
    iso__int128 determinant;
    if (!iso__det2(k11, k12, k22, &determinant)) {
        *x1 = 0;
        *x2 = 0;
        return false;
    }
    iso__int128 n1 = iso__int128_sub(iso__int128_mul(k22, b1), iso__int128_mul(k12, b2));
    iso__int128 n2 = iso__int128_sub(iso__int128_mul(k11, b2), iso__int128_mul(k12, b1));
    *x1 = iso__int128_div(n1, 32, determinant);
    *x2 = iso__int128_div(n2, 32, determinant);
    return true;
}

/// The inverse of a symmetric 2x2 matrix that is at least the unit matrix, as the rows of joints have it: no
/// eigenvalue is above 1, so every entry fits Q1.62.
typedef struct iso__inverse2 {
    int64_t i11;
    int64_t i12;
    int64_t i22;
} iso__inverse2;

/// Inverts a Q31.32 matrix whose determinant is at least 1; the entries are within 2^-57 of themselves, for one
/// reciprocal root of 32 bits and a Newton step: rounding the reciprocal alone costs a chain a factor of five in
/// accuracy. Otherwise all zero and false, so that applying it gives zero.
static inline bool iso__inverse2_make(int64_t k11, int64_t k12, int64_t k22, iso__inverse2 *inverse) {
    *inverse = (iso__inverse2){0, 0, 0};
    iso__int128 determinant; // Q.64
    if (!iso__det2(k11, k12, k22, &determinant) || determinant.hi == 0) {
        return false;
    }
    // det = top 2^(bits - 64) and 1/det = reciprocal 2^-126 2^(64 - bits), so that
    // adj(K) 2^-32 / (det 2^-64) 2^62 = adj(K) reciprocal 2^(32 - bits).
    unsigned bits = 64 + iso__bit_width64((uint64_t)determinant.hi); // 65 to 127
    unsigned down = bits - 64;
    uint64_t top = (uint64_t)determinant.hi << (64 - down) | determinant.lo >> down;
    // 2^94 / (top >> 32), as the square of a root that takes no division; 2^62 to 2^63.
    uint64_t root = iso__rsqrt_unit((uint32_t)(top >> 32));
    int64_t reciprocal = root * root > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)(root * root);
    // One Newton step doubles the bits for two multiplications.
    int64_t rest = (INT64_C(1) << 62) - (int64_t)iso__umul128(top, (uint64_t)reciprocal).hi;
    uint64_t refined = (uint64_t)reciprocal + (uint64_t)iso__mul_shift(reciprocal, rest, 62);
    reciprocal = refined > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)refined;
    inverse->i11 = iso__mul_shift(k22, reciprocal, bits - 32);
    inverse->i12 = iso__mul_shift(iso__neg64(k12), reciprocal, bits - 32);
    inverse->i22 = iso__mul_shift(k11, reciprocal, bits - 32);
    return true;
}

/// x = inverse * b, Q31.32, one rounding each (a half up), saturating.
static inline void iso__inverse2_apply(const iso__inverse2 *inverse, int64_t b1, int64_t b2, int64_t *x1, int64_t *x2) {
    *x1 = iso__dot_shift(inverse->i11, b1, inverse->i12, b2, 62);
    *x2 = iso__dot_shift(inverse->i12, b1, inverse->i22, b2, 62);
}

#endif
