/// What the arithmetic tests share: cmocka, random numbers that reach the corners, error bookkeeping.
#ifndef TEST_MATH_UTIL_H
#define TEST_MATH_UTIL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/random.h"

/// A signed number of random width, often next to a power of two or an end of the range.
static inline int64_t random_i64(uint64_t *state) {
    uint64_t bits = random_u64(state);
    uint64_t value = random_u64(state) >> (bits & 63);
    switch ((bits >> 8) & 7) {
    case 0:
        value = (UINT64_C(1) << ((bits >> 16) & 63)) + ((bits >> 24) & 3) - 1;
        break;
    case 1:
        value = (UINT64_C(1) << 63) + ((bits >> 24) & 3) - 1;
        break;
    case 2:
        value = (bits >> 24) & 3;
        break;
    default:
        break;
    }
    return (int64_t)((bits >> 32) & 1 ? 0 - value : value);
}

/// A signed number of at most `width` bits, of random width.
static inline int64_t random_bits(uint64_t *state, unsigned width) {
    uint64_t bits = random_u64(state);
    int64_t value = (int64_t)(random_u64(state) >> (64 - width + (bits & 0xffff) % width));
    return (bits >> 32) & 1 ? -value : value;
}

static inline void note_error(long double *max, long double error) {
    error = fabsl(error);
    if (error > *max) {
        *max = error;
    }
}

#define CHECK_BELOW(name, error, bound)                                                                           \
    do {                                                                                                          \
        print_message("%-46s max error %.4Lg (bound %.4Lg)\n", name, (long double)(error), (long double)(bound)); \
        assert_true((error) <= (bound));                                                                          \
    } while (0)

#endif
