/// Q31.32 arithmetic of the public interface against exact and long double references, and its decimal text.

#include "test_math_util.h"

#include "isostep/fixed.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static int64_t saturate(i128 a) {
    return a > INT64_MAX ? INT64_MAX : a < INT64_MIN ? INT64_MIN : (int64_t)a;
}

static void test_conversions_are_exact_or_rounded_up(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 300000; ++i) {
        fix16_t small = (fix16_t)(random_u64(&random) >> 32);
        assert_int_equal(iso_fix16_from_wide(iso_wide_from_fix16(small)), small);
        int64_t wide = random_i64(&random);
        i128 want = ((i128)wide + 32768) >> 16;
        assert_int_equal(iso_fix16_from_wide(wide), want > INT32_MAX   ? INT32_MAX
                                                    : want < INT32_MIN ? INT32_MIN
                                                                       : (fix16_t)want);
    }
    assert_int_equal(iso_fix16_from_wide(32768), 1);
    assert_int_equal(iso_fix16_from_wide(-32768), 0);
    assert_int_equal(iso_fix16_from_wide(INT64_MAX), INT32_MAX);
    assert_int_equal(iso_fix16_from_wide(INT64_MIN), INT32_MIN);
    assert_true(iso_wide_from_int(-3) == -3 * ISO_WIDE_ONE);
    assert_true(iso_wide_from_int(INT32_MIN) == INT64_MIN);
}

static void test_sums_products_and_quotients_are_rounded_once(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 500000; ++i) {
        int64_t a = random_i64(&random);
        int64_t b = random_i64(&random);
        assert_int_equal(iso_wide_add(a, b), saturate((i128)a + b));
        assert_int_equal(iso_wide_sub(a, b), saturate((i128)a - b));
        assert_int_equal(iso_wide_mul(a, b), saturate(((i128)a * b + ISO_WIDE_HALF) >> 32));
        if (b != 0) {
            i128 n = (i128)a * ISO_WIDE_ONE * 2 * (b < 0 ? -1 : 1);
            i128 d = b < 0 ? -(i128)b : b;
            i128 want = n < 0 ? -((-n + d) / (2 * d)) : (n + d) / (2 * d);
            assert_int_equal(iso_wide_div(a, b), saturate(want));
        }
    }
    assert_int_equal(iso_wide_div(1, 0), ISO_WIDE_MAX);
    assert_int_equal(iso_wide_div(-1, 0), ISO_WIDE_MIN);
    assert_int_equal(iso_wide_div(0, 0), 0);
    assert_true(iso_wide_div(INT64_MIN, -ISO_WIDE_ONE) == ISO_WIDE_MAX);
    assert_true(iso_wide_mul(INT64_MIN, -ISO_WIDE_ONE) == ISO_WIDE_MAX);
}

static void test_sqrt_is_exact(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 500000; ++i) {
        int64_t a = i < 1000 ? i : random_i64(&random);
        i128 s = iso_wide_sqrt(a);
        if (a <= 0) {
            assert_true(s == 0);
            continue;
        }
        i128 square = (i128)a * ISO_WIDE_ONE;
        assert_true(s * s <= square && (s + 1) * (s + 1) > square);
    }
    assert_int_equal(iso_wide_sqrt(4 * ISO_WIDE_ONE), 2 * ISO_WIDE_ONE);
    assert_int_equal(iso_wide_sqrt(INT64_MIN), 0);
}

static void test_hypot_is_exact(void **state) {
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 500000; ++i) {
        int64_t x = random_i64(&random);
        int64_t y = random_i64(&random);
        int64_t length = iso_wide_hypot(x, y);
        if (x == INT64_MIN || y == INT64_MIN) {
            assert_true(length == ISO_WIDE_MAX);
            continue;
        }
        u128 square = (u128)((i128)x * x) + (u128)((i128)y * y);
        u128 s = (u128)length;
        assert_true(s * s <= square && (length == ISO_WIDE_MAX || (s + 1) * (s + 1) > square));
    }
    assert_int_equal(iso_wide_hypot(3 * ISO_WIDE_ONE, -4 * ISO_WIDE_ONE), 5 * ISO_WIDE_ONE);
    assert_int_equal(iso_wide_hypot(INT64_MAX, INT64_MAX), ISO_WIDE_MAX);
    assert_int_equal(iso_wide_hypot(0, 0), 0);
}

