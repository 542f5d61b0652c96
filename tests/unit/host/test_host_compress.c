/// Compression of snapshots on threads of its own: every job gets its answer, one that cannot be done as well, and the
/// end waits for nobody.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/clock.h"
#include "host/sessions/compress.h"
#include "host_rig.h"
#include "isostep/proto/compression.h"

#define SIZE 20000u

static iso__compressor compressor;
static iso__worker worker;
static iso__hosted hosted;
static iso__counters counters;
static uint8_t plain[SIZE];
static atomic_bool malloc_fails;
static unsigned threads_left; // that can be made
static int niceness;          // of the thread that allocates last

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

void *__wrap_malloc(size_t size) {
    niceness = getpriority(PRIO_PROCESS, 0);
    return atomic_load(&malloc_fails) ? NULL : __real_malloc(size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return threads_left-- > 0 ? __real_pthread_create(thread, attributes, run, argument) : EAGAIN;
}

static int set_up(void **state) {
    (void)state;
    host_rig_now_ns = 0; // the real clock
    host_rig_clear_log();
    memset(&compressor, 0, sizeof compressor);
    memset(&hosted, 0, sizeof hosted);
    strcpy(hosted.name, "main");
    atomic_store(&malloc_fails, false);
    threads_left = 100;
    for (size_t i = 0; i < SIZE; ++i) {
        plain[i] = (uint8_t)(i / 100);
    }
    assert_true(iso__worker_init(&worker, 1, NULL, &counters));
    iso__worker_add(&worker, &hosted);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iso__worker_term(&worker);
    return 0;
}

/// The next answer. Who compresses stands back, so on a busy machine it may take a while.
static iso__inbound hear(void) {
    iso__inbound item = {0};
    const uint64_t deadline_ns = iso__clock_now() + 30 * HOST_RIG_SECOND;
    size_t count = 0;
    // The signal of an item that was already taken ends a wait without one.
    while (count == 0 && iso__clock_now() < deadline_ns) {
        count = iso__queue_pop_some(&worker.inbound, &item, 1, deadline_ns);
    }
    assert_int_equal(count, 1);
    assert_ptr_equal(item.hosted, &hosted);
    assert_int_equal(item.event.kind, ISO_SESSION_EVENT_SNAPSHOT_ENCODED);
    return item;
}

static void expect_snapshot(const iso__inbound *item, uint64_t tick, size_t size) {
    static uint8_t back[SIZE];
    assert_int_equal(item->event.tick, tick);
    assert_ptr_equal(item->event.bytes, item->block);
    assert_true(item->event.byte_count > 0 && item->event.byte_count < size);
    assert_int_equal(iso_decompress(item->event.bytes, item->event.byte_count, back, size), ISO_OK);
    assert_memory_equal(back, plain, size);
    free(item->block);
}

static void test_jobs_are_done_in_their_order(void **state) {
    (void)state;
    assert_int_equal(iso__compressor_start(&compressor, 1), 0);
    assert_int_equal(compressor.thread_count, 1);
    for (unsigned round = 0; round < 3; ++round) {
        for (uint64_t tick = 1; tick <= 5; ++tick) {
            iso__compressor_push(&compressor, &hosted, plain, SIZE - tick, tick);
        }
        for (uint64_t tick = 1; tick <= 5; ++tick) {
            const iso__inbound item = hear();
            expect_snapshot(&item, tick, SIZE - tick);
        }
    }
    iso__compressor_stop(&compressor);
    assert_int_equal(worker.inbound.count, 0);
    assert_string_equal(host_rig_log, "");
}

static void test_several_threads_do_each_job_once(void **state) {
    (void)state;
    bool done[41] = {false};
    assert_int_equal(iso__compressor_start(&compressor, ISO__COMPRESSORS_MAX), 0);
    assert_int_equal(compressor.thread_count, ISO__COMPRESSORS_MAX);
    for (uint64_t tick = 1; tick <= 40; ++tick) {
        iso__compressor_push(&compressor, &hosted, plain, SIZE, tick);
    }
    for (uint64_t i = 1; i <= 40; ++i) {
        const iso__inbound item = hear();
        assert_in_range(item.event.tick, 1, 40);
        assert_false(done[item.event.tick]);
        done[item.event.tick] = true;
        expect_snapshot(&item, item.event.tick, SIZE);
    }
    iso__compressor_stop(&compressor);
    assert_int_equal(compressor.thread_count, 0);
}

static void expect_nothing(uint64_t tick) {
    const iso__inbound item = hear();
    assert_int_equal(item.event.tick, tick);
    assert_null(item.event.bytes);
    assert_int_equal(item.event.byte_count, 0);
    free(item.block);
}

static void test_a_job_that_finds_no_memory_is_answered(void **state) {
    (void)state;
    // There is none for the job itself: it is answered at once.
    atomic_store(&malloc_fails, true);
    iso__compressor_push(&compressor, &hosted, plain, SIZE, 7);
    atomic_store(&malloc_fails, false);
    assert_int_equal(worker.inbound.count, 1);
    expect_nothing(7);
    assert_true(host_rig_has_logged("session main: the snapshot of tick 7 could not be compressed"));
    // There is none for what comes out.
    iso__compressor_push(&compressor, &hosted, plain, SIZE, 8);
    atomic_store(&malloc_fails, true);
    assert_int_equal(iso__compressor_start(&compressor, 1), 0);
    expect_nothing(8);
    atomic_store(&malloc_fails, false);
    iso__compressor_push(&compressor, &hosted, plain, SIZE, 9);
    const iso__inbound item = hear();
    expect_snapshot(&item, 9, SIZE);
    iso__compressor_stop(&compressor);
    assert_true(host_rig_has_logged("the snapshot of tick 8 could not be compressed"));
    assert_false(host_rig_has_logged("tick 9"));
}

static void test_what_waits_at_the_end_is_left_out(void **state) {
    (void)state;
    for (uint64_t tick = 1; tick <= 5; ++tick) {
        iso__compressor_push(&compressor, &hosted, plain, SIZE, tick);
    }
    iso__compressor_stop(&compressor);
    assert_null(compressor.first);
    assert_int_equal(worker.inbound.count, 0);
}

static void test_a_thread_that_cannot_be_made_is_told_and_the_others_end(void **state) {
    (void)state;
    threads_left = 2;
    assert_int_equal(iso__compressor_start(&compressor, 4), EAGAIN);
    assert_int_equal(compressor.thread_count, 2);
    iso__compressor_stop(&compressor);
    assert_int_equal(compressor.thread_count, 0);
}

/// Ticks before traffic, when processors are scarce.
static void test_compression_stands_back(void **state) {
    (void)state;
    const int own = getpriority(PRIO_PROCESS, 0);
    iso__compressor_push(&compressor, &hosted, plain, SIZE, 1);
    assert_int_equal(iso__compressor_start(&compressor, 1), 0);
    const iso__inbound item = hear();
    expect_snapshot(&item, 1, SIZE);
    iso__compressor_stop(&compressor);
    assert_int_equal(niceness, own + 7 < 19 ? own + 7 : 19);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}

int main(void) {
#define COMPRESS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        COMPRESS_TEST(test_jobs_are_done_in_their_order),
        COMPRESS_TEST(test_several_threads_do_each_job_once),
        COMPRESS_TEST(test_a_job_that_finds_no_memory_is_answered),
        COMPRESS_TEST(test_what_waits_at_the_end_is_left_out),
        COMPRESS_TEST(test_a_thread_that_cannot_be_made_is_told_and_the_others_end),
        COMPRESS_TEST(test_compression_stands_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
