/// A failed assertion says where and what, and ends the program.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "isostep/isostep.h"
#include "isostep/ragdoll.h"
#include "isostep/assert.h"

/// What a process that calls `act` says. @return how it ended
static int said_by(void (*act)(void), char *text, size_t capacity) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        for (int signal_number = 1; signal_number < 32; ++signal_number) {
            signal(signal_number, SIG_DFL); // cmocka's own would go on
        }
        dup2(ends[1], 2);
        act();
        _exit(0);
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t part = 1; part > 0; size += (size_t)(part > 0 ? part : 0)) {
        part = read(ends[0], text + size, capacity - 1 - size);
    }
    text[size] = 0;
    close(ends[0]);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

static volatile int three = 3;

#define FAIL_LINE (__LINE__ + 2)
static const int fail_line = FAIL_LINE;
static void fail_here(void) {
    ISO_ASSERT(three == 4 && "three is four");
}

static void test_a_failed_assertion_says_where_and_what(void **state) {
    (void)state;
    char text[1024], wanted[256];
    const int status = said_by(fail_here, text, sizeof text);
    assert_true(WIFSIGNALED(status) && (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGTRAP));
    snprintf(wanted, sizeof wanted, "test_assert.c:%d: assertion failed: three == 4 && \"three is four\"\n", fail_line);
    assert_string_equal(text, wanted);
}

/// One inside the library.
static void fail_in_the_library(void) {
    const iso_ragdoll_plan plan = {.part_count = 1};
    const iso_ragdoll doll = {.plan = &plan};
    (void)iso_ragdoll_body(&doll, (uint32_t)three);
}

static void test_the_library_s_say_it_too(void **state) {
    (void)state;
    char text[1024];
    const int status = said_by(fail_in_the_library, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_memory_equal(text, "ragdoll.c:", 10);
    assert_non_null(strstr(text, ": assertion failed: part < doll->plan->part_count\n"));
}

static void fail_at_length(void) {
    char long_text[2048];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    iso_assert_failed("file", 0, long_text);
}

static void test_a_long_condition_is_cut(void **state) {
    (void)state;
    char text[1024];
    assert_true(WIFSIGNALED(said_by(fail_at_length, text, sizeof text)));
    assert_int_equal(strlen(text), 512);
    assert_memory_equal(text, "file:0: assertion failed: xxxx", 30);
    assert_int_equal(text[511], '\n');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failed_assertion_says_where_and_what),
        cmocka_unit_test(test_the_library_s_say_it_too),
        cmocka_unit_test(test_a_long_condition_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
