/// None of libfixmath's functions with unsynchronised caches may be part of a program that links the core.
///
/// This program links the whole core. The names below are weak: they stay null unless something else pulls the
/// library's object file in.

#include "test_math_util.h"

#define LIST(X)       X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(atan2) X(exp) X(log) X(log2) X(sin_parabola)
#define DECLARE(name) extern char fix16_##name[] __attribute__((weak));
LIST(DECLARE)
extern char fix16_mul[] __attribute__((weak));

static void test_cached_functions_are_not_linked(void **state) {
    (void)state;
#define CHECK(name) assert_null(fix16_##name);
    LIST(CHECK)
}

static void test_the_library_itself_is_linked(void **state) {
    (void)state;
    assert_non_null(fix16_mul);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cached_functions_are_not_linked),
        cmocka_unit_test(test_the_library_itself_is_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