static void test_radians_and_turns_convert_to_nearest(void **state) {
    (void)state;
    const long double two_pi = 6.283185307179586476925286766559005768L;
    uint64_t random = 5;
    long double max_turns = 0;
    long double max_radians = 0;
    for (int i = 0; i < 300000; ++i) {
        int64_t a = random_bits(&random, 58);
        note_error(&max_turns, iso_turns_from_radians(a) - a / two_pi);
        note_error(&max_radians, iso_radians_from_turns(a) - a * two_pi);
    }
    CHECK_BELOW("radians to turns, quanta", max_turns, 0.52L);
    CHECK_BELOW("turns to radians, quanta", max_radians, 0.7L);
    assert_int_equal(iso_turns_from_radians(ISO_WIDE_TWO_PI), ISO_WIDE_ONE);
    assert_int_equal(iso_turns_from_radians(ISO_WIDE_PI), ISO_WIDE_HALF);
    assert_int_equal(iso_radians_from_turns(ISO_WIDE_ONE), ISO_WIDE_TWO_PI);
    assert_int_equal(iso_radians_from_turns(-ISO_WIDE_ONE), -ISO_WIDE_TWO_PI);
    assert_true(iso_radians_from_turns(INT64_MAX) == ISO_WIDE_MAX);
    assert_true(iso_radians_from_turns(INT64_MIN) == ISO_WIDE_MIN);
}

/// Radians are finer than turns, so that an angle in them stands for one angle in turns: nothing is lost on the way
/// there and back, as far as radians reach.
static void test_turns_come_back_from_radians(void **state) {
    (void)state;
    int64_t last = 0; // the largest angle that does not saturate
    for (int64_t step = INT64_C(1) << 60; step > 0; step /= 2) {
        last += iso_radians_from_turns(last + step) < INT64_MAX ? step : 0;
    }
    assert_int_equal(last / ISO_WIDE_ONE, 341782637);
    assert_true(iso_radians_from_turns(last + 1) == INT64_MAX && iso_radians_from_turns(INT64_MAX) == INT64_MAX);
    assert_true(iso_radians_from_turns(-last - 2) == INT64_MIN && iso_radians_from_turns(INT64_MIN) == INT64_MIN);
    uint64_t random = 12;
    for (int64_t i = 0; i < 400000; ++i) {
        const int64_t far = (int64_t)(random_u64(&random) % (uint64_t)last) >> random_u64(&random) % 60;
        const int64_t turns[] = {far, -far, i, -i, last - i, i - last, i * ISO_WIDE_HALF, -i * ISO_WIDE_HALF - 1};
        for (size_t k = 0; k < sizeof turns / sizeof turns[0]; ++k) {
            assert_int_equal(iso_turns_from_radians(iso_radians_from_turns(turns[k])), turns[k]);
        }
    }
}

static void check_text(const char *text, iso_status status, int64_t expected) {
    iso_wide value = 12345;
    assert_int_equal(iso_wide_from_text(text, strlen(text), &value), status);
    assert_true(value == (status == ISO_OK ? expected : 12345));
}

static void test_text_grammar(void **state) {
    (void)state;
    const char *const malformed[] = {"",   "-",    "+",     ".",    "-.",  "e5",  ".e5", "1e",  "1e+",   "1e5.", " 1",
                                     "1 ", "1..2", "1.2.3", "0x10", "1,5", "nan", "inf", "--1", "1e5e5", "1-"};
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; ++i) {
        check_text(malformed[i], ISO_ERR_MALFORMED, 0);
    }
    iso_wide value = 0;
    assert_int_equal(iso_wide_from_text("1.5", 1, &value), ISO_OK); // no more than `size` characters are read
    assert_true(value == ISO_WIDE_ONE);
    check_text("1.", ISO_OK, ISO_WIDE_ONE);
    check_text(".5", ISO_OK, ISO_WIDE_HALF);
    check_text("+2.50", ISO_OK, 5 * ISO_WIDE_HALF);
    check_text("-0", ISO_OK, 0);
    check_text("25e-1", ISO_OK, 5 * ISO_WIDE_HALF);
    check_text("0.00025E+04", ISO_OK, 5 * ISO_WIDE_HALF);
    check_text("000000000000000000000000000001", ISO_OK, ISO_WIDE_ONE);
    check_text("0e99999999999999999999999", ISO_OK, 0);
    check_text("1e-99999999999999999999999", ISO_OK, 0);
}

