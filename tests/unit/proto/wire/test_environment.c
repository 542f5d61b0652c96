/// What the programs read from their environment.
#define _GNU_SOURCE // the program's name
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/environment.h"

static void test_without_a_value_the_fastest_set_is_taken(void **state) {
    (void)state;
    char text[ISO_ENVIRONMENT_TEXT_SIZE];
    unsetenv("ISO_SIMD");
    assert_true(iso_environment_check(text));
    assert_int_equal(iso_environment_simd(), iso_simd_best());
    setenv("ISO_SIMD", "", 1);
    assert_true(iso_environment_check(text));
    assert_int_equal(iso_environment_simd(), iso_simd_best());
}

static void test_a_supported_set_is_taken_by_its_name(void **state) {
    (void)state;
    char text[ISO_ENVIRONMENT_TEXT_SIZE];
    for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
        const iso_simd set = (iso_simd)i;
        setenv("ISO_SIMD", iso_simd_name(set), 1);
        assert_int_equal(iso_environment_check(text), iso_simd_is_supported(set));
        assert_int_equal(iso_environment_simd(), iso_simd_is_supported(set) ? set : iso_simd_best());
        if (!iso_simd_is_supported(set)) {
            assert_non_null(strstr(text, iso_simd_name(set)));
            assert_non_null(strstr(text, "lacks it"));
            assert_non_null(strstr(text, "portable"));
        }
    }
}

/// The message names the value, of a long one the beginning, and every value that would do.
static void test_an_unknown_set_is_named(void **state) {
    (void)state;
    static const char *const values[] = {"avx3", "AVX2", "a-name-that-is-much-longer-than-any-that-there-is-here"};
    for (unsigned k = 0; k < sizeof values / sizeof values[0]; ++k) {
        char text[ISO_ENVIRONMENT_TEXT_SIZE], start[16];
        setenv("ISO_SIMD", values[k], 1);
        assert_false(iso_environment_check(text));
        snprintf(start, sizeof start, "%s", values[k]);

        assert_non_null(strstr(text, start));
        assert_non_null(strstr(text, "there is no such"));
        for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
            assert_int_equal(strstr(text, iso_simd_name((iso_simd)i)) != NULL, iso_simd_is_supported((iso_simd)i));
        }
    }
}

/// Of a program with a game of its own a recording says its name, in which every character can be shown.
static void test_the_program_is_named_as_it_was_started(void **state) {
    (void)state;
    char name[ISO_PROGRAM_NAME_SIZE];
    char *const own = program_invocation_short_name;
    assert_string_equal(iso_environment_program("isostep-server", name), "test_environment");
    static char odd[] = "my game\n\xC3", longer[] = "a-program-with-a-name-that-is-too-long", none[] = "";
    program_invocation_short_name = odd;
    assert_string_equal(iso_environment_program("isostep-server", name), "my_game__");
    program_invocation_short_name = longer;
    assert_string_equal(iso_environment_program("isostep-server", name), "a-program-with-a-name");
    program_invocation_short_name = none;
    assert_string_equal(iso_environment_program("isostep-server", name), "isostep-server");
    program_invocation_short_name = own;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_value_the_fastest_set_is_taken),
        cmocka_unit_test(test_a_supported_set_is_taken_by_its_name),
        cmocka_unit_test(test_an_unknown_set_is_named),
        cmocka_unit_test(test_the_program_is_named_as_it_was_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
