/// Rotations, arctangent, exponential and the constant tables against libm in long double.

#include "test_math_util.h"

#include "isostep/fixed.h"
#include "math/fixed_ops.h"

static const long double TWO_PI = 6.283185307179586476925286766559005768L;

static void note_rotation(uint32_t turns, long double *max, long double *norm) {
    iso_rotation q = iso_rotation_make(turns);
    long double angle = TWO_PI * ((long double)turns / 4294967296.0L);
    note_error(max, q.c - 1073741824.0L * cosl(angle));
    note_error(max, q.s - 1073741824.0L * sinl(angle));
    note_error(norm, hypotl(q.c, q.s) / 1073741824.0L - 1);
}

static void test_rotation_is_within_its_error(void **state) {
    (void)state;
    long double max = 0;
    long double norm = 0;
    for (uint64_t t = 0; t < UINT64_C(1) << 32; t += 2039) {
        note_rotation((uint32_t)t, &max, &norm);
    }
    for (uint32_t octant = 0; octant < 8; ++octant) {
        for (uint32_t near = 0; near < 4096; ++near) {
            note_rotation((octant << 29) + near, &max, &norm);
            note_rotation((octant << 29) - near, &max, &norm);
        }
    }
    CHECK_BELOW("rotation, quanta of 2^-30", max, 0.9L);
    CHECK_BELOW("rotation, | |q| - 1 |", norm, 1e-9L);
}

static void test_rotation_is_exact_at_quarter_turns(void **state) {
    (void)state;
    const iso_rotation expected[4] = {
        {ISO_ROTATION_ONE, 0}, {0, ISO_ROTATION_ONE}, {-ISO_ROTATION_ONE, 0}, {0, -ISO_ROTATION_ONE}};
    for (uint32_t i = 0; i < 4; ++i) {
        iso_rotation q = iso_rotation_make(i << 30);
        assert_int_equal(q.c, expected[i].c);
        assert_int_equal(q.s, expected[i].s);
        iso_rotation diagonal = iso_rotation_make((i << 30) + (1u << 29));
        assert_int_equal(iso__abs_u32(diagonal.c), 759250125);
        assert_int_equal(iso__abs_u32(diagonal.s), 759250125);
    }
}

static void test_rotation_octants_mirror_each_other(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 200000; ++i) {
        uint32_t t = (uint32_t)random_u64(&random);
        iso_rotation q = iso_rotation_make(t);
        iso_rotation minus = iso_rotation_make(0u - t);
        iso_rotation quarter = iso_rotation_make(t + (1u << 30));
        iso_rotation half = iso_rotation_make(t + (1u << 31));
        iso_rotation swapped = iso_rotation_make((1u << 30) - t);
        assert_true(minus.c == q.c && minus.s == -q.s);
        assert_true(quarter.c == -q.s && quarter.s == q.c);
        assert_true(half.c == -q.c && half.s == -q.s);
        assert_true(swapped.c == q.s && swapped.s == q.c);
    }
}

static void test_rotation_products_add_and_subtract_angles(void **state) {
    (void)state;
    uint64_t random = 2;
    long double max = 0;
    for (int i = 0; i < 200000; ++i) {
        uint32_t a = (uint32_t)random_u64(&random);
        uint32_t b = i % 5 == 0 ? a : i % 5 == 1 ? 0u - a : (uint32_t)random_u64(&random);
        iso_rotation qa = iso_rotation_make(a);
        iso_rotation qb = iso_rotation_make(b);
        iso_rotation sum = iso_rotation_mul(qa, qb);
        iso_rotation difference = iso_rotation_inv_mul(qa, qb);
        iso_rotation want_sum = iso_rotation_make(a + b);
        iso_rotation want_difference = iso_rotation_make(b - a);
        note_error(&max, sum.c - want_sum.c);
        note_error(&max, sum.s - want_sum.s);
        note_error(&max, difference.c - want_difference.c);
        note_error(&max, difference.s - want_difference.s);
        assert_true(iso__abs_u32(sum.c) <= 1u << 30 && iso__abs_u32(difference.c) <= 1u << 30);
    }
    CHECK_BELOW("rotation products, quanta of 2^-30", max, 3);
}

static void note_atan2(int64_t y, int64_t x, long double *max) {
    iso_wide turns = iso_wide_atan2(y, x);
    assert_true(turns > -ISO_WIDE_HALF && turns <= ISO_WIDE_HALF);
    if (x == 0 && y == 0) {
        assert_int_equal(turns, 0);
        return;
    }
    long double error = fabsl(turns - 4294967296.0L * atan2l((long double)y, (long double)x) / TWO_PI);
    note_error(max, fminl(error, fabsl(error - 4294967296.0L)));
}

