/// What a server claims before it serves: descriptors, the loop's table of them, stack. Where there is not enough it
/// says so, rather than abort later.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/descriptors.h"
#include "host_rig.h"

#define OF_THE_SERVER   24u
#define CONNECTIONS_MIN 16u

static struct rlimit files;
static struct rlimit stack = {8u << 20, RLIM_INFINITY}; // asked by clang's run-time library, before a test begins
static uint32_t events_left;                            // that can be opened
static size_t block_max;                                // [bytes] beyond it there is no memory
static int poll_error;
static int highest; // of the descriptors that the loop was given

int __real_getrlimit(int resource, struct rlimit *limit);
int __wrap_getrlimit(int resource, struct rlimit *limit);
int __wrap_setrlimit(int resource, const struct rlimit *limit);
int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
int __real_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int file);
int __wrap_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int file);
int __real_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb on_event);
int __wrap_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb on_event);

int __wrap_getrlimit(int resource, struct rlimit *limit) {
    *limit = resource == RLIMIT_NOFILE ? files : stack;
    return 0;
}

int __wrap_setrlimit(int resource, const struct rlimit *limit) {
    if (resource == RLIMIT_CORE) {
        return 0; // the run-time library again
    }
    assert_int_equal(resource, RLIMIT_NOFILE);
    assert_true(limit->rlim_cur <= files.rlim_max && limit->rlim_max == files.rlim_max);
    files = *limit;
    return 0;
}

int __wrap_eventfd(unsigned count, int flags) {
    errno = EMFILE;
    return events_left > 0 ? (events_left--, __real_eventfd(count, flags)) : -1;
}

void *__wrap_malloc(size_t size) {
    return size <= block_max ? __real_malloc(size) : NULL;
}

int __wrap_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int file) {
    highest = file;
    return poll_error != 0 ? poll_error : __real_uv_poll_init(loop, poll, file);
}

int __wrap_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb on_event) {
    assert_int_equal(events, UV_READABLE);
    return __real_uv_poll_start(poll, events, on_event);
}

/// The lowest descriptor that is free: all above are as before when it is.
static int next_free(void) {
    const int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
}

static int set_up(void **state) {
    (void)state;
    files = (struct rlimit){1024, 1u << 20};
    stack = (struct rlimit){8u << 20, RLIM_INFINITY};
    events_left = 1000;
    block_max = SIZE_MAX;
    poll_error = 0;
    host_rig_clear_log();
    return 0;
}

static void test_the_limit_is_raised_as_far_as_it_may_be(void **state) {
    (void)state;
    const int before = next_free();
    assert_int_equal(iso__descriptors_claim(1), ISO__PEER_MAX + 8);
    assert_int_equal(files.rlim_cur, 1u << 20);
    assert_string_equal(host_rig_log, "");
    assert_int_equal(next_free(), before); // what was tried is given back
    assert_int_equal(events_left, 1000 - OF_THE_SERVER - CONNECTIONS_MIN);
}

static void test_connections_are_what_the_limit_leaves(void **state) {
    (void)state;
    files = (struct rlimit){100, 200};
    assert_int_equal(iso__descriptors_claim(0), 200 - OF_THE_SERVER);
    assert_int_equal(iso__descriptors_claim(3), 200 - OF_THE_SERVER - 3 * 2);
    files = (struct rlimit){ISO__PEER_MAX + 8 + OF_THE_SERVER - 1, ISO__PEER_MAX + 8 + OF_THE_SERVER - 1};
    assert_int_equal(iso__descriptors_claim(0), ISO__PEER_MAX + 7);
}

static void test_a_limit_that_is_too_low_is_an_answer(void **state) {
    (void)state;
    const rlim_t least = OF_THE_SERVER + 2 * 5 + CONNECTIONS_MIN;
    files = (struct rlimit){least, least};
    assert_int_equal(iso__descriptors_claim(5), CONNECTIONS_MIN + 0);
    assert_string_equal(host_rig_log, "");
    files = (struct rlimit){least - 1, least - 1};
    assert_int_equal(iso__descriptors_claim(5), 0);
    assert_true(host_rig_has_logged(
        "the limit of 49 open files is too low: with these sessions at least 50 are needed (ulimit -n)"));
}

