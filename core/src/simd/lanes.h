/// The operations on ISO__LANES_PARTS vectors side by side. A processor works on one vector while it waits for the
/// other: the rows of a contact depend on each other, those of two contacts do not.
///
/// To be included after the header of an instruction set.
#ifndef ISO_SIMD_LANES_H
#define ISO_SIMD_LANES_H

#include "base/inline.h"

#ifndef ISO__LANES_PARTS
#define ISO__LANES_PARTS 2
#endif
#define ISO__LANES_COUNT (ISO__LANES_PARTS * ISO__VECTOR_LANES)

typedef struct iso__lanes {
    iso__vector part[ISO__LANES_PARTS];
} iso__lanes;

#if ISO__LANES_PARTS == 1
#define ISO__LANES_MAKE(first, second) ((iso__lanes){{first}})
#define ISO__LANES_SECOND(statement)
#else
#define ISO__LANES_MAKE(first, second) ((iso__lanes){{first, second}})
#define ISO__LANES_SECOND(statement)   statement
#endif

#define ISO__LANES_BINARY(name)                                                                                     \
    ISO__ALWAYS_INLINE iso__lanes iso__lanes_##name(iso__lanes a, iso__lanes b) {                                   \
        return ISO__LANES_MAKE(iso__vector_##name(a.part[0], b.part[0]), iso__vector_##name(a.part[1], b.part[1])); \
    }
ISO__LANES_BINARY(add)
ISO__LANES_BINARY(sub)
ISO__LANES_BINARY(mul)
ISO__LANES_BINARY(add_pairs)
ISO__LANES_BINARY(sub_pairs)
ISO__LANES_BINARY(min)
ISO__LANES_BINARY(max)
ISO__LANES_BINARY(with_low)
ISO__LANES_BINARY(pair)
ISO__LANES_BINARY(or)
ISO__LANES_BINARY(shift_right_each)

#define iso__lanes_shift_right(x, n) \
    ISO__LANES_MAKE(iso__vector_shift_right((x).part[0], n), iso__vector_shift_right((x).part[1], n))
#define iso__lanes_shift_left(x, n) \
    ISO__LANES_MAKE(iso__vector_shift_left((x).part[0], n), iso__vector_shift_left((x).part[1], n))
#define iso__lanes_clamp_shifted(x, n, low, high)                                             \
    ISO__LANES_MAKE(iso__vector_clamp_shifted((x).part[0], n, (low).part[0], (high).part[0]), \
                    iso__vector_clamp_shifted((x).part[1], n, (low).part[1], (high).part[1]))

ISO__ALWAYS_INLINE iso__lanes iso__lanes_set(int64_t value) {
    return ISO__LANES_MAKE(iso__vector_set(value), iso__vector_set(value));
}

ISO__ALWAYS_INLINE iso__lanes iso__lanes_load(const void *from) {
    const char *bytes = from;
    return ISO__LANES_MAKE(iso__vector_load(bytes), iso__vector_load(bytes + 8 * ISO__VECTOR_LANES));
}

ISO__ALWAYS_INLINE void iso__lanes_store(void *to, iso__lanes x) {
    iso__vector_store(to, x.part[0]);
    ISO__LANES_SECOND(iso__vector_store((char *)to + 8 * ISO__VECTOR_LANES, x.part[1]);)
}

ISO__ALWAYS_INLINE iso__lanes iso__lanes_widen(const int32_t *from) {
    return ISO__LANES_MAKE(iso__vector_widen(from), iso__vector_widen(from + ISO__VECTOR_LANES));
}

/// The low halves, one after the other.
ISO__ALWAYS_INLINE void iso__lanes_narrow(int32_t *to, iso__lanes x) {
    iso__vector_narrow(to, x.part[0]);
    ISO__LANES_SECOND(iso__vector_narrow(to + ISO__VECTOR_LANES, x.part[1]);)
}

/// The high halves, as low ones.
ISO__ALWAYS_INLINE iso__lanes iso__lanes_high(iso__lanes x) {
    return iso__lanes_shift_right(x, 32);
}

ISO__ALWAYS_INLINE iso__lanes iso__lanes_odd_bit(iso__lanes x) {
    return ISO__LANES_MAKE(iso__vector_odd_bit(x.part[0]), iso__vector_odd_bit(x.part[1]));
}

ISO__ALWAYS_INLINE iso__lanes iso__lanes_if_positive(iso__lanes x, iso__lanes a, iso__lanes b) {
    return ISO__LANES_MAKE(iso__vector_if_positive(x.part[0], a.part[0], b.part[0]),
                           iso__vector_if_positive(x.part[1], a.part[1], b.part[1]));
}

/// Clamped to ±limit, each half for itself.
ISO__ALWAYS_INLINE iso__lanes iso__lanes_clamp(iso__lanes x, iso__lanes low, iso__lanes high) {
    return iso__lanes_max(iso__lanes_min(x, high), low);
}

ISO__ALWAYS_INLINE int iso__lanes_are_zero(iso__lanes x) {
#if ISO__LANES_PARTS == 2
    return iso__vector_is_zero(iso__vector_or(x.part[0], x.part[1]));
#else
    return iso__vector_is_zero(x.part[0]);
#endif
}

ISO__ALWAYS_INLINE void iso__lanes_gather(const void *base, size_t stride, const uint32_t *index, iso__lanes *first,
                                          iso__lanes *last) {
    iso__vector_gather(base, stride, index, &first->part[0], &last->part[0]);
    ISO__LANES_SECOND(iso__vector_gather(base, stride, index + ISO__VECTOR_LANES, &first->part[1], &last->part[1]);)
}

ISO__ALWAYS_INLINE iso__lanes iso__lanes_gather_pairs(const void *base, size_t stride, const uint32_t *index) {
    return ISO__LANES_MAKE(iso__vector_gather_pairs(base, stride, index),
                           iso__vector_gather_pairs(base, stride, index + ISO__VECTOR_LANES));
}

ISO__ALWAYS_INLINE void iso__lanes_scatter(void *base, size_t stride, const uint32_t *index, unsigned bits,
                                           iso__lanes first, iso__lanes last) {
    iso__vector_scatter(base, stride, index, bits, first.part[0], last.part[0]);
    ISO__LANES_SECOND(iso__vector_scatter(base, stride, index + ISO__VECTOR_LANES, bits >> ISO__VECTOR_LANES,
                                          first.part[1], last.part[1]);)
}

#endif
