/// The sessions that clients can find: they come and go, and are there by name and in the order in which they came.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/sessions/directory.h"

#define COUNT 5u

static iso__hosted sessions[COUNT];
static iso__directory directory;

static void expect(const char *in_order, const char *by_name) {
    char order[COUNT + 1] = "", names[COUNT + 1] = "";
    for (uint32_t i = 0; i < directory.count; ++i) {
        order[i] = directory.sessions[i]->name[0];
        names[i] = directory.by_name[i]->name[0];
    }
    assert_string_equal(order, in_order);
    assert_string_equal(names, by_name);
}

static void test_sessions_come_and_go(void **state) {
    (void)state;
    const char *const letters = "cadbe";
    assert_true(iso__directory_init(&directory, COUNT));
    expect("", "");
    assert_null(iso__directory_find(&directory, "a"));
    for (uint32_t i = 0; i < COUNT; ++i) {
        sessions[i].name[0] = letters[i];
        iso__directory_add(&directory, &sessions[i]);
    }
    expect("cadbe", "abcde");
    assert_ptr_equal(iso__directory_find(&directory, "d"), &sessions[2]);
    iso__directory_remove(&directory, &sessions[2]);
    assert_null(iso__directory_find(&directory, "d"));
    iso__directory_remove(&directory, &sessions[2]); // is not there any more
    expect("cabe", "abce");
    iso__directory_remove(&directory, &sessions[0]);
    iso__directory_remove(&directory, &sessions[4]);
    expect("ab", "ab");
    iso__directory_add(&directory, &sessions[2]);
    expect("abd", "abd");
    iso__directory_term(&directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sessions_come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
