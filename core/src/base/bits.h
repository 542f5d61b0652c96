/// Sets of small numbers, a bit each in words of 64.
#ifndef ISO_BASE_BITS_H
#define ISO_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool iso__bit_is_set(const uint64_t *bits, uint32_t index) {
    return (bits[index / 64] >> (index % 64) & 1u) != 0;
}

static inline void iso__bit_set(uint64_t *bits, uint32_t index) {
    bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static inline void iso__bit_clear(uint64_t *bits, uint32_t index) {
    bits[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

#endif
