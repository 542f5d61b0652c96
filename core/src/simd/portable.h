/// Lane operations in plain C, one lane at a time: what each of them means. The other sets must give the same bits.
///
/// A vector has lanes of 64 bits. A lane holds a number of 64 bits, or a number of 32 bits in its low half with
/// anything in its high one, or a pair of numbers of 32 bits. Sums wrap. "Low" below means that only the low halves of
/// the result are defined, and only those of the arguments read.
#ifndef ISO_SIMD_PORTABLE_H
#define ISO_SIMD_PORTABLE_H

#include <stdint.h>
#include <string.h>

#include "base/inline.h"

#define ISO__VECTOR_LANES 1u

typedef struct iso__vector {
    int64_t lane;
} iso__vector;

ISO__ALWAYS_INLINE int32_t iso__vector_low(iso__vector x) {
    return (int32_t)(uint32_t)(uint64_t)x.lane;
}

ISO__ALWAYS_INLINE iso__vector iso__vector_set(int64_t value) {
    return (iso__vector){value};
}

ISO__ALWAYS_INLINE iso__vector iso__vector_load(const void *from) {
    iso__vector x;
    memcpy(&x, from, sizeof x);
    return x;
}

ISO__ALWAYS_INLINE void iso__vector_store(void *to, iso__vector x) {
    memcpy(to, &x, sizeof x);
}

/// Numbers of 32 bits, widened to lanes of 64.
ISO__ALWAYS_INLINE iso__vector iso__vector_widen(const int32_t *from) {
    return (iso__vector){*from};
}

