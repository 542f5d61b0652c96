/// The bounded queue between threads.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/clock.h"
#include "host/queue.h"

static void test_queue_keeps_order_and_bound(void **state)
{
    (void)state;
    iso__queue queue;
    assert_true(iso__queue_init(&queue, sizeof(int), 3));
    int out = 0;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++)
            assert_true(iso__queue_push(&queue, &(int){round * 3 + i}, 0));
        assert_false(iso__queue_push(&queue, &(int){99}, 0));
        for (int i = 0; i < 3; i++) {
            assert_true(iso__queue_pop(&queue, &out));
            assert_int_equal(out, round * 3 + i);
        }
        assert_false(iso__queue_pop(&queue, &out));
    }
    iso__queue_term(&queue);
}

static void test_reserve_is_kept_for_others(void **state)
{
    (void)state;
    iso__queue queue;
    assert_true(iso__queue_init(&queue, sizeof(int), 5));
    assert_true(iso__queue_push(&queue, &(int){1}, 3));
    assert_true(iso__queue_push(&queue, &(int){2}, 3));
    assert_false(iso__queue_push(&queue, &(int){3}, 3));
    assert_true(iso__queue_push(&queue, &(int){3}, 0));
    assert_true(iso__queue_push(&queue, &(int){4}, 0));
    assert_true(iso__queue_push(&queue, &(int){5}, 0));
    assert_false(iso__queue_push(&queue, &(int){6}, 0));
    iso__queue_term(&queue);
}

static void test_wait_ends_at_the_deadline_not_at_the_next_millisecond(void **state)
{
    (void)state;
    iso__queue queue;
    int out;
    uint64_t late_min = UINT64_MAX;
    assert_true(iso__queue_init(&queue, sizeof(int), 1));
    for (int i = 0; i < 50; i++) {
        // Just behind a whole millisecond, where rounding up costs most.
        uint64_t deadline = (iso__clock_now() / 1000000 + 3) * 1000000 + 50000;
        assert_false(iso__queue_pop_until(&queue, &out, deadline));
        uint64_t now = iso__clock_now();
        assert_true(now >= deadline);
        if (now - deadline < late_min)
            late_min = now - deadline;
    }
    // The best of fifty tells the clock's resolution from the machine's load.
    assert_true(late_min < 300000);
    iso__queue_term(&queue);
}

static void *push_later(void *argument)
{
    iso__queue *queue = argument;
    for (int i = 0; i < 1000; i++)
        iso__queue_push_wait(queue, &i);
    return NULL;
}

static void test_threads_wait_for_room_and_for_items(void **state)
{
    (void)state;
    iso__queue queue;
    pthread_t thread;
    assert_true(iso__queue_init(&queue, sizeof(int), 4));
    assert_int_equal(pthread_create(&thread, NULL, push_later, &queue), 0);
    for (int i = 0; i < 1000; i++) {
        int out = -1;
        assert_true(iso__queue_pop_until(&queue, &out, UINT64_MAX));
        assert_int_equal(out, i);
    }
    pthread_join(thread, NULL);
    assert_int_equal(queue.count_max <= 4, 1);
    iso__queue_term(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_keeps_order_and_bound),
        cmocka_unit_test(test_reserve_is_kept_for_others),
        cmocka_unit_test(test_wait_ends_at_the_deadline_not_at_the_next_millisecond),
        cmocka_unit_test(test_threads_wait_for_room_and_for_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
