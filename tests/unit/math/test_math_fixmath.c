/// Q15.16 through libfixmath, and our fallbacks equal to it in every bit.

#include "test_math_util.h"

#include "isostep/fixed.h"
#include "math/fixed_ops.h"

fix16_t twin_fix16_mul(fix16_t a, fix16_t b);
fix16_t twin_fix16_div(fix16_t a, fix16_t b);
fix16_t twin_fix16_sqrt(fix16_t value);
fix16_t twin_fix16_sadd(fix16_t a, fix16_t b);
fix16_t twin_fix16_ssub(fix16_t a, fix16_t b);
fix16_t twin_fix16_smul(fix16_t a, fix16_t b);
fix16_t twin_fix16_sdiv(fix16_t a, fix16_t b);
iso_status twin_fix16_from_text(const char *text, size_t size, fix16_t *value);
size_t twin_fix16_to_text(fix16_t value, char *text);

static fix16_t random_fix16(uint64_t *random) {
    uint64_t bits = random_u64(random);
    switch (bits & 7) {
    case 0:
        return (fix16_t)(uint32_t)((UINT64_C(1) << ((bits >> 8) & 31)) + ((bits >> 16) & 3) - 1);
    case 1:
        return (fix16_t)(0u - (uint32_t)((UINT64_C(1) << ((bits >> 8) & 31)) + ((bits >> 16) & 3) - 1));
    default:
        return (fix16_t)(uint32_t)(random_u64(random) >> 32) >> ((bits >> 8) & 31);
    }
}

static void test_fallback_equals_library(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 3000000; ++i) {
        fix16_t a = random_fix16(&random);
        fix16_t b = random_fix16(&random);
        assert_int_equal(iso_fix16_mul(a, b), twin_fix16_mul(a, b));
        assert_int_equal(iso_fix16_div(a, b), twin_fix16_div(a, b));
        assert_int_equal(iso_fix16_sadd(a, b), twin_fix16_sadd(a, b));
        assert_int_equal(iso_fix16_ssub(a, b), twin_fix16_ssub(a, b));
        assert_int_equal(iso_fix16_smul(a, b), twin_fix16_smul(a, b));
        assert_int_equal(iso_fix16_sdiv(a, b), twin_fix16_sdiv(a, b));
        assert_int_equal(iso_fix16_sqrt(a), twin_fix16_sqrt(a));
    }
    const fix16_t ends[] = {INT32_MIN, INT32_MIN + 1, -65536, -32768, -1, 0, 1, 32768, 65536, INT32_MAX - 1, INT32_MAX};
    for (size_t i = 0; i < 11; ++i) {
        for (size_t j = 0; j < 11; ++j) {
            fix16_t a = ends[i];
            fix16_t b = ends[j];
            assert_int_equal(iso_fix16_mul(a, b), twin_fix16_mul(a, b));
            assert_int_equal(iso_fix16_div(a, b), twin_fix16_div(a, b));
            assert_int_equal(iso_fix16_sadd(a, b), twin_fix16_sadd(a, b));
            assert_int_equal(iso_fix16_ssub(a, b), twin_fix16_ssub(a, b));
            assert_int_equal(iso_fix16_smul(a, b), twin_fix16_smul(a, b));
            assert_int_equal(iso_fix16_sdiv(a, b), twin_fix16_sdiv(a, b));
        }
        assert_int_equal(iso_fix16_sqrt(ends[i]), twin_fix16_sqrt(ends[i]));
    }
}

static void test_results_are_rounded_to_nearest(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 1000000; ++i) {
        fix16_t a = random_fix16(&random);
        fix16_t b = random_fix16(&random);
        long double product = roundl((long double)a * b / 65536);
        if (fabsl(product) <= INT32_MAX) {
            assert_int_equal(iso_fix16_mul(a, b), (fix16_t)product);
        }
        if (b != 0 && fabsl((long double)a * 65536 / b) < INT32_MAX) {
            assert_int_equal(iso_fix16_div(a, b), llroundl((long double)a * 65536 / b));
        }
        if (a >= 0) {
            assert_int_equal(iso_fix16_sqrt(a), llroundl(256 * sqrtl(a)));
        }
    }
}

