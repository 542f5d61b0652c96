/// Sine and cosine, arctangent and exponential: reduced arguments, polynomials, no state.
///
/// libfixmath's versions are off by up to 0.01 and keep unsynchronised caches (NUMERICS.md), so that these are
/// ours. Coefficients are minimax fits (sine, cosine) or series (arctangent, exponential), rounded to the stated
/// fraction; tests/unit/math/test_math_trig.c measures every function against libm.

#include "isostep/fixed.h"

#include "math/wide128.h"

// ---- rotations -----------------------------------------------------------------------------------

/// a b + c d in Q2.30, rounded to nearest, clamped to a unit component.
static int32_t rotation_component(int32_t a, int32_t b, int32_t c, int32_t d) {
    // In 128 bits nothing could wrap; in 64 bits the sum stays below 2^62 because components are within 2^30.
    int64_t sum = iso__add64(iso__mul32(a, b), iso__mul32(c, d));
    return (int32_t)iso__clamp64(iso__round_shift(sum, ISO__UNIT_FRACTION), -ISO__UNIT_ONE, ISO__UNIT_ONE);
}

iso_rotation iso_rotation_make(uint32_t turns) {
    // z is the distance to the nearest axis in eighths of a turn, Q.29 in [0, 1]: mirrored angles share it, so
    // that their components agree in every bit.
    uint32_t octant = turns >> 29;
    uint32_t part = turns & ((1u << 29) - 1);
    int64_t z = (octant & 1) != 0 ? (INT64_C(1) << 29) - (int64_t)part : (int64_t)part;
    int64_t w = iso__round_shift(z * z, 27); // z^2, Q.31

    // sin(pi/4 z) = z (s0 + s1 w + s2 w^2 + s3 w^3 + s4 w^4), error 1.8e-12. Q.33.
    int64_t sine = 2651;
    sine = iso__round_shift(sine * w, 31) - 314146;
    sine = iso__round_shift(sine * w, 31) + 21392309;
    sine = iso__round_shift(sine * w, 31) - 693598665;
    sine = iso__round_shift(sine * w, 31) + INT64_C(6746518852);
    sine = iso__round_shift(sine * z, 32); // Q.30

    // cos(pi/4 z) = 1 - w (c0 - c1 w + c2 w^2 - c3 w^3), error 5.7e-11. Q.33.
    int64_t cosine = -30337;
    cosine = iso__round_shift(cosine * w, 31) + 2799827;
    cosine = iso__round_shift(cosine * w, 31) - 136187643;
    cosine = iso__round_shift(cosine * w, 31) + INT64_C(2649351744);
    cosine = ISO__UNIT_ONE - iso__round_shift(cosine * w, 34); // Q.30

    bool swaps = ((octant + 1) & 2) != 0;
    int64_t c = swaps ? sine : cosine;
    int64_t s = swaps ? cosine : sine;
    return (iso_rotation){(int32_t)(((octant + 2) & 4) != 0 ? -c : c), (int32_t)((octant & 4) != 0 ? -s : s)};
}

iso_rotation iso_rotation_mul(iso_rotation a, iso_rotation b) {
    return (iso_rotation){rotation_component(a.c, b.c, -a.s, b.s), rotation_component(a.s, b.c, a.c, b.s)};
}

iso_rotation iso_rotation_inv_mul(iso_rotation a, iso_rotation b) {
    return (iso_rotation){rotation_component(a.c, b.c, a.s, b.s), rotation_component(a.c, b.s, -a.s, b.c)};
}

// ---- arctangent ----------------------------------------------------------------------------------

// round(atan(i / 32) / (2 pi) * 2^62).
static const int64_t ATAN_TURNS_Q62[33] = {
    INT64_C(0),
    INT64_C(22929182573009054),
    INT64_C(45813697873323707),
    INT64_C(68609398520218177),
    INT64_C(91273161881380487),
    INT64_C(113763365663537387),
    INT64_C(136040321548786875),
    INT64_C(158066656337811560),
    INT64_C(179807632645220259),
    INT64_C(201231404012809634),
    INT64_C(222309202162474374),
    INT64_C(243015456817397615),
    INT64_C(263327850925872798),
    INT64_C(283227316116728228),
    INT64_C(302697974735026449),
    INT64_C(321727035832070199),
    INT64_C(340304653033718298),
    INT64_C(358423752334169642),
    INT64_C(376079837627021180),
    INT64_C(393270781269974473),
    INT64_C(409996606264248208),
    INT64_C(426259265790001924),
    INT64_C(442062424941140217),
    INT64_C(457411248601282690),
    INT64_C(472312198539410381),
    INT64_C(486772842008505379),
    INT64_C(500801673422216336),
    INT64_C(514407950072821846),
    INT64_C(527601542340832980),
    INT64_C(540392798429349328),
    INT64_C(552792423327895199),
    INT64_C(564811371461748771),
    INT64_C(576460752303423488),
};

