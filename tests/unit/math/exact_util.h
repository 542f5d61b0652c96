/// Exact arithmetic of 128 bits for references of the public vectors, which round once and saturate.
#ifndef TEST_EXACT_UTIL_H
#define TEST_EXACT_UTIL_H

#include "test_math_util.h"

#include "isostep/fixed.h"

__extension__ typedef __int128 i128;

static inline int64_t saturate(i128 a, int64_t low, int64_t high) {
    return a > high ? high : a < low ? low : (int64_t)a;
}

static inline fix16_t saturate16(i128 a) {
    return (fix16_t)saturate(a, INT32_MIN, INT32_MAX);
}

static inline iso_wide saturate_wide(i128 a) {
    return saturate(a, INT64_MIN, INT64_MAX);
}

/// a / 2^shift, a half up.
static inline i128 rounded(i128 a, unsigned shift) {
    return (a >> shift) + (a >> (shift - 1) & 1);
}

#endif
