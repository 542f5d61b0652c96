/// The limit over a session's heap: what is counted, what is refused, and why.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "base/memory.h"

static iso__memory memory;
static iso_allocator allocator;
static bool system_is_full;
static size_t last_size, last_alignment; // that the system was asked for
static size_t advised_size;              // to be huge pages
static void *advised;
static bool has_no_huge_pages;

int __real_posix_memalign(void **block, size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    last_size = size;
    last_alignment = alignment;
    return system_is_full ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

int __wrap_madvise(void *block, size_t size, int advice);

int __wrap_madvise(void *block, size_t size, int advice) {
    assert_int_equal(advice, MADV_HUGEPAGE);
    advised = block;
    advised_size = size;
    errno = EINVAL;
    return has_no_huge_pages ? -1 : 0;
}

static int set_up(void **state) {
    (void)state;
    memory = (iso__memory){.limit = 1000};
    has_no_huge_pages = false;
    advised = NULL;
    advised_size = 0;
    allocator = iso__memory_allocator(&memory);
    system_is_full = false;
    return 0;
}

static void *take(size_t size) {
    return allocator.allocate(allocator.user, size, 8);
}

static void give_back(void *block, size_t size) {
    allocator.release(allocator.user, block, size);
}

static void expect_why(const char *why) {
    char text[100];
    assert_string_equal(iso__memory_why(&memory, text, sizeof text), why);
}

static void test_all_of_the_limit_can_be_taken_and_no_more(void **state) {
    (void)state;
    void *first = take(600), *second = take(400);
    assert_true(first != NULL && second != NULL);
    assert_int_equal(memory.used, 1000);
    assert_null(take(1));
    assert_int_equal(memory.used, 1000);
    give_back(second, 400);
    assert_int_equal(memory.used, 600);
    assert_null(take(401));
    assert_int_equal(memory.used, 600);
    second = take(400);
    assert_non_null(second);
    give_back(first, 600);
    give_back(second, 400);
    assert_int_equal(memory.used, 0);
    first = take(1000);
    assert_non_null(first);
    give_back(first, 1000);
    assert_false(memory.system_refused);
}

/// Sizes that would make the sum wrap as well.
static void test_what_is_beyond_the_limit_is_not_counted(void **state) {
    (void)state;
    void *some = take(10);
    static const size_t sizes[] = {1001, SIZE_MAX / 2, SIZE_MAX - 9, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        assert_null(take(sizes[i]));
        assert_int_equal(memory.used, 10);
    }
    assert_int_equal(last_size, 10); // the system was not asked
    give_back(some, 10);
}

static void test_nothing_is_a_block_and_no_block_is_given_back(void **state) {
    (void)state;
    void *block = take(0);
    assert_non_null(block);
    assert_true(last_size > 0);
    assert_int_equal(memory.used, 0);
    give_back(block, 0);
    give_back(NULL, 500);
    assert_int_equal(memory.used, 0);
}

static void test_blocks_are_aligned_as_they_are_asked_for(void **state) {
    (void)state;
    for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
        void *block = allocator.allocate(allocator.user, 24, alignment);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        assert_int_equal(last_alignment, alignment < sizeof(void *) ? sizeof(void *) : alignment);
        give_back(block, 24);
    }
}

#define HUGE_PAGE ((size_t)2 << 20)

/// Only whole pages: what lies behind a block belongs to others.
static void test_worlds_lie_in_huge_pages(void **state) {
    (void)state;
    memory.limit = 64u << 20;
    const iso_allocator worlds = iso__memory_world_allocator(&memory);
    for (int without = 0; without < 2; ++without) {
        has_no_huge_pages = without != 0;
        void *block = worlds.allocate(worlds.user, 4 * HUGE_PAGE + 1000, 64);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % HUGE_PAGE, 0);
        assert_ptr_equal(advised, block);
        assert_int_equal(advised_size, 4 * HUGE_PAGE);
        assert_int_equal(memory.used, 4 * HUGE_PAGE + 1000);
        worlds.release(worlds.user, block, 4 * HUGE_PAGE + 1000);
        assert_int_equal(memory.used, 0);
    }
}

static void test_small_worlds_and_other_blocks_do_not(void **state) {
    (void)state;
    memory.limit = 64u << 20;
    const iso_allocator worlds = iso__memory_world_allocator(&memory);
    void *small = worlds.allocate(worlds.user, HUGE_PAGE - 1, 64), *other = take(2 * HUGE_PAGE);
    assert_true(small != NULL && other != NULL);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_null(advised);
    worlds.release(worlds.user, small, HUGE_PAGE - 1);
    give_back(other, 2 * HUGE_PAGE);
    system_is_full = true;
    assert_null(worlds.allocate(worlds.user, HUGE_PAGE, 64));
    assert_null(advised);
    assert_true(memory.system_refused);
}

static void test_why_there_is_no_memory_is_told(void **state) {
    (void)state;
    memory.limit = 64u << 20;
    assert_null(take((64u << 20) + 1));
    expect_why("--memory allows 64 MiB");
    system_is_full = true;
    assert_null(take(100));
    assert_int_equal(memory.used, 0);
    expect_why("the system has no memory for it (ulimit -v)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_all_of_the_limit_can_be_taken_and_no_more, set_up),
        cmocka_unit_test_setup(test_what_is_beyond_the_limit_is_not_counted, set_up),
        cmocka_unit_test_setup(test_nothing_is_a_block_and_no_block_is_given_back, set_up),
        cmocka_unit_test_setup(test_blocks_are_aligned_as_they_are_asked_for, set_up),
        cmocka_unit_test_setup(test_worlds_lie_in_huge_pages, set_up),
        cmocka_unit_test_setup(test_small_worlds_and_other_blocks_do_not, set_up),
        cmocka_unit_test_setup(test_why_there_is_no_memory_is_told, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
