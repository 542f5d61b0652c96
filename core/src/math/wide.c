/// Q31.32 arithmetic of the public interface, on top of the 128-bit products.

#include "isostep/fixed.h"

#include "math/wide128.h"

// 1/(2 pi) with 64 and 2 pi with 60 fraction bits, rounded to nearest.
#define INV_TWO_PI_Q64 INT64_C(2935890503282001226)
#define TWO_PI_Q60     INT64_C(7244019458077122842)

fix16_t iso_fix16_from_wide(iso_wide value) {
    // The sum below would wrap just under the top, and everything there saturates anyway.
    return iso__saturate32(iso__round_shift(iso__min64(value, INT64_MAX - 65536), 16));
}

iso_wide iso_wide_add(iso_wide a, iso_wide b) {
    return iso__int128_saturate(iso__int128_add(iso__int128_from(a), iso__int128_from(b)));
}

iso_wide iso_wide_sub(iso_wide a, iso_wide b) {
    return iso__int128_saturate(iso__int128_sub(iso__int128_from(a), iso__int128_from(b)));
}

iso_wide iso_wide_mul(iso_wide a, iso_wide b) {
    return iso__mul_shift(a, b, ISO__WIDE_FRACTION);
}

iso_wide iso_wide_div(iso_wide a, iso_wide b) {
    return iso__div_shift(a, ISO__WIDE_FRACTION, b);
}

iso_wide iso_wide_sqrt(iso_wide value) {
    if (value <= 0) {
        return 0;
    }
    return (iso_wide)iso__isqrt128(iso__uint128_shl((iso__uint128){0, (uint64_t)value}, ISO__WIDE_FRACTION));
}

iso_wide iso_wide_hypot(iso_wide x, iso_wide y) {
    uint64_t ax = iso__abs_u64(x);
    uint64_t ay = iso__abs_u64(y);
    if (ax > (uint64_t)INT64_MAX || ay > (uint64_t)INT64_MAX) {
        return ISO_WIDE_MAX;
    }
    iso__uint128 xx = iso__umul128(ax, ax);
    iso__uint128 yy = iso__umul128(ay, ay);
    uint64_t lo = xx.lo + yy.lo;
    uint64_t root = iso__isqrt128((iso__uint128){xx.hi + yy.hi + (lo < xx.lo), lo});
    return root > (uint64_t)INT64_MAX ? ISO_WIDE_MAX : (iso_wide)root;
}

iso_wide iso_turns_from_radians(iso_wide radians) {
    return iso__mul_shift(radians, INV_TWO_PI_Q64, 64);
}

iso_wide iso_radians_from_turns(iso_wide turns) {
    return iso__mul_shift(turns, TWO_PI_Q60, 60);
}
