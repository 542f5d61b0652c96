/// Lane operations of SSE4.1: two lanes. portable.h says what each means.
#ifndef ISO_SIMD_SSE41_H
#define ISO_SIMD_SSE41_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

#define ISO__VECTOR_LANES 2u

typedef __m128i iso__vector;

ISO__ALWAYS_INLINE iso__vector iso__vector_set(int64_t value) {
    return _mm_set1_epi64x(value);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load(const void *from) {
    return _mm_loadu_si128((const __m128i *)from);
}

ISO__ALWAYS_INLINE void iso__vector_store(void *to, iso__vector x) {
    _mm_storeu_si128((__m128i *)to, x);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_widen(const int32_t *from) {
    return _mm_cvtepi32_epi64(_mm_loadl_epi64((const __m128i *)from));
}

ISO__ALWAYS_INLINE void iso__vector_narrow(int32_t *to, iso__vector x) {
    _mm_storel_epi64((__m128i *)to, _mm_shuffle_epi32(x, 0x08));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add(iso__vector a, iso__vector b) {
    return _mm_add_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub(iso__vector a, iso__vector b) {
    return _mm_sub_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_mul(iso__vector a, iso__vector b) {
    return _mm_mul_epi32(a, b);
}

#define iso__vector_shift_right(x, n) _mm_srli_epi64(x, n)
#define iso__vector_shift_left(x, n)  _mm_slli_epi64(x, n)

ISO__ALWAYS_INLINE iso__vector iso__vector_sub_pairs(iso__vector a, iso__vector b) {
    return _mm_sub_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add_pairs(iso__vector a, iso__vector b) {
    return _mm_add_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_min(iso__vector a, iso__vector b) {
    return _mm_min_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_max(iso__vector a, iso__vector b) {
    return _mm_max_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_with_low(iso__vector low, iso__vector pair) {
    return _mm_blend_epi16(low, pair, 0xcc);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_pair(iso__vector low, iso__vector high) {
    return _mm_blend_epi16(low, _mm_slli_epi64(high, 32), 0xcc);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_if_positive(iso__vector x, iso__vector a, iso__vector b) {
    return _mm_blendv_epi8(b, a, _mm_cmpgt_epi32(x, _mm_setzero_si128()));
}

/// Numbers of 64 bits cannot be compared, but the high half says whether the shifted number fits 32 bits.
ISO__ALWAYS_INLINE iso__vector iso__vector_saturate(iso__vector shifted, iso__vector high_half, int32_t bound,
                                                    iso__vector low, iso__vector high) {
    const __m128i is_above = _mm_cmpgt_epi32(high_half, _mm_set1_epi32(bound - 1));
    const __m128i is_below = _mm_cmpgt_epi32(_mm_set1_epi32(-bound), high_half);
    const __m128i saturated = _mm_blendv_epi8(_mm_blendv_epi8(shifted, high, is_above), low, is_below);
    return _mm_max_epi32(_mm_min_epi32(saturated, high), low);
}
#define iso__vector_clamp_shifted(x, n, low, high) \
    iso__vector_saturate(_mm_srli_epi64(x, n), _mm_srli_epi64(x, 32), (int32_t)1 << ((n)-1), low, high)

ISO__ALWAYS_INLINE iso__vector iso__vector_odd_bit(iso__vector x) {
    return _mm_and_si128(_mm_srli_epi64(x, 30), _mm_set1_epi64x(1));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_or(iso__vector a, iso__vector b) {
    return _mm_or_si128(a, b);
}

ISO__ALWAYS_INLINE int iso__vector_is_zero(iso__vector x) {
    return _mm_testz_si128(x, x);
}

ISO__ALWAYS_INLINE __m128i iso__vector_load_record(const void *base, size_t stride, uint32_t index) {
    return _mm_loadu_si128((const __m128i *)((const char *)base + (size_t)index * stride));
}

ISO__ALWAYS_INLINE void iso__vector_gather(const void *base, size_t stride, const uint32_t *index, iso__vector *first,
                                           iso__vector *last) {
    const __m128i even = iso__vector_load_record(base, stride, index[0]),
                  odd = iso__vector_load_record(base, stride, index[1]);
    *first = _mm_unpacklo_epi64(even, odd);
    *last = _mm_unpackhi_epi64(even, odd);
}

ISO__ALWAYS_INLINE void iso__vector_store_record(void *base, size_t stride, uint32_t index, __m128i record) {
    _mm_storeu_si128((__m128i *)((char *)base + (size_t)index * stride), record);
}

ISO__ALWAYS_INLINE void iso__vector_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                            iso__vector first, iso__vector last) {
    if (bits & 1) {
        iso__vector_store_record(base, stride, index[0], _mm_unpacklo_epi64(first, last));
    }
    if (bits & 2) {
        iso__vector_store_record(base, stride, index[1], _mm_unpackhi_epi64(first, last));
    }
}

/// A shift takes one count for both lanes.
ISO__ALWAYS_INLINE iso__vector iso__vector_shift_right_each(iso__vector x, iso__vector count) {
    return _mm_blend_epi16(_mm_srl_epi64(x, count), _mm_srl_epi64(x, _mm_unpackhi_epi64(count, count)), 0xf0);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[0] * stride)),
                              _mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[1] * stride)));
}

#endif
