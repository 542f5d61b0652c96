/// Vectors of space for users' code: sums of products in 64 or 128 bits, rounded once.
#include "isostep/vec3.h"

#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"

iso_vec3 iso_vec3_from_wide(iso_vec3_wide v) {
    return (iso_vec3){iso_fix16_from_wide(v.x), iso_fix16_from_wide(v.y), iso_fix16_from_wide(v.z)};
}

// ---- Q15.16 --------------------------------------------------------------------------------------

iso_vec3 iso_vec3_add(iso_vec3 a, iso_vec3 b) {
    return (iso_vec3){iso__saturate32((int64_t)a.x + b.x), iso__saturate32((int64_t)a.y + b.y),
                      iso__saturate32((int64_t)a.z + b.z)};
}

iso_vec3 iso_vec3_sub(iso_vec3 a, iso_vec3 b) {
    return (iso_vec3){iso__saturate32((int64_t)a.x - b.x), iso__saturate32((int64_t)a.y - b.y),
                      iso__saturate32((int64_t)a.z - b.z)};
}

static fix16_t vec3_scaled(fix16_t a, fix16_t factor) {
    return iso__saturate32(iso__round_shift(iso__mul32(a, factor), ISO__FIX16_FRACTION));
}

iso_vec3 iso_vec3_scale(iso_vec3 v, fix16_t factor) {
    return (iso_vec3){vec3_scaled(v.x, factor), vec3_scaled(v.y, factor), vec3_scaled(v.z, factor)};
}

iso_wide iso_vec3_dot(iso_vec3 a, iso_vec3 b) {
    return iso__dot3_shift(a.x, b.x, a.y, b.y, a.z, b.z, 0);
}

iso_vec3_wide iso_vec3_cross(iso_vec3 a, iso_vec3 b) {
    int64_t c[3];
    iso__cross3((const int32_t[3]){a.x, a.y, a.z}, (const int32_t[3]){b.x, b.y, b.z}, c);
    return (iso_vec3_wide){c[0], c[1], c[2]};
}

iso_wide iso_vec3_length(iso_vec3 v) {
    return iso_vec3_wide_length(iso_vec3_to_wide(v));
}

iso_wide iso_vec3_distance(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_wide_distance(iso_vec3_to_wide(a), iso_vec3_to_wide(b));
}

iso_vec3 iso_vec3_normalize(iso_vec3 v) {
    int32_t n[3];
    iso__normalize3((const int64_t[3]){v.x, v.y, v.z}, n);
    const unsigned shift = ISO__UNIT_FRACTION - ISO__FIX16_FRACTION;
    return (iso_vec3){iso__round_shift32(n[0], shift), iso__round_shift32(n[1], shift),
                      iso__round_shift32(n[2], shift)};
}

static fix16_t vec3_between(fix16_t a, fix16_t b, fix16_t t) {
    const int64_t rest = (int64_t)ISO_FIX16_ONE - t;
    return iso__saturate32(iso__dot_shift(a, rest, b, t, ISO__FIX16_FRACTION));
}

iso_vec3 iso_vec3_lerp(iso_vec3 a, iso_vec3 b, fix16_t t) {
    return (iso_vec3){vec3_between(a.x, b.x, t), vec3_between(a.y, b.y, t), vec3_between(a.z, b.z, t)};
}

// ---- Q31.32 --------------------------------------------------------------------------------------

iso_vec3_wide iso_vec3_wide_add(iso_vec3_wide a, iso_vec3_wide b) {
    return (iso_vec3_wide){iso_wide_add(a.x, b.x), iso_wide_add(a.y, b.y), iso_wide_add(a.z, b.z)};
}

iso_vec3_wide iso_vec3_wide_sub(iso_vec3_wide a, iso_vec3_wide b) {
    return (iso_vec3_wide){iso_wide_sub(a.x, b.x), iso_wide_sub(a.y, b.y), iso_wide_sub(a.z, b.z)};
}

iso_vec3_wide iso_vec3_wide_scale(iso_vec3_wide v, iso_wide factor) {
    return (iso_vec3_wide){iso_wide_mul(v.x, factor), iso_wide_mul(v.y, factor), iso_wide_mul(v.z, factor)};
}

iso_wide iso_vec3_wide_dot(iso_vec3_wide a, iso_vec3_wide b) {
    const iso__int128 z = iso__int128_mul(a.z, b.z);
    iso__int128 sum = iso__int128_add(iso__int128_mul(a.x, b.x), iso__int128_mul(a.y, b.y));
    // No product is below -2^126 or above 2^126: what wraps is far above what fits in the end, with the third product,
    // too. Two wrap when both are 2^126, three show it by their signs.
    const bool two_wrap = a.x == INT64_MIN && b.x == INT64_MIN && a.y == INT64_MIN && b.y == INT64_MIN;
    const bool is_negative = sum.hi < 0;
    sum = iso__int128_add(sum, z);
    if (two_wrap || (is_negative == (z.hi < 0) && is_negative != (sum.hi < 0))) {
        return is_negative && !two_wrap ? ISO_WIDE_MIN : ISO_WIDE_MAX;
    }
    return iso__int128_saturate(iso__int128_round_shift(sum, ISO__WIDE_FRACTION));
}

/// (a b - c d) / 2^32. A product reaches 2^126 only above zero, so that every difference fits.
static iso_wide vec3_difference(iso_wide a, iso_wide b, iso_wide c, iso_wide d) {
    const iso__int128 product = iso__int128_mul(a, b), other = iso__int128_mul(c, d);
    return iso__int128_saturate(iso__int128_round_shift(iso__int128_sub(product, other), ISO__WIDE_FRACTION));
}

iso_vec3_wide iso_vec3_wide_cross(iso_vec3_wide a, iso_vec3_wide b) {
    return (iso_vec3_wide){vec3_difference(a.y, b.z, a.z, b.y), vec3_difference(a.z, b.x, a.x, b.z),
                           vec3_difference(a.x, b.y, a.y, b.x)};
}

iso_wide iso_vec3_wide_length(iso_vec3_wide v) {
    return iso__length3((const int64_t[3]){v.x, v.y, v.z});
}

iso_wide iso_vec3_wide_distance(iso_vec3_wide a, iso_vec3_wide b) {
    return iso_vec3_wide_length(iso_vec3_wide_sub(b, a));
}

iso_vec3_wide iso_vec3_wide_normalize(iso_vec3_wide v) {
    int32_t n[3];
    iso__normalize3((const int64_t[3]){v.x, v.y, v.z}, n);
    return iso_vec3_wide_from_unit((iso_unit3){n[0], n[1], n[2]});
}

iso_vec3_wide iso_vec3_wide_lerp(iso_vec3_wide a, iso_vec3_wide b, iso_wide t) {
    const iso_wide rest = iso_wide_sub(ISO_WIDE_ONE, t);
    return (iso_vec3_wide){iso__dot_shift(a.x, rest, b.x, t, ISO__WIDE_FRACTION),
                           iso__dot_shift(a.y, rest, b.y, t, ISO__WIDE_FRACTION),
                           iso__dot_shift(a.z, rest, b.z, t, ISO__WIDE_FRACTION)};
}