/// A server that is started by another program may have inherited most of them.
static void test_descriptors_that_are_in_use_are_found_out(void **state) {
    (void)state;
    const int before = next_free();
    events_left = OF_THE_SERVER + CONNECTIONS_MIN - 1;
    assert_int_equal(iso__descriptors_claim(1), 0);
    assert_true(host_rig_has_logged("at least 40 open files are needed, and not all of them can be opened"));
    assert_true(host_rig_has_logged(strerror(EMFILE)));
    assert_int_equal(next_free(), before);
    events_left = OF_THE_SERVER + CONNECTIONS_MIN;
    assert_true(iso__descriptors_claim(1) > 0);
}

static void test_standard_streams_that_are_missing_are_opened(void **state) {
    (void)state;
    const int before = next_free();
    const int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
    close(STDIN_FILENO);
    const uint32_t count = iso__descriptors_claim(1);
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    assert_true(count > 0 && flags >= 0);
    assert_int_equal(flags & O_ACCMODE, O_RDWR);
    assert_int_equal(next_free(), before);
}

static bool fill(uint32_t recording_count, uint32_t stream_max) {
    uv_loop_t loop;
    uv_poll_t poll;
    highest = -1;
    assert_int_equal(uv_loop_init(&loop), 0);
    const bool filled = iso__descriptors_fill(&loop, &poll, recording_count, stream_max);
    uv_run(&loop, UV_RUN_DEFAULT); // nothing stays in it
    assert_int_equal(uv_loop_close(&loop), 0);
    return filled;
}

static void test_the_loops_table_is_as_large_as_it_will_ever_be(void **state) {
    (void)state;
    const int before = next_free();
    assert_true(fill(3, 500));
    assert_true(highest >= (int)(500 + OF_THE_SERVER + 3 * 2));
    assert_int_equal(next_free(), before);
    // The limit bounds it.
    files.rlim_cur = 300;
    assert_true(fill(3, 500));
    assert_int_equal(highest, 299);
    assert_string_equal(host_rig_log, "");
}

static void test_without_room_for_the_connections_it_says_so(void **state) {
    (void)state;
    const int before = next_free();
    events_left = 0;
    assert_false(fill(1, 500));
    assert_true(host_rig_has_logged("there is no room for 500 connections") && host_rig_has_logged(strerror(EMFILE)));
    assert_int_equal(highest, -1);
    events_left = 1000;
    poll_error = UV_ENOMEM;
    host_rig_clear_log();
    assert_false(fill(1, 500));
    assert_true(host_rig_has_logged(strerror(ENOMEM)));
    poll_error = 0;
    // libuv's table is of the next power of two above the highest: without memory for it libuv would abort.
    block_max = 600 * 2 * sizeof(void *);
    host_rig_clear_log();
    assert_false(fill(1, 500));
    assert_true(host_rig_has_logged(strerror(ENOMEM)));
    assert_int_equal(highest, -1);
    assert_int_equal(next_free(), before);
}

static void test_the_stack_is_tried_where_it_may_be_that_large(void **state) {
    (void)state;
    block_max = 256u << 10; // there is memory for the table, and none for the stack
    assert_false(fill(1, 500));
    assert_true(host_rig_has_logged(strerror(ENOMEM)));
    block_max = 513u << 10;
    stack.rlim_cur = 64u << 10;
    assert_true(fill(1, 500));
}

int main(void) {
#define DESCRIPTORS_TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        DESCRIPTORS_TEST(test_the_limit_is_raised_as_far_as_it_may_be),
        DESCRIPTORS_TEST(test_connections_are_what_the_limit_leaves),
        DESCRIPTORS_TEST(test_a_limit_that_is_too_low_is_an_answer),
        DESCRIPTORS_TEST(test_descriptors_that_are_in_use_are_found_out),
        DESCRIPTORS_TEST(test_standard_streams_that_are_missing_are_opened),
        DESCRIPTORS_TEST(test_the_loops_table_is_as_large_as_it_will_ever_be),
        DESCRIPTORS_TEST(test_without_room_for_the_connections_it_says_so),
        DESCRIPTORS_TEST(test_the_stack_is_tried_where_it_may_be_that_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
