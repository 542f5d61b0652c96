/// The 128-bit products and divisions against the compiler's own arithmetic, and the portable variants against
/// the fast ones.

#include "test_math_util.h"

#include "isostep/fixed.h"
#include "math/wide128.h"
#include "test_math_wide128_twin.h"

#if !ISO__HAS_INT128
#error "this test compares with __int128"
#endif

typedef iso__native_int128 i128;
typedef iso__native_uint128 u128;

static i128 join(iso__int128 a) {
    return (i128)(((u128)(uint64_t)a.hi << 64) | a.lo);
}

static iso__int128 split(i128 a) {
    return (iso__int128){(int64_t)(a >> 64), (uint64_t)a};
}

static int64_t saturate(i128 a) {
    return a > INT64_MAX ? INT64_MAX : a < INT64_MIN ? INT64_MIN : (int64_t)a;
}

/// a / b to nearest, a half away from zero, the plain way.
static int64_t reference_div(i128 a, i128 b) {
    if (b == 0) {
        return a > 0 ? INT64_MAX : a < 0 ? INT64_MIN : 0;
    }
    u128 n = a < 0 ? 0 - (u128)a : (u128)a;
    u128 d = b < 0 ? 0 - (u128)b : (u128)b;
    u128 q = n / d;
    u128 r = n % d;
    q += r >= d - r;
    if (q >> 65 != 0) {
        q = (u128)1 << 65;
    }
    return saturate((a < 0) != (b < 0) ? -(i128)q : (i128)q);
}

static i128 random_i128(uint64_t *random) {
    uint64_t hi = random_u64(random);
    i128 a = (i128)(((u128)hi << 64) | (uint64_t)random_i64(random));
    return a >> (random_u64(random) & 127);
}

static void test_mul_shift_rounds_half_up_and_saturates(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 1000000; ++i) {
        int64_t a = random_i64(&random);
        int64_t b = random_i64(&random);
        unsigned shift = (unsigned)(random_u64(&random) % 127);
        i128 product = (i128)a * b;
        int64_t want = saturate(shift == 0 ? product : ((product >> (shift - 1)) + 1) >> 1);
        assert_int_equal(iso__mul_shift(a, b, shift), want);
        assert_int_equal(twin_mul_shift(a, b, shift), want);
    }
    assert_int_equal(iso__mul_shift(3, 1, 1), 2);
    assert_int_equal(iso__mul_shift(-3, 1, 1), -1);
    assert_true(iso__mul_shift(INT64_MIN, INT64_MIN, 63) == INT64_MAX);
    assert_true(iso__mul_shift(INT64_MIN, INT64_MAX, 62) == INT64_MIN);
}

static void test_dot_shift_rounds_the_sum_once(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 300000; ++i) {
        int64_t a1 = random_bits(&random, 62);
        int64_t a2 = random_bits(&random, 62);
        int64_t b1 = random_i64(&random);
        int64_t b2 = random_i64(&random);
        unsigned shift = 1 + (unsigned)(random_u64(&random) % 126);
        i128 sum = (i128)a1 * b1 + (i128)a2 * b2;
        assert_int_equal(iso__dot_shift(a1, b1, a2, b2, shift), saturate(((sum >> (shift - 1)) + 1) >> 1));
    }
}

