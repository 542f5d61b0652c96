/// Vectors for users' code: sums of products in 64 or 128 bits, rounded once.
#include "isostep/vec2.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"

iso_vec2 iso_vec2_from_wide(iso_vec2_wide v) {
    return (iso_vec2){iso_fix16_from_wide(v.x), iso_fix16_from_wide(v.y)};
}

// ---- Q15.16 --------------------------------------------------------------------------------------

iso_vec2 iso_vec2_add(iso_vec2 a, iso_vec2 b) {
    return (iso_vec2){iso__saturate32((int64_t)a.x + b.x), iso__saturate32((int64_t)a.y + b.y)};
}

iso_vec2 iso_vec2_sub(iso_vec2 a, iso_vec2 b) {
    return (iso_vec2){iso__saturate32((int64_t)a.x - b.x), iso__saturate32((int64_t)a.y - b.y)};
}

static fix16_t vec2_scaled(fix16_t a, fix16_t factor) {
    return iso__saturate32(iso__round_shift(iso__mul32(a, factor), ISO__FIX16_FRACTION));
}

iso_vec2 iso_vec2_scale(iso_vec2 v, fix16_t factor) {
    return (iso_vec2){vec2_scaled(v.x, factor), vec2_scaled(v.y, factor)};
}

iso_wide iso_vec2_dot(iso_vec2 a, iso_vec2 b) {
    return iso_wide_add(iso__mul32(a.x, b.x), iso__mul32(a.y, b.y));
}

iso_wide iso_vec2_cross(iso_vec2 a, iso_vec2 b) {
    // A product reaches 2^62 only above zero, so that no difference reaches 2^63.
    return iso__mul32(a.x, b.y) - iso__mul32(a.y, b.x);
}

iso_wide iso_vec2_length(iso_vec2 v) {
    return iso_wide_hypot(iso_wide_from_fix16(v.x), iso_wide_from_fix16(v.y));
}

iso_wide iso_vec2_distance(iso_vec2 a, iso_vec2 b) {
    return iso_wide_hypot(iso_wide_from_fix16(b.x) - iso_wide_from_fix16(a.x),
                          iso_wide_from_fix16(b.y) - iso_wide_from_fix16(a.y));
}

iso_vec2 iso_vec2_normalize(iso_vec2 v) {
    int32_t x, y;
    iso__normalize(v.x, v.y, &x, &y);
    return (iso_vec2){iso__round_shift32(x, ISO__UNIT_FRACTION - ISO__FIX16_FRACTION),
                      iso__round_shift32(y, ISO__UNIT_FRACTION - ISO__FIX16_FRACTION)};
}

iso_vec2 iso_vec2_rotate(iso_vec2 v, iso_rotation rotation) {
    // Components of a rotation are within 2^30, so that the sums stay within 2^62.
    const int64_t x = iso__sub64(iso__mul32(rotation.c, v.x), iso__mul32(rotation.s, v.y));
    const int64_t y = iso__add64(iso__mul32(rotation.s, v.x), iso__mul32(rotation.c, v.y));
    return (iso_vec2){iso__saturate32(iso__round_shift(x, ISO__UNIT_FRACTION)),
                      iso__saturate32(iso__round_shift(y, ISO__UNIT_FRACTION))};
}

iso_vec2 iso_vec2_rotate_turns(iso_vec2 v, iso_wide turns) {
    return iso_vec2_rotate(v, iso_rotation_make((uint32_t)(uint64_t)turns));
}

static fix16_t vec2_between(fix16_t a, fix16_t b, fix16_t t) {
    const int64_t rest = (int64_t)ISO_FIX16_ONE - t;
    return iso__saturate32(iso__dot_shift(a, rest, b, t, ISO__FIX16_FRACTION));
}

iso_vec2 iso_vec2_lerp(iso_vec2 a, iso_vec2 b, fix16_t t) {
    return (iso_vec2){vec2_between(a.x, b.x, t), vec2_between(a.y, b.y, t)};
}