/// The opposite: stores the low halves.
ISO__ALWAYS_INLINE void iso__vector_narrow(int32_t *to, iso__vector x) {
    *to = iso__vector_low(x);
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add(iso__vector a, iso__vector b) {
    return (iso__vector){(int64_t)((uint64_t)a.lane + (uint64_t)b.lane)};
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub(iso__vector a, iso__vector b) {
    return (iso__vector){(int64_t)((uint64_t)a.lane - (uint64_t)b.lane)};
}

/// The product of the low halves, 64 bits.
ISO__ALWAYS_INLINE iso__vector iso__vector_mul(iso__vector a, iso__vector b) {
    return (iso__vector){(int64_t)iso__vector_low(a) * iso__vector_low(b)};
}

/// Shifts zeros in: of a number of 64 bits, the low half is that of an arithmetic shift by up to 32.
#define iso__vector_shift_right(x, n) ((iso__vector){(int64_t)((uint64_t)(x).lane >> (n))})
#define iso__vector_shift_left(x, n)  ((iso__vector){(int64_t)((uint64_t)(x).lane << (n))})

/// The pairs' differences and sums, each half for itself.
ISO__ALWAYS_INLINE iso__vector iso__vector_make_pair(uint32_t low, uint32_t high) {
    return (iso__vector){(int64_t)((uint64_t)high << 32 | low)};
}

ISO__ALWAYS_INLINE iso__vector iso__vector_sub_pairs(iso__vector a, iso__vector b) {
    return iso__vector_make_pair((uint32_t)a.lane - (uint32_t)b.lane,
                                 (uint32_t)((uint64_t)a.lane >> 32) - (uint32_t)((uint64_t)b.lane >> 32));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_add_pairs(iso__vector a, iso__vector b) {
    return iso__vector_make_pair((uint32_t)a.lane + (uint32_t)b.lane,
                                 (uint32_t)((uint64_t)a.lane >> 32) + (uint32_t)((uint64_t)b.lane >> 32));
}

ISO__ALWAYS_INLINE int32_t iso__vector_high_half(iso__vector x) {
    return (int32_t)(uint32_t)((uint64_t)x.lane >> 32);
}

/// The smaller and the larger number, each half for itself.
ISO__ALWAYS_INLINE iso__vector iso__vector_min(iso__vector a, iso__vector b) {
    const int32_t la = iso__vector_low(a), lb = iso__vector_low(b);
    const int32_t ha = iso__vector_high_half(a), hb = iso__vector_high_half(b);
    return iso__vector_make_pair((uint32_t)(la < lb ? la : lb), (uint32_t)(ha < hb ? ha : hb));
}

ISO__ALWAYS_INLINE iso__vector iso__vector_max(iso__vector a, iso__vector b) {
    const int32_t la = iso__vector_low(a), lb = iso__vector_low(b);
    const int32_t ha = iso__vector_high_half(a), hb = iso__vector_high_half(b);
    return iso__vector_make_pair((uint32_t)(la > lb ? la : lb), (uint32_t)(ha > hb ? ha : hb));
}

/// The low half of the first, the high one of the second.
ISO__ALWAYS_INLINE iso__vector iso__vector_with_low(iso__vector low, iso__vector pair) {
    return iso__vector_make_pair((uint32_t)iso__vector_low(low), (uint32_t)iso__vector_high_half(pair));
}

/// The low halves of both, as a pair.
ISO__ALWAYS_INLINE iso__vector iso__vector_pair(iso__vector low, iso__vector high) {
    return iso__vector_make_pair((uint32_t)iso__vector_low(low), (uint32_t)iso__vector_low(high));
}

/// Low: x > 0 ? a : b.
ISO__ALWAYS_INLINE iso__vector iso__vector_if_positive(iso__vector x, iso__vector a, iso__vector b) {
    return iso__vector_low(x) > 0 ? a : b;
}

/// Low: the number of 64 bits shifted arithmetically by n from 1 to 31, then clamped.
/// @param low, high  within 32 bits, widened to 64; low <= high
ISO__ALWAYS_INLINE iso__vector iso__vector_clamp_shifted_by(iso__vector x, unsigned n, iso__vector low,
                                                            iso__vector high) {
    const int64_t shifted = x.lane >> n;
    return shifted < low.lane ? low : shifted > high.lane ? high : (iso__vector){shifted};
}
#define iso__vector_clamp_shifted(x, n, low, high) iso__vector_clamp_shifted_by(x, n, low, high)

/// a * b / 2^30 to nearest, a half to the even neighbour. Low.
ISO__ALWAYS_INLINE iso__vector iso__vector_odd_bit(iso__vector x) {
    return (iso__vector){x.lane >> 30 & 1};
}

/// 1 where a number of 64 bits is not zero anywhere.
ISO__ALWAYS_INLINE iso__vector iso__vector_or(iso__vector a, iso__vector b) {
    return (iso__vector){a.lane | b.lane};
}

ISO__ALWAYS_INLINE int iso__vector_is_zero(iso__vector x) {
    return x.lane == 0;
}

/// Gathers 16 bytes per lane, at base + index * stride bytes: the first 8 of each and the last 8 of each.
ISO__ALWAYS_INLINE void iso__vector_gather(const void *base, size_t stride, const uint32_t *index, iso__vector *first,
                                           iso__vector *last) {
    const char *from = (const char *)base + (size_t)index[0] * stride;
    *first = iso__vector_load(from);
    *last = iso__vector_load(from + 8);
}

/// Each number of 64 bits shifted right by its own count from 0 to 63, zeros in.
ISO__ALWAYS_INLINE iso__vector iso__vector_shift_right_each(iso__vector x, iso__vector count) {
    return (iso__vector){(int64_t)((uint64_t)x.lane >> count.lane)};
}

/// Gathers 8 bytes per lane, at base + index * stride bytes.
ISO__ALWAYS_INLINE iso__vector iso__vector_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    return iso__vector_load((const char *)base + (size_t)index[0] * stride);
}

/// The opposite, for lanes whose bit is set.
ISO__ALWAYS_INLINE void iso__vector_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                            iso__vector first, iso__vector last) {
    if (bits & 1) {
        char *to = (char *)base + (size_t)index[0] * stride;
        iso__vector_store(to, first);
        iso__vector_store(to + 8, last);
    }
}

#endif