static void test_divisions_round_half_away_and_saturate(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 1000000; ++i) {
        int64_t a = random_i64(&random);
        int64_t b = random_i64(&random);
        int64_t c = random_i64(&random);
        unsigned shift = (unsigned)(random_u64(&random) & 63);
        int64_t want = reference_div((i128)a * b, c);
        assert_int_equal(iso__mul_div(a, b, c), want);
        assert_int_equal(twin_mul_div(a, b, c), want);
        want = reference_div((i128)a * ((i128)1 << shift), b);
        assert_int_equal(iso__div_shift(a, shift, b), want);
        assert_int_equal(twin_div_shift(a, shift, b), want);
        if (b != 0) {
            i128 n = random_i128(&random);
            assert_int_equal(iso__int128_div64(split(n), b), reference_div(n, b));
        }
    }
    assert_int_equal(iso__mul_div(5, 1, 2), 3);
    assert_int_equal(iso__mul_div(-5, 1, 2), -3);
    assert_true(iso__mul_div(INT64_MIN, 1, -1) == INT64_MAX);
    assert_true(iso__mul_div(INT64_MIN, INT64_MIN, INT64_MIN) == INT64_MIN);
    assert_true(iso__mul_div(-1, 1, 0) == INT64_MIN);
    assert_true(iso__div_shift(1, 32, 0) == INT64_MAX);
    assert_int_equal(iso__div_shift(0, 32, 0), 0);
}

static void test_primitives_agree_with_the_compiler(void **state) {
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 1000000; ++i) {
        uint64_t a = (uint64_t)random_i64(&random);
        uint64_t b = (uint64_t)random_i64(&random);
        twin_pair product = twin_umul128(a, b);
        u128 want = (u128)a * b;
        assert_true(product.a == (uint64_t)(want >> 64) && product.b == (uint64_t)want);
        uint64_t divisor = (uint64_t)random_i64(&random);
        if (divisor == 0) {
            continue;
        }
        // Often just below the divisor, where an estimated digit is most wrong.
        uint64_t hi = i % 4 == 0 ? divisor - 1 : a % divisor;
        twin_pair quotient = twin_udiv128(hi, b, divisor);
        u128 n = ((u128)hi << 64) | b;
        assert_true(quotient.a == (uint64_t)(n / divisor) && quotient.b == (uint64_t)(n % divisor));
        uint64_t rest;
        assert_true(iso__udiv128(hi, b, divisor, &rest) == quotient.a && rest == quotient.b);
    }
}

static void test_128_bit_numbers_agree_with_the_compiler(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 500000; ++i) {
        i128 a = random_i128(&random) >> 1;
        i128 b = random_i128(&random) >> 1;
        int64_t x = random_i64(&random);
        int64_t y = random_i64(&random);
        unsigned shift = (unsigned)(random_u64(&random) % 127);
        assert_true(join(iso__int128_from(x)) == x);
        assert_true(join(iso__int128_add(split(a), split(b))) == a + b);
        assert_true(join(iso__int128_sub(split(a), split(b))) == a - b);
        assert_true(join(iso__int128_neg(split(a))) == -a);
        assert_true(join(iso__int128_mul(x, y)) == (i128)x * y);
        assert_true(iso__int128_compare(split(a), split(b)) == (a > b) - (a < b));
        assert_int_equal(iso__int128_compare(split(a), split(a)), 0);
        assert_true(iso__int128_sign(split(a)) == (a > 0) - (a < 0));
        assert_true(iso__int128_saturate(split(a)) == saturate(a));
        assert_true(join(iso__int128_round_shift(split(a), shift)) == (shift == 0 ? a : ((a >> (shift - 1)) + 1) >> 1));
        iso__uint128 up = iso__uint128_shl((iso__uint128){(uint64_t)(a >> 64), (uint64_t)a}, shift);
        assert_true((((u128)up.hi << 64) | up.lo) == (u128)a << shift);
    }
    assert_int_equal(iso__int128_sign((iso__int128){0, 1}), 1);
    assert_int_equal(iso__int128_sign((iso__int128){0, 0}), 0);
    iso__uint128 magnitude = iso__int128_abs((iso__int128){INT64_MIN, 0});
    assert_true(magnitude.hi == UINT64_C(1) << 63 && magnitude.lo == 0);
}

