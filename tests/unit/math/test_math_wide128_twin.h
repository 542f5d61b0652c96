/// The portable variants of the 128-bit operations under names of their own, so that one program holds both.
#ifndef TEST_MATH_WIDE128_TWIN_H
#define TEST_MATH_WIDE128_TWIN_H

#include <stdint.h>

typedef struct twin_pair {
    uint64_t a;
    uint64_t b;
} twin_pair;

twin_pair twin_umul128(uint64_t a, uint64_t b);
twin_pair twin_udiv128(uint64_t hi, uint64_t lo, uint64_t divisor);
int64_t twin_mul_shift(int64_t a, int64_t b, unsigned shift);
int64_t twin_mul_div(int64_t a, int64_t b, int64_t c);
int64_t twin_div_shift(int64_t a, unsigned shift, int64_t b);
int64_t twin_div(int64_t a_hi, uint64_t a_lo, unsigned shift, int64_t b_hi, uint64_t b_lo);
uint64_t twin_isqrt128(uint64_t hi, uint64_t lo);

#endif
