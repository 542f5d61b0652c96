/// A program that has its own iso_assert_failed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isostep/ragdoll.h"
#include "isostep/assert.h"

static jmp_buf out;
static char said[256];

void iso_assert_failed(const char *file, int line, const char *condition) {
    snprintf(said, sizeof said, "%s|%d|%s", file, line > 0, condition);
    longjmp(out, 1);
}

static void test_the_program_s_own_handler_is_called(void **state) {
    (void)state;
    static const iso_ragdoll_plan plan = {.part_count = 1};
    static const iso_ragdoll doll = {.plan = &plan};
    if (setjmp(out) == 0) {
        (void)iso_ragdoll_body(&doll, 3);
        fail();
    }
    assert_string_equal(said, "ragdoll.c|1|part < doll->plan->part_count");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_program_s_own_handler_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
