/// Which name is meant by one that is not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/nearest.h"

static char text[ISO_NEAREST_TEXT_SIZE];

/// What is asked when `name` is not there, but these are: names with a space between them.
static const char *ask(const char *name, const char *names) {
    iso_nearest nearest = {0};
    for (const char *at = names; *at != '\0'; at += strspn(at, " ")) {
        const size_t size = strcspn(at, " ");
        iso_nearest_look(&nearest, name, at, size);
        at += size;
    }
    iso_nearest_ask(&nearest, text);
    return text;
}

static void test_names_that_are_near_are_asked_for(void **state) {
    (void)state;
    assert_string_equal(ask("stak", "sandbox stack stack3"), " (did you mean 'stack'?)");
    assert_string_equal(ask("SANDBX", "stack sandbox3 sandbox"), " (did you mean 'sandbox', 'sandbox3'?)");
    assert_string_equal(ask("acr", "car arc ac"), " (did you mean 'car', 'arc', 'ac'?)");
    assert_string_equal(ask("nothing", "sandbox stack"), "");
    assert_string_equal(ask("", "sandbox"), "");
    assert_string_equal(ask("stack", ""), "");
}

static void test_the_longest_names_have_room(void **state) {
    (void)state;
    const char *a = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn";
    char names[3 * 41 + 1] = "", expected[ISO_NEAREST_TEXT_SIZE];
    for (int i = 0; i < 3; ++i) {
        strcat(strcat(names, a), " ");
    }
    snprintf(expected, sizeof expected, " (did you mean '%s', '%s', '%s'?)", a, a, a);
    assert_string_equal(ask("abcdefghijklmnopqrstuvwxyzabcdefghijklm!", names), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_that_are_near_are_asked_for),
        cmocka_unit_test(test_the_longest_names_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
