/// The thread that an object belongs to may use it, and no other; a free object anybody may.
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/affinity.h"
#include "host/sessions/directory.h"
#include "host/sessions/job_thread.h"

/// Of each thread: where a failed assertion leads, and what it said.
static _Thread_local jmp_buf out;
static char said[256];

void iso_assert_failed(const char *file, int line, const char *condition) {
    (void)line;
    snprintf(said, sizeof said, "%s: %s", file, condition);
    longjmp(out, 1);
}

typedef struct attempt {
    void (*what)(void *object);
    void *object;
    bool has_failed;
} attempt;

static void *try_it(void *argument) {
    attempt *const one = argument;
    one->has_failed = setjmp(out) != 0;
    if (!one->has_failed) {
        one->what(one->object);
    }
    return NULL;
}

/// @return whether an assertion fails when another thread does this
static bool fails_elsewhere(void (*what)(void *object), void *object) {
    attempt one = {what, object, false};
    pthread_t thread;
    said[0] = '\0';
    assert_int_equal(pthread_create(&thread, NULL, try_it, &one), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return one.has_failed;
}

static bool fails_here(void (*what)(void *object), void *object) {
    attempt one = {what, object, false};
    try_it(&one);
    return one.has_failed;
}

static void use(void *affinity) {
    ISO__ASSERT_ON((const iso__affinity *)affinity);
}

static void take(void *affinity) {
    iso__affinity_take(affinity);
}

static void release(void *affinity) {
    iso__affinity_release(affinity);
}

static void test_a_free_object_is_anybodys(void **state) {
    iso__affinity affinity = {0};
    (void)state;
    assert_false(fails_here(use, &affinity));
    assert_false(fails_elsewhere(use, &affinity));
}

static void test_what_a_thread_has_taken_no_other_may_use_take_or_release(void **state) {
    iso__affinity affinity = {0};
    (void)state;
    iso__affinity_take(&affinity);
    assert_false(fails_here(use, &affinity));
    assert_true(fails_elsewhere(use, &affinity));
    assert_non_null(strstr(said, "iso__affinity_is_here"));
    assert_true(fails_elsewhere(take, &affinity));
    assert_true(fails_elsewhere(release, &affinity));
    assert_false(fails_here(take, &affinity)); // it has it already
    assert_false(fails_here(release, &affinity));
    assert_false(fails_elsewhere(use, &affinity));
    assert_false(fails_elsewhere(take, &affinity));
    assert_true(fails_here(use, &affinity)); // that thread has ended, and has not released it
}

static void find(void *directory) {
    (void)iso__directory_find(directory, "main");
}

static void test_a_directory_is_its_makers(void **state) {
    iso__directory directory;
    (void)state;
    memset(&directory, 0, sizeof directory);
    assert_true(iso__directory_init(&directory, 1));
    assert_false(fails_here(find, &directory));
    assert_true(fails_elsewhere(find, &directory));
    assert_non_null(strstr(said, "directory.c: "));
    iso__directory_term(&directory);
}

static iso__job_thread job_thread;
static sem_t may_work;

static void work(iso__job *job) {
    (void)job;
    sem_wait(&may_work);
}

static void push(void *job) {
    iso__job_thread_push(&job_thread, job);
}

static void test_a_job_is_pushed_once_and_by_the_thread_that_is_told(void **state) {
    (void)state;
    uv_loop_t loop;
    uv_async_t finished;
    iso__job jobs[] = {{.work = work, .done = work}, {.work = work, .done = work}};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_async_init(&loop, &finished, NULL), 0);
    assert_int_equal(sem_init(&may_work, 0, 0), 0);
    assert_int_equal(iso__job_thread_start(&job_thread, &finished), 0);
    assert_false(fails_here(push, &jobs[0]));
    assert_true(fails_here(push, &jobs[0]));
    assert_non_null(strstr(said, "ISO__JOB_IDLE"));
    assert_true(fails_elsewhere(push, &jobs[1]));
    sem_post(&may_work);
    iso__job_thread_stop(&job_thread);
    sem_destroy(&may_work);
    uv_close((uv_handle_t *)&finished, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_object_is_anybodys),
        cmocka_unit_test(test_what_a_thread_has_taken_no_other_may_use_take_or_release),
        cmocka_unit_test(test_a_directory_is_its_makers),
        cmocka_unit_test(test_a_job_is_pushed_once_and_by_the_thread_that_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