static void test_saturation_keeps_the_sign(void **state) {
    (void)state;
    assert_int_equal(iso_fix16_sadd(INT32_MAX, 1), ISO_FIX16_MAX);
    assert_int_equal(iso_fix16_sadd(INT32_MIN, -1), ISO_FIX16_MIN);
    assert_int_equal(iso_fix16_sadd(0, INT32_MIN), ISO_FIX16_MIN);
    assert_int_equal(iso_fix16_ssub(0, INT32_MIN), ISO_FIX16_MAX);
    assert_int_equal(iso_fix16_smul(INT32_MIN, INT32_MIN), ISO_FIX16_MAX);
    assert_int_equal(iso_fix16_smul(INT32_MAX, INT32_MIN), ISO_FIX16_MIN);
    assert_int_equal(iso_fix16_sdiv(-5, 0), ISO_FIX16_MIN);
    assert_int_equal(iso_fix16_sdiv(0, 0), ISO_FIX16_MAX);
    assert_int_equal(iso_fix16_div(7, 0), ISO_FIX16_MIN);
    assert_int_equal(iso_fix16_mul(INT32_MAX, INT32_MAX), ISO_FIX16_OVERFLOW);
}

static void test_text_comes_back_to_the_same_bits(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 300000; ++i) {
        fix16_t value = i < 70000 ? i - 1000 : i == 70000 ? INT32_MIN : i == 70001 ? INT32_MAX : random_fix16(&random);
        char text[ISO_FIX16_TEXT_SIZE];
        char twin[ISO_FIX16_TEXT_SIZE];
        size_t size = iso_fix16_to_text(value, text);
        assert_int_equal(twin_fix16_to_text(value, twin), size);
        assert_string_equal(text, twin);
        assert_int_equal(strlen(text), size);
        fix16_t back = 0;
        assert_int_equal(iso_fix16_from_text(text, size, &back), ISO_OK);
        assert_int_equal(back, value);
        back = 0;
        assert_int_equal(twin_fix16_from_text(text, size, &back), ISO_OK);
        assert_int_equal(back, value);
    }
}

static void test_decimals_read_to_nearest(void **state) {
    (void)state;
    for (int i = 0; i < 100000; ++i) {
        char text[16];
        int size = snprintf(text, sizeof text, "%s%d.%05d", i & 1 ? "-" : "", i % 32768, i);
        long double exact = (i % 32768 + i / 100000.0L) * (i & 1 ? -1 : 1);
        fix16_t value;
        fix16_t twin;
        assert_int_equal(iso_fix16_from_text(text, (size_t)size, &value), ISO_OK);
        assert_int_equal(twin_fix16_from_text(text, (size_t)size, &twin), ISO_OK);
        assert_int_equal(value, llroundl(exact * 65536));
        assert_int_equal(twin, value);
    }
}

static void check_text(const char *text, iso_status status, fix16_t expected) {
    fix16_t value = 12345;
    assert_int_equal(iso_fix16_from_text(text, strlen(text), &value), status);
    assert_int_equal(value, status == ISO_OK ? expected : 12345);
    value = 12345;
    assert_int_equal(twin_fix16_from_text(text, strlen(text), &value), status);
    assert_int_equal(value, status == ISO_OK ? expected : 12345);
}

static void test_text_grammar(void **state) {
    (void)state;
    check_text("1", ISO_OK, 65536);
    check_text("+1.", ISO_OK, 65536);
    check_text(".5", ISO_OK, 32768);
    check_text("-0.5", ISO_OK, -32768);
    check_text("00000000012.25", ISO_OK, 802816);
    check_text("-32768", ISO_OK, INT32_MIN);
    check_text("-32768.00000", ISO_OK, INT32_MIN);
    check_text("32767.99999", ISO_OK, INT32_MAX);
    check_text("32768", ISO_ERR_RANGE, 0);
    check_text("-32768.00001", ISO_ERR_RANGE, 0);
    check_text("4294967297", ISO_ERR_RANGE, 0);
    check_text("99999999999999999999", ISO_ERR_RANGE, 0);
    check_text("1.000001", ISO_ERR_RANGE, 0);
    check_text("", ISO_ERR_MALFORMED, 0);
    check_text("-", ISO_ERR_MALFORMED, 0);
    check_text(".", ISO_ERR_MALFORMED, 0);
    check_text(" 1", ISO_ERR_MALFORMED, 0);
    check_text("1 ", ISO_ERR_MALFORMED, 0);
    check_text("1e3", ISO_ERR_MALFORMED, 0);
    check_text("--1", ISO_ERR_MALFORMED, 0);
    check_text("1.2.3", ISO_ERR_MALFORMED, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fallback_equals_library),   cmocka_unit_test(test_results_are_rounded_to_nearest),
        cmocka_unit_test(test_saturation_keeps_the_sign), cmocka_unit_test(test_text_comes_back_to_the_same_bits),
        cmocka_unit_test(test_decimals_read_to_nearest),  cmocka_unit_test(test_text_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
