/// The solver's inline operations: rounding, narrowing, roots, unit vectors.

#include "test_math_util.h"

#include "math/fixed_ops.h"

static void test_round_shift_rounds_to_nearest_half_up(void **state) {
    (void)state;
    for (unsigned shift = 1; shift <= 20; ++shift) {
        for (int64_t a = -70000; a <= 70000; a += 7) {
            int64_t want = (int64_t)floorl(ldexpl((long double)a, -(int)shift) + 0.5L);
            assert_int_equal(iso__round_shift(a, shift), want);
        }
    }
    assert_int_equal(iso__round_shift(1, 1), 1);
    assert_int_equal(iso__round_shift(-1, 1), 0);
    assert_int_equal(iso__round_shift(-3, 1), -1);
    assert_int_equal(iso__round_shift(INT64_MIN, 63), -1);
    assert_int_equal(iso__round_shift(INT64_MIN, 1), INT64_MIN / 2);
    assert_int_equal(iso__round_shift(INT64_C(1) << 61, 63), 0);
    assert_int_equal(iso__round_shift32((INT64_C(5) << 30) + (INT64_C(1) << 29), 30), 6);
}

static void test_sums_wrap(void **state) {
    (void)state;
    assert_int_equal(iso__add32(INT32_MAX, 1), INT32_MIN);
    assert_int_equal(iso__sub32(INT32_MIN, 1), INT32_MAX);
    assert_int_equal(iso__neg32(INT32_MIN), INT32_MIN);
    assert_int_equal(iso__neg32(5), -5);
    assert_true(iso__add64(INT64_MAX, 1) == INT64_MIN);
    assert_true(iso__sub64(INT64_MIN, 1) == INT64_MAX);
    assert_true(iso__neg64(INT64_MIN) == INT64_MIN);
    assert_true(iso__shl64(-3, 62) == INT64_C(1) << 62);
}

static void test_products_of_two_components_are_exact(void **state) {
    (void)state;
    assert_true(iso__mul32(INT32_MIN, INT32_MIN) == INT64_C(1) << 62);
    assert_true(iso__dot32(INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX) == INT64_C(9223372032559808513));
    assert_true(iso__cross32(INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN) == INT64_C(4294967295));
    assert_int_equal(iso__dot32(2, 3, 5, 7), 31);
    assert_int_equal(iso__cross32(2, 3, 5, 7), -1);
}

static void test_magnitudes_and_clamps_reach_the_ends(void **state) {
    (void)state;
    assert_true(iso__abs_u32(INT32_MIN) == 0x80000000u);
    assert_true(iso__abs_u64(INT64_MIN) == UINT64_C(1) << 63);
    assert_int_equal(iso__abs_u32(-7), 7);
    assert_int_equal(iso__abs_u64(7), 7);
    assert_int_equal(iso__saturate32(INT64_C(2147483648)), INT32_MAX);
    assert_int_equal(iso__saturate32(INT64_C(-2147483649)), INT32_MIN);
    assert_int_equal(iso__saturate32(-12), -12);
    assert_int_equal(iso__clamp32(5, -3, 3), 3);
    assert_int_equal(iso__clamp32(-5, -3, 3), -3);
    assert_int_equal(iso__clamp64(2, -3, 3), 2);
    assert_int_equal(iso__min32(-1, 1), -1);
    assert_int_equal(iso__max32(-1, 1), 1);
    assert_int_equal(iso__min64(-1, 1), -1);
    assert_int_equal(iso__max64(-1, 1), 1);
    assert_int_equal(iso__narrow32(INT32_MIN), INT32_MIN);
}

static void test_div_round_rounds_to_nearest_half_away(void **state) {
    (void)state;
    for (int64_t a = -300; a <= 300; ++a) {
        for (int64_t b = -40; b <= 40; ++b) {
            if (b != 0) {
                assert_int_equal(iso__div_round64(a, b), llroundl((long double)a / b));
            }
        }
    }
    assert_true(iso__div_round64(INT64_MIN, -1) == INT64_MAX);
    assert_true(iso__div_round64(INT64_MIN, 1) == INT64_MIN);
    assert_true(iso__div_round64(INT64_MIN, INT64_MIN) == 1);
    assert_true(iso__div_round64(INT64_MAX, INT64_MIN) == -1);
    assert_true(iso__div_round64(INT64_C(1) << 62, INT64_MIN) == -1);
}

static void test_division_by_few_is_division(void **state) {
    (void)state;
    uint64_t a = 1;
    for (uint32_t b = 1; b <= 4; ++b) {
        for (int64_t small = -1000; small <= 1000; ++small) {
            assert_int_equal(iso__div_round_few(small, b), iso__div_round64(small, b));
        }
        for (uint32_t i = 0; i < 100000; ++i) {
            a = a * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int64_t wide = (int64_t)a >> (2 + (a >> 59));
            assert_int_equal(iso__div_round_few(wide, b), iso__div_round64(wide, b));
        }
    }
}

static void test_recip_unit_is_rounded_once(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 300000; ++i) {
        uint64_t k = (UINT64_C(1) << 32) + (random_u64(&random) >> (22 + i % 40));
        assert_int_equal(iso__recip_unit(k), llroundl(4611686018427387904.0L / k));
    }
    assert_int_equal(iso__recip_unit(UINT64_C(1) << 32), ISO__UNIT_ONE);
    assert_int_equal(iso__recip_unit(UINT64_C(1) << 31), INT32_MAX);
    assert_int_equal(iso__recip_unit((UINT64_C(1) << 31) + 1), INT32_MAX);
    assert_int_equal(iso__recip_unit(0), INT32_MAX);
    assert_int_equal(iso__recip_unit(UINT64_C(1) << 62), 1);
}

