/// Lane operations of AVX-512 (F, DQ, BW, VL): eight lanes. portable.h says what each means.
#ifndef ISO_SIMD_AVX512_H
#define ISO_SIMD_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

#define ISO__VECTOR_LANES 8u
#define ISO__LANES_PARTS  1

typedef __m512i iso__vector;

ISO__ALWAYS_INLINE iso__vector iso__vector_set(int64_t value) {
    return _mm512_set1_epi64(value);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load(const void *from) {
    return _mm512_loadu_si512(from);
}

ISO__ALWAYS_INLINE void iso__vector_store(void *to, iso__vector x) {
    _mm512_storeu_si512(to, x);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_widen(const int32_t *from) {
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)from));
}

ISO__ALWAYS_INLINE void iso__vector_narrow(int32_t *to, iso__vector x) {
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi64_epi32(x));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add(iso__vector a, iso__vector b) {
    return _mm512_add_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub(iso__vector a, iso__vector b) {
    return _mm512_sub_epi64(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_mul(iso__vector a, iso__vector b) {
    return _mm512_mul_epi32(a, b);
}

#define iso__vector_shift_right(x, n) _mm512_srli_epi64(x, n)
#define iso__vector_shift_left(x, n)  _mm512_slli_epi64(x, n)

ISO__ALWAYS_INLINE iso__vector iso__vector_sub_pairs(iso__vector a, iso__vector b) {
    return _mm512_sub_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add_pairs(iso__vector a, iso__vector b) {
    return _mm512_add_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_min(iso__vector a, iso__vector b) {
    return _mm512_min_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_max(iso__vector a, iso__vector b) {
    return _mm512_max_epi32(a, b);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_with_low(iso__vector low, iso__vector pair) {
    return _mm512_mask_blend_epi32(0xaaaa, low, pair);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_pair(iso__vector low, iso__vector high) {
    return _mm512_mask_blend_epi32(0xaaaa, low, _mm512_slli_epi64(high, 32));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_if_positive(iso__vector x, iso__vector a, iso__vector b) {
    return _mm512_mask_blend_epi32(_mm512_cmpgt_epi32_mask(x, _mm512_setzero_si512()), b, a);
}

#define iso__vector_clamp_shifted(x, n, low, high) \
    _mm512_max_epi64(_mm512_min_epi64(_mm512_srai_epi64(x, n), high), low)

ISO__ALWAYS_INLINE iso__vector iso__vector_odd_bit(iso__vector x) {
    return _mm512_and_si512(_mm512_srli_epi64(x, 30), _mm512_set1_epi64(1));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_or(iso__vector a, iso__vector b) {
    return _mm512_or_si512(a, b);
}

ISO__ALWAYS_INLINE int iso__vector_is_zero(iso__vector x) {
    return _mm512_test_epi64_mask(x, x) == 0;
}

ISO__ALWAYS_INLINE __m128i iso__vector_load_record(const void *base, size_t stride, uint32_t index) {
    return _mm_loadu_si128((const __m128i *)((const char *)base + (size_t)index * stride));
}

/// The records of four lanes.
ISO__ALWAYS_INLINE __m512i iso__vector_load_records(const void *base, size_t stride, const uint32_t *index, int first) {
    const __m256i low =
        _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_record(base, stride, index[first])),
                                iso__vector_load_record(base, stride, index[first + 2]), 1);
    const __m256i high =
        _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_record(base, stride, index[first + 4])),
                                iso__vector_load_record(base, stride, index[first + 6]), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

ISO__ALWAYS_INLINE void iso__vector_gather(const void *base, size_t stride, const uint32_t *index, iso__vector *first,
                                           iso__vector *last) {
    const __m512i even = iso__vector_load_records(base, stride, index, 0),
                  odd = iso__vector_load_records(base, stride, index, 1);
    *first = _mm512_unpacklo_epi64(even, odd);
    *last = _mm512_unpackhi_epi64(even, odd);
}

ISO__ALWAYS_INLINE void iso__vector_store_record(void *base, size_t stride, uint32_t index, __m128i record) {
    _mm_storeu_si128((__m128i *)((char *)base + (size_t)index * stride), record);
}

ISO__ALWAYS_INLINE void iso__vector_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                            iso__vector first, iso__vector last) {
    const __m512i even = _mm512_unpacklo_epi64(first, last), odd = _mm512_unpackhi_epi64(first, last);
    const __m256i low_even = _mm512_castsi512_si256(even), low_odd = _mm512_castsi512_si256(odd);
    const __m256i high_even = _mm512_extracti64x4_epi64(even, 1), high_odd = _mm512_extracti64x4_epi64(odd, 1);
    const __m128i records[8] = {
        _mm256_castsi256_si128(low_even),       _mm256_castsi256_si128(low_odd),
        _mm256_extracti128_si256(low_even, 1),  _mm256_extracti128_si256(low_odd, 1),
        _mm256_castsi256_si128(high_even),      _mm256_castsi256_si128(high_odd),
        _mm256_extracti128_si256(high_even, 1), _mm256_extracti128_si256(high_odd, 1),
    };
#define ISO__VECTOR_STORE(i)                                          \
    if (bits & 1u << (i)) {                                           \
        iso__vector_store_record(base, stride, index[i], records[i]); \
    }
    ISO__VECTOR_STORE(0)
    ISO__VECTOR_STORE(1)
    ISO__VECTOR_STORE(2)
    ISO__VECTOR_STORE(3)
    ISO__VECTOR_STORE(4)
    ISO__VECTOR_STORE(5)
    ISO__VECTOR_STORE(6)
    ISO__VECTOR_STORE(7)
}

ISO__ALWAYS_INLINE iso__vector iso__vector_shift_right_each(iso__vector x, iso__vector count) {
    return _mm512_srlv_epi64(x, count);
}

ISO__ALWAYS_INLINE __m128i iso__vector_load_two(const void *base, size_t stride, const uint32_t *index) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[0] * stride)),
                              _mm_loadl_epi64((const __m128i *)((const char *)base + (size_t)index[1] * stride)));
}

ISO__ALWAYS_INLINE __m256i iso__vector_load_four(const void *base, size_t stride, const uint32_t *index) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(iso__vector_load_two(base, stride, index)),
                                   iso__vector_load_two(base, stride, index + 2), 1);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(iso__vector_load_four(base, stride, index)),
                              iso__vector_load_four(base, stride, index + 4), 1);
}

#endif
