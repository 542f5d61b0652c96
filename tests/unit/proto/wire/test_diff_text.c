/// Values of a difference as text, digit by digit those of printf.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/diff_text.h"

static uint64_t state_of_numbers = 88172645463325252u;

static uint64_t next_number(void) {
    state_of_numbers ^= state_of_numbers << 13;
    state_of_numbers ^= state_of_numbers >> 7;
    state_of_numbers ^= state_of_numbers << 17;
    return state_of_numbers;
}

/// As many digits as tell the values of the format apart. A double holds the value exactly: it has at most 53 bits.
static void test_decimals_are_those_of_printf(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits <= 62; ++bits) {
        char unit[32];
        snprintf(unit, sizeof unit, "m/s Q%u.%u", 63 - bits, bits);
        const iso_field field = {.name = "velocity", .unit = unit, .count = 1, .type = ISO_FIELD_I64};
        for (uint32_t i = 0; i < 2000; ++i) {
            const uint64_t random = next_number() >> (11 + next_number() % 53);
            const uint64_t few = UINT64_C(1) << (random % 50); // halves of a digit among them
            const uint64_t size = i < 100 ? i : i % 4 == 0 ? few * 5 : random;
            const int64_t value = i % 2 == 0 ? (int64_t)size : -(int64_t)size;
            char expected[ISO_DIFF_TEXT_SIZE], text[ISO_DIFF_TEXT_SIZE];
            snprintf(expected, sizeof expected, "%.*f m/s (%" PRId64 ")", (int)(bits * 3 / 10) + 1,
                     (double)value / (double)(UINT64_C(1) << bits), value);
            assert_string_equal(iso_diff_value_text(&field, value, text), expected);
        }
    }
}

static void test_a_number_without_a_format_is_as_stored(void **state) {
    (void)state;
    static const char *const units[] = {"", "N", "Q", "per Q", "Q16", "Q16.", "Q1.63"};
    char text[ISO_DIFF_TEXT_SIZE];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        const iso_field field = {.name = "f", .unit = units[i], .count = 1, .type = ISO_FIELD_I32};
        assert_string_equal(iso_diff_value_text(&field, -12345, text), "-12345");
    }
    const iso_field root = {.name = "root", .unit = "", .count = 1, .type = ISO_FIELD_U64};
    assert_string_equal(iso_diff_value_text(&root, -1, text), "18446744073709551615");
    assert_string_equal(iso_diff_value_text(NULL, INT64_MIN, text), "-9223372036854775808");
}

static void test_a_place_names_section_record_field_and_element(void **state) {
    (void)state;
    char text[ISO_DIFF_TEXT_SIZE], name[200];
    const iso_field pair = {.name = "velocity", .unit = "", .count = 2, .type = ISO_FIELD_I64};
    iso_diff diff = {.section = ISO_SECTION_BODIES, .record = 4294967295u, .field = &pair, .element = 1};
    assert_string_equal(iso_diff_place_text(&diff, text), "bodies[4294967295].velocity[1]");
    diff.field = NULL;
    assert_string_equal(iso_diff_place_text(&diff, text), "number of bodies");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    const iso_field long_one = {.name = name, .unit = "", .count = 1, .type = ISO_FIELD_I64};
    diff.field = &long_one;
    diff.element = 0;
    assert_int_equal(strlen(iso_diff_place_text(&diff, text)), ISO_DIFF_TEXT_SIZE - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals_are_those_of_printf),
        cmocka_unit_test(test_a_number_without_a_format_is_as_stored),
        cmocka_unit_test(test_a_place_names_section_record_field_and_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
