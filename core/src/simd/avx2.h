/// Lane operations of AVX2: four lanes. portable.h says what each means.
#ifndef ISO_SIMD_AVX2_H
#define ISO_SIMD_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

#define ISO__VECTOR_LANES 4u

typedef __m256i iso__vector;

ISO__ALWAYS_INLINE iso__vector iso__vector_set(int64_t value) {
    return _mm256_set1_epi64x(value);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load(const void *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}

ISO__ALWAYS_INLINE void iso__vector_store(void *to, iso__vector x) {
    _mm256_storeu_si256((__m256i *)to, x);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_widen(const int32_t *from) {
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)from));
}

ISO__ALWAYS_INLINE void iso__vector_narrow(int32_t *to, iso__vector x) {
    const __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(x));
    const __m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(x, 1));
    _mm_storeu_si128((__m128i *)to, _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add(iso__vector a, iso__vector b) {
    return _mm256_add_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub(iso__vector a, iso__vector b) {
    return _mm256_sub_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_mul(iso__vector a, iso__vector b) {
    return _mm256_mul_epi32(a, b);
}

#define iso__vector_shift_right(x, n) _mm256_srli_epi64(x, n)
#define iso__vector_shift_left(x, n)  _mm256_slli_epi64(x, n)

ISO__ALWAYS_INLINE iso__vector iso__vector_sub_pairs(iso__vector a, iso__vector b) {
    return _mm256_sub_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add_pairs(iso__vector a, iso__vector b) {
    return _mm256_add_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_min(iso__vector a, iso__vector b) {
    return _mm256_min_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_max(iso__vector a, iso__vector b) {
    return _mm256_max_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_with_low(iso__vector low, iso__vector pair) {
    return _mm256_blend_epi32(low, pair, 0xaa);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_pair(iso__vector low, iso__vector high) {
    return _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xaa);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_if_positive(iso__vector x, iso__vector a, iso__vector b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi32(x, _mm256_setzero_si256()));
}

/// There is no arithmetic shift of 64 bits, so the number is clamped before its shift.
#define iso__vector_clamp_shifted(x, n, low, high) \
    _mm256_srli_epi64(iso__vector_clamp(x, _mm256_slli_epi64(low, n), _mm256_slli_epi64(high, n)), n)

ISO__ALWAYS_INLINE iso__vector iso__vector_clamp(iso__vector x, iso__vector low, iso__vector high) {
    x = _mm256_blendv_epi8(x, high, _mm256_cmpgt_epi64(x, high));
    return _mm256_blendv_epi8(x, low, _mm256_cmpgt_epi64(low, x));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_odd_bit(iso__vector x) {
    return _mm256_and_si256(_mm256_srli_epi64(x, 30), _mm256_set1_epi64x(1));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_or(iso__vector a, iso__vector b) {
    return _mm256_or_si256(a, b);
}

ISO__ALWAYS_INLINE int iso__vector_is_zero(iso__vector x) {
    return _mm256_testz_si256(x, x);
}

ISO__ALWAYS_INLINE __m128i iso__vector_load_record(const void *base, size_t stride, uint32_t index) {
    return _mm_loadu_si128((const __m128i *)((const char *)base + (size_t)index * stride));
}

ISO__ALWAYS_INLINE void iso__vector_gather(const void *base, size_t stride, const uint32_t *index, iso__vector *first,
                                           iso__vector *last) {
    const __m256i even =
        _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_record(base, stride, index[0])),
                                iso__vector_load_record(base, stride, index[2]), 1);
    const __m256i odd = _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_record(base, stride, index[1])),
                                                iso__vector_load_record(base, stride, index[3]), 1);
    *first = _mm256_unpacklo_epi64(even, odd);
    *last = _mm256_unpackhi_epi64(even, odd);
}

ISO__ALWAYS_INLINE void iso__vector_store_record(void *base, size_t stride, uint32_t index, __m128i record) {
    _mm_storeu_si128((__m128i *)((char *)base + (size_t)index * stride), record);
}

ISO__ALWAYS_INLINE void iso__vector_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                            iso__vector first, iso__vector last) {
    const __m256i even = _mm256_unpacklo_epi64(first, last), odd = _mm256_unpackhi_epi64(first, last);
    if ((bits & 15) == 15) { // mostly
        iso__vector_store_record(base, stride, index[0], _mm256_castsi256_si128(even));
        iso__vector_store_record(base, stride, index[1], _mm256_castsi256_si128(odd));
        iso__vector_store_record(base, stride, index[2], _mm256_extracti128_si256(even, 1));
        iso__vector_store_record(base, stride, index[3], _mm256_extracti128_si256(odd, 1));
        return;
    }
    if (bits & 1) {
        iso__vector_store_record(base, stride, index[0], _mm256_castsi256_si128(even));
    }
    if (bits & 2) {
        iso__vector_store_record(base, stride, index[1], _mm256_castsi256_si128(odd));
    }
    if (bits & 4) {
        iso__vector_store_record(base, stride, index[2], _mm256_extracti128_si256(even, 1));
    }
    if (bits & 8) {
        iso__vector_store_record(base, stride, index[3], _mm256_extracti128_si256(odd, 1));
    }
}

ISO__ALWAYS_INLINE iso__vector iso__vector_shift_right_each(iso__vector x, iso__vector count) {
    return _mm256_srlv_epi64(x, count);
}

ISO__ALWAYS_INLINE __m128i iso__vector_load_two(const void *base, size_t stride, const uint32_t *index) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[0] * stride)),
                              _mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[1] * stride)));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_two(base, stride, index)),
                                   iso__vector_load_two(base, stride, index + 2), 1);
}

#endif
