/// The thread of jobs: they are done in their order on a thread of their own, and handed in on the caller's.
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/sessions/job_thread.h"

#define JOBS 5u

static iso__job_thread thread;
static iso__job jobs[JOBS];
static uv_loop_t loop;
static uv_async_t finished;
static sem_t may_work, begun;
static bool is_slow;
static pthread_t worked_on;
static uint32_t worked[JOBS], worked_count, done[JOBS], done_count;

static void work(iso__job *job) {
    sem_post(&begun);
    sem_wait(&may_work);
    if (is_slow) {
        usleep(50000);
    }
    worked_on = pthread_self();
    worked[worked_count++] = (uint32_t)(job - jobs);
}

static void end(iso__job *job) {
    done[done_count++] = (uint32_t)(job - jobs);
    if (job == &jobs[1]) { // one leads to the next
        iso__job_thread_push(&thread, &jobs[JOBS - 1]);
    }
    if (done_count == JOBS) {
        uv_stop(&loop);
    }
}

static void on_finished(uv_async_t *async) {
    (void)async;
    iso__job_thread_deliver(&thread);
}

static void begin(void) {
    uv_loop_init(&loop);
    uv_async_init(&loop, &finished, on_finished);
    sem_init(&may_work, 0, 0);
    sem_init(&begun, 0, 0);
    is_slow = false;
    worked_count = done_count = 0;
    for (uint32_t i = 0; i < JOBS; ++i) {
        jobs[i] = (iso__job){.work = work, .done = end};
    }
    assert_int_equal(iso__job_thread_start(&thread, &finished), 0);
}

static void close_all(void) {
    sem_destroy(&may_work);
    sem_destroy(&begun);
    uv_close((uv_handle_t *)&finished, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

static void test_jobs_are_done_in_their_order_and_handed_in_by_the_loop(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i + 1 < JOBS; ++i) {
        iso__job_thread_push(&thread, &jobs[i]);
    }
    iso__job_thread_deliver(&thread);
    assert_int_equal(done_count, 0);
    for (uint32_t i = 0; i < JOBS; ++i) {
        sem_post(&may_work);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__job_thread_stop(&thread);
    assert_int_equal(worked_count, JOBS);
    for (uint32_t i = 0; i < JOBS; ++i) {
        assert_int_equal(worked[i], i);
        assert_int_equal(done[i], i);
    }
    assert_false(pthread_equal(worked_on, pthread_self()));
    close_all();
}

static void test_stop_waits_for_the_job_that_runs_and_begins_no_other(void **state) {
    (void)state;
    begin();
    is_slow = true;
    iso__job_thread_push(&thread, &jobs[0]);
    iso__job_thread_push(&thread, &jobs[2]);
    sem_wait(&begun);
    sem_post(&may_work);
    iso__job_thread_stop(&thread);
    assert_int_equal(worked_count, 1);
    // Nothing is handed in after it, and a second one does nothing.
    iso__job_thread_deliver(&thread);
    iso__job_thread_stop(&thread);
    assert_int_equal(done_count, 0);
    close_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_are_done_in_their_order_and_handed_in_by_the_loop),
        cmocka_unit_test(test_stop_waits_for_the_job_that_runs_and_begins_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