/// The quotient of a 2^shift / b, one bit at a time.
static int64_t long_division(i128 a, unsigned shift, i128 b) {
    u128 n = a < 0 ? 0 - (u128)a : (u128)a;
    u128 d = b < 0 ? 0 - (u128)b : (u128)b;
    u128 rest = 0;
    u128 quotient = 0;
    for (int bit = 127 + (int)shift; bit >= 0; --bit) {
        int from = bit - (int)shift;
        rest = (rest << 1) | (from >= 0 ? (n >> from) & 1 : 0); // below 2^128: d is at most 2^127
        quotient = quotient >> 66 != 0 ? quotient : quotient << 1;
        if (rest >= d) {
            rest -= d;
            quotient |= 1;
        }
    }
    quotient += rest >= d - rest;
    quotient = quotient >> 66 != 0 ? (u128)1 << 66 : quotient;
    return saturate((a < 0) != (b < 0) ? -(i128)quotient : (i128)quotient);
}

static void test_wide_division_is_rounded_once(void **state) {
    (void)state;
    uint64_t random = 6;
    for (int i = 0; i < 300000; ++i) {
        i128 a = random_i128(&random);
        i128 b = random_i128(&random);
        unsigned shift = (unsigned)(random_u64(&random) & 127);
        if (i % 3 == 0) {
            shift = 32;
        }
        if (i % 5 == 0) {
            a = b + (i128)(random_u64(&random) & 3) - 1; // digits that agree at the top
            shift = i % 2 == 0 ? 62 : 63;
        }
        if (b == 0) {
            continue;
        }
        int64_t want = long_division(a, shift, b);
        iso__int128 n = split(a);
        iso__int128 d = split(b);
        assert_int_equal(iso__int128_div(n, shift, d), want);
        assert_int_equal(twin_div(n.hi, n.lo, shift, d.hi, d.lo), want);
    }
}

static void check_isqrt128(u128 a) {
    u128 s = iso__isqrt128((iso__uint128){(uint64_t)(a >> 64), (uint64_t)a});
    assert_true(s * s <= a && (s + 1) * (s + 1) > a);
    assert_true(twin_isqrt128((uint64_t)(a >> 64), (uint64_t)a) == (uint64_t)s);
}

static void test_isqrt128_is_exact(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 300000; ++i) {
        u128 a = (u128)random_i128(&random) >> 1;
        check_isqrt128(a);
        u128 s = iso__isqrt128((iso__uint128){(uint64_t)(a >> 64), (uint64_t)a});
        check_isqrt128(s * s);
        if (s != 0) {
            check_isqrt128(s * s - 1);
        }
    }
    check_isqrt128(((u128)1 << 127) - 1);
}

/// A positive definite matrix, from almost singular to diagonal.
static bool random_matrix(uint64_t *random, int64_t k[3]) {
    k[0] = iso__max64(1, random_bits(random, 60) & INT64_MAX);
    k[2] = iso__max64(1, random_bits(random, 60) & INT64_MAX);
    long double limit = sqrtl((long double)k[0]) * sqrtl((long double)k[2]);
    long double part = random_u64(random) / 18446744073709551616.0L;
    k[1] = (int64_t)(limit * (random_u64(random) & 1 ? 1 - part * 1e-6L : 2 * part - 1));
    return (i128)k[0] * k[2] > (i128)k[1] * k[1];
}

static void test_solve2_is_rounded_once(void **state) {
    (void)state;
    uint64_t random = 8;
    for (int i = 0; i < 200000; ++i) {
        int64_t k[3];
        if (!random_matrix(&random, k)) {
            continue;
        }
        int64_t b1 = random_bits(&random, 60);
        int64_t b2 = random_bits(&random, 60);
        i128 det = (i128)k[0] * k[2] - (i128)k[1] * k[1];
        int64_t x1;
        int64_t x2;
        assert_true(iso__solve2(k[0], k[1], k[2], b1, b2, &x1, &x2));
        assert_int_equal(x1, long_division((i128)k[2] * b1 - (i128)k[1] * b2, 32, det));
        assert_int_equal(x2, long_division((i128)k[0] * b2 - (i128)k[1] * b1, 32, det));
    }
}

