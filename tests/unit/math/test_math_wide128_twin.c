/// The same arithmetic of 128 bits without the compiler's type, for comparison with it.
#define ISO_NO_INT128
#include "test_math_wide128_twin.h"

#include "math/wide128.h"

#if ISO__HAS_INT128
#error "this file must build the portable variants"
#endif

twin_pair twin_umul128(uint64_t a, uint64_t b) {
    iso__uint128 product = iso__umul128(a, b);
    return (twin_pair){product.hi, product.lo};
}

twin_pair twin_udiv128(uint64_t hi, uint64_t lo, uint64_t divisor) {
    twin_pair pair;
    pair.a = iso__udiv128(hi, lo, divisor, &pair.b);
    return pair;
}

int64_t twin_mul_shift(int64_t a, int64_t b, unsigned shift) {
    return iso__mul_shift(a, b, shift);
}

int64_t twin_mul_div(int64_t a, int64_t b, int64_t c) {
    return iso__mul_div(a, b, c);
}

int64_t twin_div_shift(int64_t a, unsigned shift, int64_t b) {
    return iso__div_shift(a, shift, b);
}

int64_t twin_div(int64_t a_hi, uint64_t a_lo, unsigned shift, int64_t b_hi, uint64_t b_lo) {
    return iso__int128_div((iso__int128){a_hi, a_lo}, shift, (iso__int128){b_hi, b_lo});
}

uint64_t twin_isqrt128(uint64_t hi, uint64_t lo) {
    return iso__isqrt128((iso__uint128){hi, lo});
}