static void test_text_reaches_the_ends_of_the_range(void **state) {
    (void)state;
    check_text("2147483647.99999999976716935634613037109375", ISO_OK, INT64_MAX);
    check_text("2147483647.999999999883584678173065185546874", ISO_OK, INT64_MAX);
    check_text("2147483647.999999999883584678173065185546875", ISO_ERR_RANGE, 0); // rounds to 2^31
    check_text("-2147483648", ISO_OK, INT64_MIN);
    check_text("-2147483648.000000000116415321826934814453124", ISO_OK, INT64_MIN);
    check_text("-2147483648.000000000116415321826934814453125", ISO_ERR_RANGE, 0);
    check_text("2147483648", ISO_ERR_RANGE, 0);
    check_text("9999999999", ISO_ERR_RANGE, 0);
    check_text("1e10", ISO_ERR_RANGE, 0);
    check_text("1e99999999999999999999999", ISO_ERR_RANGE, 0);
    check_text("-123456789012345678901234567890", ISO_ERR_RANGE, 0);
}

static void test_text_rounds_halves_away_from_zero(void **state) {
    (void)state;
    // 2^-33 is half a quantum and has 33 decimals.
    check_text("0.000000000116415321826934814453125", ISO_OK, 1);
    check_text("-0.000000000116415321826934814453125", ISO_OK, -1);
    check_text("0.000000000116415321826934814453124999999999999999999", ISO_OK, 0);
    check_text("0.0000000001164153218269348144531250000000000000000001", ISO_OK, 1);
    check_text("0.00000000034924596548080444335937499999", ISO_OK, 1);
    check_text("0.000000000349245965480804443359375", ISO_OK, 2);
    check_text("116415321826934814453125e-33", ISO_OK, 1);
}

static void test_text_of_decimals_is_to_nearest(void **state) {
    (void)state;
    uint64_t random = 6;
    for (int i = 0; i < 300000; ++i) {
        int64_t micro = random_bits(&random, 50) % INT64_C(2147483648000000);
        char text[40];
        int size = snprintf(text, sizeof text, "%lld%s", (long long)micro, "e-6");
        i128 n = (i128)(micro < 0 ? -micro : micro) * ISO_WIDE_ONE;
        int64_t want = (int64_t)((n * 2 + 1000000) / 2000000);
        iso_wide value;
        assert_int_equal(iso_wide_from_text(text, (size_t)size, &value), ISO_OK);
        assert_int_equal(value, micro < 0 ? -want : want);
    }
}

static void test_text_comes_back_to_the_same_bits(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 500000; ++i) {
        int64_t value = i == 0 ? INT64_MAX : i == 1 ? INT64_MIN : i < 1000 ? i - 500 : random_i64(&random);
        char text[ISO_WIDE_TEXT_SIZE + 1];
        text[ISO_WIDE_TEXT_SIZE] = 'x';
        size_t size = iso_wide_to_text(value, text);
        assert_true(size < ISO_WIDE_TEXT_SIZE && text[size] == '\0' && text[ISO_WIDE_TEXT_SIZE] == 'x');
        iso_wide back = 0;
        assert_int_equal(iso_wide_from_text(text, size, &back), ISO_OK);
        assert_true(back == value);
    }
    char text[ISO_WIDE_TEXT_SIZE];
    iso_wide_to_text(-5 * ISO_WIDE_HALF, text);
    assert_string_equal(text, "-2.5");
    iso_wide_to_text(0, text);
    assert_string_equal(text, "0");
    iso_wide_to_text(1000 * ISO_WIDE_ONE, text);
    assert_string_equal(text, "1000");
    iso_wide_to_text(INT64_MIN, text);
    assert_string_equal(text, "-2147483648");
    iso_wide_to_text(1, text);
    assert_string_equal(text, "0.0000000002");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions_are_exact_or_rounded_up),
        cmocka_unit_test(test_sums_products_and_quotients_are_rounded_once),
        cmocka_unit_test(test_sqrt_is_exact),
        cmocka_unit_test(test_hypot_is_exact),
        cmocka_unit_test(test_radians_and_turns_convert_to_nearest),
        cmocka_unit_test(test_turns_come_back_from_radians),
        cmocka_unit_test(test_text_grammar),
        cmocka_unit_test(test_text_reaches_the_ends_of_the_range),
        cmocka_unit_test(test_text_rounds_halves_away_from_zero),
        cmocka_unit_test(test_text_of_decimals_is_to_nearest),
        cmocka_unit_test(test_text_comes_back_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
