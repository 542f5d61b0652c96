/// The bounded queue between threads.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/queue.h"

static void test_queue_keeps_order_and_bound(void **state) {
    (void)state;
    iso__queue queue;
    assert_true(iso__queue_init(&queue, sizeof(int), 3));
    int out = 0;
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 3; ++i) {
            assert_true(iso__queue_push(&queue, &(int){round * 3 + i}, 0));
        }
        assert_false(iso__queue_push(&queue, &(int){99}, 0));
        for (int i = 0; i < 3; ++i) {
            assert_true(iso__queue_pop(&queue, &out));
            assert_int_equal(out, round * 3 + i);
        }
        assert_false(iso__queue_pop(&queue, &out));
    }
    iso__queue_term(&queue);
}

static void test_reserve_is_kept_for_others(void **state) {
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

static void test_wait_ends_at_the_deadline_not_at_the_next_millisecond(void **state) {
    (void)state;
    iso__queue queue;
    int out;
    uint64_t late_min = UINT64_MAX;
    assert_true(iso__queue_init(&queue, sizeof(int), 1));
    for (int i = 0; i < 50; ++i) {
        // Just behind a whole millisecond, where rounding up costs most.
        uint64_t deadline = (iso__clock_now() / 1000000 + 3) * 1000000 + 50000;
        assert_false(iso__queue_pop_some(&queue, &out, 1, deadline) == 1);
        uint64_t now = iso__clock_now();
        assert_true(now >= deadline);
        if (now - deadline < late_min) {
            late_min = now - deadline;
        }
    }
    // The best of fifty tells the clock's resolution from the machine's load.
    assert_true(late_min < 300000);
    iso__queue_term(&queue);
}

static void test_several_items_go_in_and_out_at_once(void **state) {
    (void)state;
    iso__queue queue;
    int items[5] = {0, 1, 2, 3, 4}, out[5] = {0};
    assert_true(iso__queue_init(&queue, sizeof(int), 3));
    assert_int_equal(iso__queue_push_some(&queue, items, 5), 3);
    assert_int_equal(iso__queue_pop_some(&queue, out, 2, 0), 2);
    assert_int_equal(out[1], 1);
    assert_int_equal(iso__queue_push_some(&queue, items + 3, 2), 2);
    assert_int_equal(iso__queue_pop_some(&queue, out, 5, 0), 3);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[2], 4);
    assert_int_equal(iso__queue_pop_some(&queue, out, 5, 0), 0);
    iso__queue_term(&queue);
}

static void *wake_later(void *argument) {
    usleep(20000);
    iso__queue_wake(argument);
    return NULL;
}

static void test_a_wake_ends_the_wait_without_an_item(void **state) {
    (void)state;
    iso__queue queue;
    pthread_t thread;
    int out;
    assert_true(iso__queue_init(&queue, sizeof(int), 4));
    assert_int_equal(pthread_create(&thread, NULL, wake_later, &queue), 0);
    uint64_t begun = iso__clock_now();
    assert_int_equal(iso__queue_pop_some(&queue, &out, 1, begun + 20000000000), 0);
    assert_true(iso__clock_now() - begun < 10000000000);
    pthread_join(thread, NULL);
    // A quiet item is there for who looks.
    assert_true(iso__queue_push_quiet(&queue, &(int){7}, 0));
    assert_int_equal(iso__queue_pop_some(&queue, &out, 1, UINT64_MAX), 1);
    assert_int_equal(out, 7);
    iso__queue_term(&queue);
}

static void *push_later(void *argument) {
    iso__queue *queue = argument;
    for (int i = 0; i < 1000; ++i) {
        iso__queue_push_wait(queue, &i);
    }
    return NULL;
}

static void test_threads_wait_for_room_and_for_items(void **state) {
    (void)state;
    iso__queue queue;
    pthread_t thread;
    assert_true(iso__queue_init(&queue, sizeof(int), 4));
    assert_int_equal(pthread_create(&thread, NULL, push_later, &queue), 0);
    for (int i = 0; i < 1000; ++i) {
        int out = -1;
        // The signal of an item that was taken without waiting may end the next wait: then nothing is there.
        while (iso__queue_pop_some(&queue, &out, 1, UINT64_MAX) == 0) {
        }
        assert_int_equal(out, i);
    }
    pthread_join(thread, NULL);
    assert_int_equal(queue.count_max <= 4, 1);
    iso__queue_term(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_keeps_order_and_bound),
        cmocka_unit_test(test_reserve_is_kept_for_others),
        cmocka_unit_test(test_wait_ends_at_the_deadline_not_at_the_next_millisecond),
        cmocka_unit_test(test_several_items_go_in_and_out_at_once),
        cmocka_unit_test(test_a_wake_ends_the_wait_without_an_item),
        cmocka_unit_test(test_threads_wait_for_room_and_for_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
