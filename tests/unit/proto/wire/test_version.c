/// What a program says it was built from, on its own lines and in one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/version.h"

/// A test has no commit of its own: the file that names one belongs to the programs.
static void test_program_without_a_commit_names_none(void **state) {
    (void)state;
    char text[ISO_VERSION_TEXT_SIZE], build[64];
    assert_string_equal(iso_version_commit(), "");
    iso_version_text("a-program", NULL, 0, text);
    assert_int_equal(strncmp(text, "a-program ", 10), 0);
    assert_null(strstr(text, "\ncommit "));
    assert_non_null(strstr(text, "\nprotocol     3\n"));
    iso_version_build("a-program", build, sizeof build);
    unsigned plane = 0, space = 0, release[3];
    assert_int_equal(sscanf(build, "a-program %u.%u.%u (%u/%u)", &release[0], &release[1], &release[2], &plane, &space),
                     5);
    char line[64];
    snprintf(line, sizeof line, "\nsimulation   version %u, ", plane);
    assert_non_null(strstr(text, line));
    snprintf(line, sizeof line, "\nin space     version %u, ", space);
    assert_non_null(strstr(text, line));
}

static void test_build_is_cut_at_its_capacity(void **state) {
    (void)state;
    char build[12];
    iso_version_build("a-long-program", build, sizeof build);
    assert_string_equal(build, "a-long-prog");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_without_a_commit_names_none),
        cmocka_unit_test(test_build_is_cut_at_its_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