// ---- Q31.32 --------------------------------------------------------------------------------------

iso_vec2_wide iso_vec2_wide_add(iso_vec2_wide a, iso_vec2_wide b) {
    return (iso_vec2_wide){iso_wide_add(a.x, b.x), iso_wide_add(a.y, b.y)};
}

iso_vec2_wide iso_vec2_wide_sub(iso_vec2_wide a, iso_vec2_wide b) {
    return (iso_vec2_wide){iso_wide_sub(a.x, b.x), iso_wide_sub(a.y, b.y)};
}

iso_vec2_wide iso_vec2_wide_scale(iso_vec2_wide v, iso_wide factor) {
    return (iso_vec2_wide){iso_wide_mul(v.x, factor), iso_wide_mul(v.y, factor)};
}

/// (a b + c d) / 2^shift. The sum of two products of the smallest numbers alone does not fit 128 bits.
static iso_wide vec2_sum(iso_wide a, iso_wide b, iso_wide c, iso_wide d, unsigned shift) {
    const bool is_too_much = a == INT64_MIN && b == INT64_MIN && c == INT64_MIN && d == INT64_MIN;
    return is_too_much ? ISO_WIDE_MAX : iso__dot_shift(a, b, c, d, shift);
}

/// (a b - c d) / 2^shift. A product reaches 2^126 only above zero, so that every difference fits.
static iso_wide vec2_difference(iso_wide a, iso_wide b, iso_wide c, iso_wide d, unsigned shift) {
    const iso__int128 product = iso__int128_mul(a, b), other = iso__int128_mul(c, d);
    return iso__int128_saturate(iso__int128_round_shift(iso__int128_sub(product, other), shift));
}

iso_wide iso_vec2_wide_dot(iso_vec2_wide a, iso_vec2_wide b) {
    return vec2_sum(a.x, b.x, a.y, b.y, ISO__WIDE_FRACTION);
}

iso_wide iso_vec2_wide_cross(iso_vec2_wide a, iso_vec2_wide b) {
    return vec2_difference(a.x, b.y, a.y, b.x, ISO__WIDE_FRACTION);
}

iso_wide iso_vec2_wide_length(iso_vec2_wide v) {
    return iso_wide_hypot(v.x, v.y);
}

iso_wide iso_vec2_wide_distance(iso_vec2_wide a, iso_vec2_wide b) {
    return iso_wide_hypot(iso_wide_sub(b.x, a.x), iso_wide_sub(b.y, a.y));
}

iso_vec2_wide iso_vec2_wide_normalize(iso_vec2_wide v) {
    iso_unit2 unit;
    iso__normalize(v.x, v.y, &unit.x, &unit.y);
    return iso_vec2_wide_from_unit(unit);
}

iso_vec2_wide iso_vec2_wide_rotate(iso_vec2_wide v, iso_rotation rotation) {
    return (iso_vec2_wide){vec2_difference(rotation.c, v.x, rotation.s, v.y, ISO__UNIT_FRACTION),
                           vec2_sum(rotation.s, v.x, rotation.c, v.y, ISO__UNIT_FRACTION)};
}

iso_vec2_wide iso_vec2_wide_rotate_turns(iso_vec2_wide v, iso_wide turns) {
    return iso_vec2_wide_rotate(v, iso_rotation_make((uint32_t)(uint64_t)turns));
}

iso_vec2_wide iso_vec2_wide_lerp(iso_vec2_wide a, iso_vec2_wide b, iso_wide t) {
    const iso_wide rest = iso_wide_sub(ISO_WIDE_ONE, t);
    return (iso_vec2_wide){iso__dot_shift(a.x, rest, b.x, t, ISO__WIDE_FRACTION),
                           iso__dot_shift(a.y, rest, b.y, t, ISO__WIDE_FRACTION)};
}
