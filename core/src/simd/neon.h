/// Lane operations of NEON on 64-bit ARM: two lanes. portable.h says what each means.
#ifndef ISO_SIMD_NEON_H
#define ISO_SIMD_NEON_H

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

#define ISO__VECTOR_LANES 2u

typedef int64x2_t iso__vector;

ISO__ALWAYS_INLINE int32x4_t iso__vector_halves(iso__vector x) {
    return vreinterpretq_s32_s64(x);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_set(int64_t value) {
    return vdupq_n_s64(value);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load(const void *from) {
    return vreinterpretq_s64_u8(vld1q_u8((const uint8_t *)from));
}

ISO__ALWAYS_INLINE void iso__vector_store(void *to, iso__vector x) {
    vst1q_u8((uint8_t *)to, vreinterpretq_u8_s64(x));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_widen(const int32_t *from) {
    return vmovl_s32(vld1_s32(from));
}

ISO__ALWAYS_INLINE void iso__vector_narrow(int32_t *to, iso__vector x) {
    vst1_s32(to, vmovn_s64(x));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add(iso__vector a, iso__vector b) {
    return vaddq_s64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub(iso__vector a, iso__vector b) {
    return vsubq_s64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_mul(iso__vector a, iso__vector b) {
    return vmull_s32(vmovn_s64(a), vmovn_s64(b));
}

#define iso__vector_shift_right(x, n) vreinterpretq_s64_u64(vshrq_n_u64(vreinterpretq_u64_s64(x), n))
#define iso__vector_shift_left(x, n)  vshlq_n_s64(x, n)

ISO__ALWAYS_INLINE iso__vector iso__vector_sub_pairs(iso__vector a, iso__vector b) {
    return vreinterpretq_s64_s32(vsubq_s32(iso__vector_halves(a), iso__vector_halves(b)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add_pairs(iso__vector a, iso__vector b) {
    return vreinterpretq_s64_s32(vaddq_s32(iso__vector_halves(a), iso__vector_halves(b)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_min(iso__vector a, iso__vector b) {
    return vreinterpretq_s64_s32(vminq_s32(iso__vector_halves(a), iso__vector_halves(b)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_max(iso__vector a, iso__vector b) {
    return vreinterpretq_s64_s32(vmaxq_s32(iso__vector_halves(a), iso__vector_halves(b)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_with_low(iso__vector low, iso__vector pair) {
    return vbslq_s64(vdupq_n_u64(UINT32_MAX), low, pair);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_pair(iso__vector low, iso__vector high) {
    return vsliq_n_s64(low, high, 32);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_if_positive(iso__vector x, iso__vector a, iso__vector b) {
    const uint32x4_t is_positive = vcgtq_s32(iso__vector_halves(x), vdupq_n_s32(0));
    return vreinterpretq_s64_s32(vbslq_s32(is_positive, iso__vector_halves(a), iso__vector_halves(b)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_clamp(iso__vector x, iso__vector low, iso__vector high) {
    x = vbslq_s64(vcgtq_s64(x, high), high, x);
    return vbslq_s64(vcgtq_s64(low, x), low, x);
}
#define iso__vector_clamp_shifted(x, n, low, high) iso__vector_clamp(vshrq_n_s64(x, n), low, high)

ISO__ALWAYS_INLINE iso__vector iso__vector_odd_bit(iso__vector x) {
    return vandq_s64(iso__vector_shift_right(x, 30), vdupq_n_s64(1));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_or(iso__vector a, iso__vector b) {
    return vorrq_s64(a, b);
}

ISO__ALWAYS_INLINE int iso__vector_is_zero(iso__vector x) {
    return (vgetq_lane_s64(x, 0) | vgetq_lane_s64(x, 1)) == 0;
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load_record(const void *base, size_t stride, uint32_t index) {
    return iso__vector_load((const char *)base + (size_t)index * stride);
}

ISO__ALWAYS_INLINE void iso__vector_gather(const void *base, size_t stride, const uint32_t *index, iso__vector *first,
                                           iso__vector *last) {
    const iso__vector even = iso__vector_load_record(base, stride, index[0]),
                      odd = iso__vector_load_record(base, stride, index[1]);
    *first = vzip1q_s64(even, odd);
    *last = vzip2q_s64(even, odd);
}

ISO__ALWAYS_INLINE void iso__vector_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                            iso__vector first, iso__vector last) {
    if (bits & 1) {
        iso__vector_store((char *)base + (size_t)index[0] * stride, vzip1q_s64(first, last));
    }
    if (bits & 2) {
        iso__vector_store((char *)base + (size_t)index[1] * stride, vzip2q_s64(first, last));
    }
}

ISO__ALWAYS_INLINE iso__vector iso__vector_shift_right_each(iso__vector x, iso__vector count) {
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(x), vnegq_s64(count)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    const char *from = base;
    return vreinterpretq_s64_u8(vcombine_u8(vld1_u8((const uint8_t *)from + (size_t)index[0] * stride),
                                            vld1_u8((const uint8_t *)from + (size_t)index[1] * stride)));
}

#endif