static void test_solve2_refuses_what_is_not_positive_definite(void **state) {
    (void)state;
    const int64_t bad[][3] = {{0, 0, 0}, {1, 1, 1}, {-5, 0, 5}, {-5, 0, -5}, {5, 6, 5}, {1, INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        int64_t x1 = 7;
        int64_t x2 = 7;
        iso__inverse2 inverse;
        assert_false(iso__solve2(bad[i][0], bad[i][1], bad[i][2], 1, 1, &x1, &x2));
        assert_true(x1 == 0 && x2 == 0);
        assert_false(iso__inverse2_make(bad[i][0], bad[i][1], bad[i][2], &inverse));
        x1 = 7;
        iso__inverse2_apply(&inverse, INT64_MAX, INT64_MIN, &x1, &x2);
        assert_true(x1 == 0 && x2 == 0);
    }
}

/// At least the unit matrix, as the rows of joints are: 1 plus two turning parts t [y y, -x y; -x y, x x].
static void random_row_matrix(uint64_t *random, int64_t k[3]) {
    k[0] = k[2] = ISO_WIDE_ONE;
    k[1] = 0;
    for (int part = 0; part < 2; ++part) {
        int64_t x = random_bits(random, 37), y = random_bits(random, 37); // arms up to 16
        int64_t turn = random_bits(random, 30);
        turn = turn < 0 ? -turn : turn;
        k[0] += iso__mul_shift(iso__mul_shift(turn, y, 22), y, 32);
        k[1] -= iso__mul_shift(iso__mul_shift(turn, x, 22), y, 32);
        k[2] += iso__mul_shift(iso__mul_shift(turn, x, 22), x, 32);
    }
}

static void test_inverse2_is_within_one_in_a_billion(void **state) {
    (void)state;
    uint64_t random = 9;
    long double max = 0;
    for (int i = 0; i < 200000; ++i) {
        int64_t k[3];
        iso__inverse2 inverse;
        random_row_matrix(&random, k);
        assert_true(iso__inverse2_make(k[0], k[1], k[2], &inverse));
        i128 det = (i128)k[0] * k[2] - (i128)k[1] * k[1];
        const int64_t exact[3] = {long_division(k[2], 94, det), long_division(-k[1], 94, det),
                                  long_division(k[0], 94, det)};
        const int64_t got[3] = {inverse.i11, inverse.i12, inverse.i22};
        for (int e = 0; e < 3; ++e) {
            note_error(&max, ((long double)got[e] - exact[e]) / (1 + fabsl((long double)exact[e]) * 0x1p-29L));
        }
    }
    CHECK_BELOW("inverse, of 2^-29 of itself and a quantum", max, 1);
    int64_t x1, x2;
    iso__inverse2 unit;
    assert_true(iso__inverse2_make(ISO_WIDE_ONE, 0, ISO_WIDE_ONE, &unit));
    iso__inverse2_apply(&unit, 123456789, -987654321, &x1, &x2);
    assert_in_range(x1, 123456788, 123456789);
    assert_in_range(-x2, 987654320, 987654321);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mul_shift_rounds_half_up_and_saturates),
        cmocka_unit_test(test_dot_shift_rounds_the_sum_once),
        cmocka_unit_test(test_divisions_round_half_away_and_saturate),
        cmocka_unit_test(test_primitives_agree_with_the_compiler),
        cmocka_unit_test(test_128_bit_numbers_agree_with_the_compiler),
        cmocka_unit_test(test_wide_division_is_rounded_once),
        cmocka_unit_test(test_isqrt128_is_exact),
        cmocka_unit_test(test_solve2_is_rounded_once),
        cmocka_unit_test(test_solve2_refuses_what_is_not_positive_definite),
        cmocka_unit_test(test_inverse2_is_within_one_in_a_billion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