/// atan(u) / (2 pi) in Q.62 for u in Q.37, |u| <= 1/64: u (1 - u^2/3 + u^4/5). What is left out is below 2^-47
/// turns.
static int64_t atan2_series(int64_t u) {
    int64_t uu = iso__round_shift(u * u, 37);
    int64_t sum = (INT64_C(1) << 37) / 3 - iso__round_shift(uu * ((INT64_C(1) << 37) / 5), 37);
    sum = u - iso__round_shift(iso__round_shift(uu * sum, 37) * u, 37);
    return iso__round_shift(sum * INT64_C(683565276), 7); // 1/(2 pi), Q.32
}

iso_wide iso_wide_atan2(iso_wide y, iso_wide x) {
    uint64_t ax = iso__abs_u64(x);
    uint64_t ay = iso__abs_u64(y);
    bool steep = ay > ax;
    uint64_t a = steep ? ay : ax;
    uint64_t b = steep ? ax : ay;
    if (a == 0) {
        return 0;
    }
    // 56 bits leave room for the factor 32 and the sum below; what is dropped is 2^-56 of the vector.
    unsigned bits = iso__bit_width64(a);
    if (bits > 56) {
        a >>= bits - 56;
        b >>= bits - 56;
    }
    // atan(b/a) = atan(i/32) + atan((32 b - i a) / (32 a + i b)) with i the nearest node.
    uint64_t node = (32 * b + a / 2) / a;
    int64_t u = iso__div_shift((int64_t)(32 * b - node * a), 37, (int64_t)(32 * a + node * b));
    int64_t turns = ATAN_TURNS_Q62[node] + atan2_series(u);
    if (steep) {
        turns = (INT64_C(1) << 60) - turns;
    }
    if (x < 0) {
        turns = (INT64_C(1) << 61) - turns;
    }
    turns = iso__round_shift(turns, 30);
    // Just below the negative x axis the nearest angle is half a turn, which has only one name.
    return y < 0 && turns != ISO_WIDE_HALF ? -turns : turns;
}

// ---- exponential ---------------------------------------------------------------------------------

// round(2^62 / n!), n = 0 to 16.
static const int64_t INVERSE_FACTORIAL_Q62[17] = {
    INT64_C(4611686018427387904),
    INT64_C(4611686018427387904),
    INT64_C(2305843009213693952),
    INT64_C(768614336404564651),
    INT64_C(192153584101141163),
    INT64_C(38430716820228233),
    INT64_C(6405119470038039),
    INT64_C(915017067148291),
    INT64_C(114377133393536),
    INT64_C(12708570377060),
    INT64_C(1270857037706),
    INT64_C(115532457973),
    INT64_C(9627704831),
    INT64_C(740592679),
    INT64_C(52899477),
    INT64_C(3526632),
    INT64_C(220414),
};

// ln 2 = LN2_Q62 2^-62 + LN2_REST 2^-94.
#define LN2_Q62  INT64_C(3196577161300663914)
#define LN2_REST INT64_C(4068011238)

iso_wide iso_wide_exp(iso_wide value) {
    if (value > INT64_C(92288378626)) { // 31 ln 2
        return ISO_WIDE_MAX;
    }
    if (value < INT64_C(-98242467570)) { // -33 ln 2: below half a quantum
        return 0;
    }
    // value = k ln 2 + r, |r| <= 0.35; k need not be the nearest in a tie. 1512775 is 1 / ln 2 in Q.20.
    int64_t k = iso__round_shift((value >> 12) * 1512775, 40);
    // Both terms exceed 64 bits, their difference does not: it is right modulo 2^64.
    int64_t r = (int64_t)(((uint64_t)value << 30) - (uint64_t)k * (uint64_t)LN2_Q62);
    r -= iso__round_shift(k * LN2_REST, 32);
    int64_t sum = INVERSE_FACTORIAL_Q62[16];
    for (int n = 15; n >= 0; --n) {
        sum = INVERSE_FACTORIAL_Q62[n] + iso__mul_shift(sum, r, 62);
    }
    // e^value = sum 2^k, from Q.62 to Q.32.
    int64_t shift = 30 - k;
    if (shift <= 0) {
        return (uint64_t)sum >> (63 + shift) != 0 ? ISO_WIDE_MAX : iso__shl64(sum, (unsigned)-shift);
    }
    return (int64_t)(((uint64_t)sum + (UINT64_C(1) << (shift - 1))) >> shift);
}