static void check_isqrt64(uint64_t a) {
    uint64_t s = iso__isqrt64(a);
    assert_true(s * s <= a);
    assert_true(s == UINT32_MAX || (s + 1) * (s + 1) > a);
}

static void test_isqrt64_is_exact(void **state) {
    (void)state;
    uint64_t random = 2;
    for (uint64_t a = 0; a < 100000; ++a) {
        check_isqrt64(a);
    }
    for (int i = 0; i < 1000000; ++i) {
        check_isqrt64((uint64_t)random_i64(&random));
        uint64_t s = random_u64(&random) >> (32 + i % 32);
        check_isqrt64(s * s);
        check_isqrt64(s * s - 1);
        check_isqrt64(s * s + 2 * s);
    }
    check_isqrt64(UINT64_MAX);
    assert_int_equal(iso__clz64(0), 64);
    assert_int_equal(iso__clz32(0), 32);
    assert_int_equal(iso__clz32(1), 31);
    assert_int_equal(iso__bit_width64(0), 0);
    assert_int_equal(iso__bit_width64(UINT64_MAX), 64);
}

static void test_rsqrt_unit_is_within_a_quantum(void **state) {
    (void)state;
    long double max = 0;
    for (uint64_t m = UINT64_C(1) << 30; m <= UINT32_MAX; m += 1009) {
        note_error(&max, iso__rsqrt_unit((uint32_t)m) - 2147483648.0L / sqrtl(m / 4294967296.0L));
    }
    note_error(&max, iso__rsqrt_unit(UINT32_MAX) - 2147483648.0L / sqrtl(UINT32_MAX / 4294967296.0L));
    CHECK_BELOW("1/sqrt, quanta of 2^-31", max, 1);
    assert_true(iso__rsqrt_unit(1u << 30) == UINT64_C(1) << 32);
}

typedef struct normalize_errors {
    long double direction;
    long double length;
    long double length_relative;
} normalize_errors;

static void note_normalize(int64_t x, int64_t y, normalize_errors *errors) {
    int32_t nx = 77;
    int32_t ny = 77;
    int64_t length = iso__normalize(x, y, &nx, &ny);
    if (x == 0 && y == 0) {
        assert_true(nx == 0 && ny == 0 && length == 0);
        return;
    }
    assert_true(nx >= -ISO__UNIT_ONE && nx <= ISO__UNIT_ONE && ny >= -ISO__UNIT_ONE && ny <= ISO__UNIT_ONE);
    long double want = hypotl((long double)x, (long double)y);
    note_error(&errors->direction, nx - 1073741824.0L * x / want);
    note_error(&errors->direction, ny - 1073741824.0L * y / want);
    long double saturated = fminl(want, 9223372036854775807.0L);
    if (want < 1073741824.0L) {
        note_error(&errors->length, length - want);
    } else {
        note_error(&errors->length_relative, (length - saturated) / saturated * 1073741824.0L);
    }
}

static void test_normalize_is_within_its_error(void **state) {
    (void)state;
    uint64_t random = 3;
    normalize_errors small = {0};
    normalize_errors any = {0};
    for (int i = 0; i < 1000000; ++i) {
        note_normalize(random_bits(&random, 31), random_bits(&random, 31), &small);
        note_normalize(random_i64(&random), random_i64(&random), &any);
    }
    for (int64_t x = -40; x <= 40; ++x) {
        for (int64_t y = -40; y <= 40; ++y) {
            note_normalize(x, y, &small);
        }
    }
    CHECK_BELOW("unit vector of 31 bits, quanta of 2^-30", small.direction, 1);
    CHECK_BELOW("unit vector of 64 bits, quanta of 2^-30", any.direction, 1.2L);
    CHECK_BELOW("its length below 2^30, quanta", fmaxl(small.length, any.length), 1);
    CHECK_BELOW("its length above 2^30, relative in 2^-30", fmaxl(small.length_relative, any.length_relative), 1);
}

static void test_normalize_is_exact_on_the_axes(void **state) {
    (void)state;
    for (unsigned shift = 0; shift < 63; ++shift) {
        int32_t nx;
        int32_t ny;
        int64_t v = INT64_C(1) << shift;
        assert_true(iso__normalize(v, 0, &nx, &ny) == v);
        assert_true(nx == ISO__UNIT_ONE && ny == 0);
        assert_true(iso__normalize(0, -v, &nx, &ny) == v);
        assert_true(nx == 0 && ny == -ISO__UNIT_ONE);
    }
    int32_t nx;
    int32_t ny;
    assert_true(iso__normalize(INT64_MIN, INT64_MIN, &nx, &ny) == INT64_MAX);
    assert_true(nx == -759250125 && ny == -759250125);
    assert_int_equal(iso__normalize(3, -4, &nx, &ny), 5);
    assert_true(nx == 644245094 && ny == -858993459);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_shift_rounds_to_nearest_half_up),
        cmocka_unit_test(test_sums_wrap),
        cmocka_unit_test(test_products_of_two_components_are_exact),
        cmocka_unit_test(test_magnitudes_and_clamps_reach_the_ends),
        cmocka_unit_test(test_div_round_rounds_to_nearest_half_away),
        cmocka_unit_test(test_division_by_few_is_division),
        cmocka_unit_test(test_recip_unit_is_rounded_once),
        cmocka_unit_test(test_isqrt64_is_exact),
        cmocka_unit_test(test_rsqrt_unit_is_within_a_quantum),
        cmocka_unit_test(test_normalize_is_within_its_error),
        cmocka_unit_test(test_normalize_is_exact_on_the_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