static void test_atan2_is_within_its_error(void **state) {
    (void)state;
    uint64_t random = 3;
    long double max = 0;
    for (int i = 0; i < 1000000; ++i) {
        note_atan2(random_i64(&random), random_i64(&random), &max);
        long double angle = TWO_PI * i / 1000000;
        note_atan2(llrintl(1e12L * sinl(angle)), llrintl(1e12L * cosl(angle)), &max);
    }
    CHECK_BELOW("atan2, quanta of 2^-32 turns", max, 0.52L);
}

static void test_atan2_knows_the_axes(void **state) {
    (void)state;
    const int64_t values[] = {1, 77, ISO_WIDE_ONE, INT64_MAX};
    for (size_t i = 0; i < 4; ++i) {
        int64_t v = values[i];
        assert_int_equal(iso_wide_atan2(0, v), 0);
        assert_int_equal(iso_wide_atan2(v, 0), ISO_WIDE_ONE / 4);
        assert_int_equal(iso_wide_atan2(0, -v), ISO_WIDE_HALF);
        assert_int_equal(iso_wide_atan2(-v, 0), -ISO_WIDE_ONE / 4);
        assert_int_equal(iso_wide_atan2(v, v), ISO_WIDE_ONE / 8);
        assert_int_equal(iso_wide_atan2(-v, -v), -3 * ISO_WIDE_ONE / 8);
    }
    assert_int_equal(iso_wide_atan2(0, INT64_MIN), ISO_WIDE_HALF);
    assert_int_equal(iso_wide_atan2(-1, INT64_MIN), ISO_WIDE_HALF);
    assert_int_equal(iso_wide_atan2(INT64_MIN, INT64_MIN), -3 * ISO_WIDE_ONE / 8);
}

static void test_exp_is_within_its_error(void **state) {
    (void)state;
    uint64_t random = 4;
    long double max = 0;
    long double max_relative = 0;
    for (int i = 0; i < 1000000; ++i) {
        int64_t x = i % 3 == 0 ? random_bits(&random, 36)
                               : (int64_t)(random_u64(&random) % UINT64_C(190530846193)) - INT64_C(98242467570);
        iso_wide got = iso_wide_exp(x);
        if (x > INT64_C(92288378626)) {
            assert_true(got == ISO_WIDE_MAX);
            continue;
        }
        long double want = 4294967296.0L * expl((long double)x / 4294967296.0L);
        if (want <= 576460752303423488.0L) { // 2^27
            note_error(&max, got - want);
        } else {
            note_error(&max_relative, (got - want) / want);
        }
    }
    CHECK_BELOW("exp up to 2^27, quanta of 2^-32", max, 1);
    CHECK_BELOW("exp above 2^27, relative", max_relative, 1.74e-18L);
}

static void test_exp_saturates_and_vanishes(void **state) {
    (void)state;
    assert_int_equal(iso_wide_exp(0), ISO_WIDE_ONE);
    assert_int_equal(iso_wide_exp(ISO_WIDE_ONE), 11674931555); // e
    assert_int_equal(iso_wide_exp(INT64_C(92288378626) + 1), ISO_WIDE_MAX);
    assert_int_equal(iso_wide_exp(INT64_MAX), ISO_WIDE_MAX);
    assert_int_equal(iso_wide_exp(INT64_C(-98242467570)), 1);
    assert_int_equal(iso_wide_exp(INT64_C(-98242467571)), 0);
    assert_int_equal(iso_wide_exp(INT64_MIN), 0);
    for (int64_t x = INT64_C(92288370000); x < INT64_C(92288378640); ++x) {
        assert_true(iso_wide_exp(x + 1) >= iso_wide_exp(x));
    }
}

static void test_rsqrt_seed_is_what_it_says(void **state) {
    (void)state;
    for (int i = 0; i < 384; ++i) {
        assert_int_equal(iso__rsqrt_seed[i], lrintl(32768.0L / sqrtl((i + 128.5L) / 512)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_is_within_its_error),
        cmocka_unit_test(test_rotation_is_exact_at_quarter_turns),
        cmocka_unit_test(test_rotation_octants_mirror_each_other),
        cmocka_unit_test(test_rotation_products_add_and_subtract_angles),
        cmocka_unit_test(test_atan2_is_within_its_error),
        cmocka_unit_test(test_atan2_knows_the_axes),
        cmocka_unit_test(test_exp_is_within_its_error),
        cmocka_unit_test(test_exp_saturates_and_vanishes),
        cmocka_unit_test(test_rsqrt_seed_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
