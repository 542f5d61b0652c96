/// What a worker does beside its sessions' ticks: places for what comes in, news for the other threads, counts, lines
/// in the log, and connections for which there is no memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/sessions/worker_actions.h"
#include "host/sessions/worker_inbox.h"
#include "host_rig.h"

static host_rig *rig;
static bool malloc_fails;
static unsigned wakes;                  // of the I/O thread
static const iso_world_counts *counted; // by the world, or NULL: what it has counted

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
int __wrap_uv_async_send(uv_async_t *async);
void __real_iso_world_get_counts(const iso_world *world, iso_world_counts *counts);
void __wrap_iso_world_get_counts(const iso_world *world, iso_world_counts *counts);

void *__wrap_malloc(size_t size) {
    return malloc_fails ? NULL : __real_malloc(size);
}

int __wrap_uv_async_send(uv_async_t *async) {
    assert_ptr_equal(async, &rig->async);
    ++wakes;
    return 0;
}

void __wrap_iso_world_get_counts(const iso_world *world, iso_world_counts *counts) {
    if (counted != NULL) {
        *counts = *counted;
    } else {
        __real_iso_world_get_counts(world, counts);
    }
}

static int set_up(void **state) {
    (void)state;
    counted = NULL;
    malloc_fails = false;
    wakes = 0;
    rig = host_rig_make();
    assert_true(host_rig_start(rig));
    host_rig_run(rig, 100 * HOST_RIG_MS);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    malloc_fails = false;
    host_rig_free(rig);
    return 0;
}

static void join(uint32_t peer) {
    host_rig_join(rig, peer);
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_true(rig->peers[peer].is_active);
}

// ---- What comes in ----------------------------------------------------------------------------------------

static bool offer(bool urgent) {
    iso__inbound item = {.hosted = &rig->hosted, .event = {.kind = ISO_SESSION_EVENT_TIME}};
    return iso__worker_offer(&rig->worker, &item, urgent);
}

static void test_messages_have_so_many_places_and_who_found_none_is_woken(void **state) {
    (void)state;
    for (unsigned i = 0; i < ISO__HOSTED_MESSAGES_MAX; ++i) {
        assert_true(offer(false));
    }
    assert_false(atomic_load(&rig->hosted.starved));
    assert_false(offer(false));
    assert_true(atomic_load(&rig->hosted.starved));
    assert_true(atomic_load(&rig->worker.nudged)); // the worker has to make room
    assert_int_equal(atomic_load(&rig->hosted.waiting), ISO__HOSTED_MESSAGES_MAX);
    const unsigned before = wakes;
    iso__worker_turn(&rig->worker, false);
    assert_false(atomic_load(&rig->hosted.starved));
    assert_true(wakes > before);
    // At most 128 between two looks at the ticks.
    assert_int_equal(atomic_load(&rig->hosted.waiting), ISO__HOSTED_MESSAGES_MAX - 128);
    for (unsigned i = 0; i < 128; ++i) {
        assert_true(offer(false));
    }
    assert_false(offer(false));
    // What must not be lost has places of its own.
    for (unsigned i = 0; i < 8; ++i) {
        iso__worker_post(&rig->worker,
                         &(iso__inbound){.hosted = &rig->hosted, .event = {.kind = ISO_SESSION_EVENT_TIME}});
    }
    assert_int_equal(rig->worker.inbound.count, ISO__HOSTED_MESSAGES_MAX + 8);
    host_rig_run(rig, HOST_RIG_MS);
    assert_int_equal(atomic_load(&rig->hosted.waiting), 0);
    assert_int_equal(rig->worker.inbound.count, 0);
}

static void test_only_what_is_urgent_wakes_a_worker_that_will_wake_soon(void **state) {
    (void)state;
    atomic_store(&rig->worker.nudged, false);
    assert_true(offer(false));
    assert_false(atomic_load(&rig->worker.nudged));
    atomic_store(&rig->worker.asleep_until_ns, host_rig_now_ns + 20 * HOST_RIG_MS);
    assert_true(offer(false));
    assert_false(atomic_load(&rig->worker.nudged));
    atomic_store(&rig->worker.asleep_until_ns, host_rig_now_ns + 20 * HOST_RIG_MS + 1);
    assert_true(offer(false));
    assert_true(atomic_exchange(&rig->worker.nudged, false));
    atomic_store(&rig->worker.asleep_until_ns, 0);
    assert_true(offer(true));
    assert_true(atomic_exchange(&rig->worker.nudged, false));
    iso__worker_post(&rig->worker, &(iso__inbound){.hosted = &rig->hosted, .event = {.kind = ISO_SESSION_EVENT_TIME}});
    assert_true(atomic_load(&rig->worker.nudged));
    iso__worker_wake_nudged(&rig->worker);
    assert_false(atomic_load(&rig->worker.nudged));
}

static void test_the_end_of_a_connection_gives_its_address_back_when_the_session_has_heard(void **state) {
    (void)state;
    join(0);
    host_rig_run(rig, HOST_RIG_MS);
    iso__worker_post(&rig->worker, &(iso__inbound){.hosted = &rig->hosted,
                                                   .address = 77,
                                                   .event = {.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = 1}});
    iso__worker_turn(&rig->worker, false);
    iso__worker_flush(&rig->worker);
    iso__outbound item;
    bool gone = false;
    while (iso__queue_pop(&rig->worker.outbound, &item)) {
        assert_true(item.kind != ISO__OUTBOUND_HOLD || !gone); // at no time is there less counted than it has
        gone = gone || (item.kind == ISO__OUTBOUND_GONE && item.address == 77);
        iso__buffer_release(item.buffer);
        free(item.connections);
    }
    assert_true(gone);
    assert_int_equal(host_rig_stats(rig).held, 1);
}

/// Until nothing is left to do for a while.
static void turn_all(void) {
    for (unsigned i = 0; i < 10; ++i) {
        iso__writer_turn(&rig->writer, false);
        iso__writer_sync(&rig->writer, false);
        iso__worker_turn(&rig->worker, false);
    }
    iso__worker_flush(&rig->worker);
}

static unsigned count_left(void) {
    unsigned count = 0;
    iso__outbound item;
    while (iso__queue_pop(&rig->worker.outbound, &item)) {
        count += item.kind == ISO__OUTBOUND_LEFT && item.hosted == &rig->hosted;
        iso__buffer_release(item.buffer);
        free(item.connections);
    }
    return count;
}

static void test_a_session_leaves_when_nothing_refers_to_it(void **state) {
    (void)state;
    host_rig_shut_down(rig);
    turn_all();
    assert_int_equal(count_left(), 0);
    // One of the start stays; one with a connection, or that has not closed, waits.
    rig->hosted.has_ended = true;
    iso__worker_let_go(&rig->hosted);
    rig->hosted.is_created = true;
    rig->hosted.peer_count = 1;
    iso__worker_let_go(&rig->hosted);
    rig->hosted.has_ended = false;
    rig->hosted.peer_count = 0;
    iso__worker_let_go(&rig->hosted);
    assert_int_equal(rig->worker.inbound.count, 0);
    // So does one whose snapshot is being compressed.
    rig->hosted.has_ended = true;
    ++rig->hosted.compressing;
    iso__worker_let_go(&rig->hosted);
    turn_all();
    assert_int_equal(count_left(), 0);
    assert_int_equal(rig->writer.recording_count, 0);
    iso__worker_post(&rig->worker,
                     &(iso__inbound){.hosted = &rig->hosted, .event = {.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED}});
    turn_all();
    assert_int_equal(count_left(), 1);
    assert_int_equal(rig->worker.session_count, 0);
}

/// The worker's list is of those that are there, in places that each of them knows.
static void check_places(const iso__worker *worker, iso__hosted *const *sessions, uint32_t count) {
    assert_int_equal(worker->session_count, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_in_range(sessions[i]->place, 0, count - 1);
        assert_ptr_equal(worker->sessions[sessions[i]->place], sessions[i]);
        assert_int_equal(worker->deadlines[sessions[i]->place],
                         UINT64_MAX - sessions[i]->served_ns); // as the test has set it
    }
}

/// A worker has so many places; over its time it may have any number of sessions.
static void test_places_of_sessions_that_have_left_are_given_again(void **state) {
    (void)state;
    enum { MAX = 3, ROUNDS = 20 };
    iso__worker worker;
    assert_true(iso__worker_init(&worker, MAX, &rig->async, &rig->counters));
    iso__hosted *here[MAX] = {NULL};
    uint32_t count = 0;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        while (count < MAX) {
            iso__hosted *hosted = calloc(1, sizeof *hosted);
            assert_non_null(hosted);
            atomic_store(&hosted->closed, true);
            hosted->served_ns = 10 * round + count + 1;
            iso__worker_add(&worker, hosted);
            assert_int_equal(hosted->place, count);
            worker.deadlines[hosted->place] = UINT64_MAX - hosted->served_ns;
            here[count++] = hosted;
        }
        check_places(&worker, here, MAX);
        for (uint32_t leavers = round % MAX + 1; leavers > 0; --leavers) { // from one to all
            const uint32_t which = (round / 2) % count;
            iso__hosted *hosted = here[which];
            here[which] = here[--count];
            iso__worker_post(&worker, &(iso__inbound){.kind = ISO__INBOUND_LEAVE, .hosted = hosted});
            iso__worker_turn(&worker, false);
            iso__worker_flush(&worker);
            iso__outbound item;
            assert_true(iso__queue_pop(&worker.outbound, &item));
            assert_true(item.kind == ISO__OUTBOUND_LEFT && item.hosted == hosted);
            free(hosted); // as who hears LEFT does
            check_places(&worker, here, count);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        free(here[i]);
    }
    worker.session_count = 0;
    iso__worker_term(&worker);
}

// ---- What goes out ----------------------------------------------------------------------------------------

static void test_what_goes_out_keeps_its_order_and_wakes_who_takes_it(void **state) {
    (void)state;
    iso__outbound item;
    const unsigned before = wakes;
    iso__worker_flush(&rig->worker);
    assert_int_equal(wakes, before); // there is nothing
    for (uint32_t i = 0; i < 3 * ISO__OUTBOUND_BATCH + 1; ++i) {
        iso__worker_push_outbound(&rig->worker, &(iso__outbound){.kind = ISO__OUTBOUND_GONE, .address = i});
    }
    assert_int_equal(wakes, before + 3); // once for each batch
    assert_int_equal(rig->worker.out_count, 1);
    iso__worker_flush(&rig->worker);
    assert_int_equal(wakes, before + 4);
    assert_int_equal(rig->worker.out_count, 0);
    for (uint32_t i = 0; i < 3 * ISO__OUTBOUND_BATCH + 1; ++i) {
        assert_true(iso__queue_pop(&rig->worker.outbound, &item));
        assert_int_equal(item.address, i);
    }
    assert_false(iso__queue_pop(&rig->worker.outbound, &item));
}

static void test_a_welcome_authenticates_and_a_farewell_is_the_last(void **state) {
    (void)state;
    iso__outbound item;
    unsigned welcomes = 0, farewells = 0, others = 0;
    host_rig_join(rig, 0);
    iso__worker_turn(&rig->worker, false);
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    for (unsigned i = 0; i < 20; ++i) {
        host_rig_now_ns += 20 * HOST_RIG_MS;
        iso__worker_turn(&rig->worker, false);
    }
    iso__worker_flush(&rig->worker);
    while (iso__queue_pop(&rig->worker.outbound, &item)) {
        welcomes += item.kind == ISO__OUTBOUND_SEND && item.welcomes;
        farewells += item.kind == ISO__OUTBOUND_SEND && item.is_farewell;
        others += item.kind == ISO__OUTBOUND_SEND && !item.welcomes && !item.is_farewell;
        assert_false(item.welcomes && item.is_farewell);
        iso__buffer_release(item.buffer);
        free(item.connections);
    }
    assert_int_equal(welcomes, 1);
    assert_int_equal(farewells, 1);
    assert_true(others > 0);
}

static void test_connections_for_which_there_is_no_memory_are_ended(void **state) {
    (void)state;
    join(0);
    join(1);
    // The tick is recorded first, and sent when it is written; both find no memory.
    malloc_fails = true;
    for (unsigned i = 0; i < 3; ++i) {
        host_rig_now_ns += 6 * HOST_RIG_MS;
        iso__worker_turn(&rig->worker, false);
    }
    malloc_fails = false;
    host_rig_run(rig, HOST_RIG_MS);
    assert_true(host_rig_has_logged("out of memory: 2 connections are ended"));
    assert_true(rig->counters.counts[ISO__COUNTER_NO_MEMORY] >= 2);
    assert_false(rig->peers[0].is_here || rig->peers[1].is_here);
}

// ---- What is counted and told -----------------------------------------------------------------------------

static void test_lateness_is_measured_by_the_tick(void **state) {
    (void)state;
    host_rig_run(rig, HOST_RIG_SECOND);
    const iso__timing *timing = &rig->hosted.timing;
    const uint64_t ticks = host_rig_tick(rig);
    assert_int_equal(timing->ticks, ticks);
    assert_int_equal(timing->late_buckets[0], ticks);
    assert_int_equal(timing->late_max_ns, 0);
    // Nobody has looked for 50 ms: three ticks are late, the first one the most.
    host_rig_now_ns += 50 * HOST_RIG_MS;
    host_rig_run(rig, HOST_RIG_MS);
    assert_true(timing->ticks >= ticks + 2);
    assert_in_range(timing->late_max_ns, 30 * HOST_RIG_MS, 50 * HOST_RIG_MS);
    const unsigned bucket = 16; // from 2^15 to 2^16 us
    assert_int_equal(timing->late_buckets[bucket], 1);
    uint64_t sum = 0;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; ++i) {
        sum += timing->late_buckets[i];
    }
    assert_int_equal(sum, timing->ticks);
}

static void test_lines_of_sessions_name_tick_slot_and_member(void **state) {
    (void)state;
    char line[200];
    join(0);
    snprintf(line, sizeof line, "session main: tick %u: joined, slot 0, \"ada\"\n",
             (unsigned)rig->peers[0].join_tick - 1);
    if (!host_rig_has_logged(line)) {
        snprintf(line, sizeof line, ": joined, slot 0, \"ada\"\n");
        if (!host_rig_has_logged(line)) {
            fail_msg("'%s' is not said: %s", line, host_rig_log);
        }
    }
}

/// A name cannot look like the text around it.
static void test_lines_of_sessions_escape_quotes_in_names(void **state) {
    (void)state;
    iso_session_note note = {
        .level = ISO_SESSION_LOG_INFO, .slot = 1, .text = "joined", .member = "a\", slot 0, \"b\\"};
    note.tick = 7;
    iso__worker_log(&rig->hosted, &note);
    assert_true(host_rig_has_logged(": tick 7: joined, slot 1, \"a\\\", slot 0, \\\"b\\\\\"\n"));
}

static void test_what_is_known_of_a_session_outside_is_not_old(void **state) {
    (void)state;
    iso_session_info info;
    join(0);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    iso__hosted_get_info(&rig->hosted, &info);
    assert_string_equal(info.name, "main");
    assert_int_equal(info.members, 1);
    assert_true(info.tick + 8 >= host_rig_tick(rig));
    host_rig_cut(rig, 0);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    iso__hosted_get_info(&rig->hosted, &info);
    assert_int_equal(info.members, 1);
    host_rig_shut_down(rig);
    assert_true(atomic_load(&rig->hosted.closed));
    assert_int_equal(iso__worker_next_deadline(&rig->worker), UINT64_MAX);
}

// ---- What the world counts --------------------------------------------------------------------------------

/// A recording that is gone on from brings counts along; they are not this server's.
static void test_what_a_world_clamps_and_leaves_out_is_counted_from_the_start_on(void **state) {
    (void)state;
    iso_world_counts counts = {
        .clamped_velocities = 100, .clamped_impulses = 2000, .clamped_rows = 30000, .dropped_contacts = 400000};
    const uint64_t clamped = rig->counters.counts[ISO__COUNTER_CLAMPED],
                   dropped = rig->counters.counts[ISO__COUNTER_DROPPED_CONTACTS];
    counted = &counts;
    rig->hosted.info_ns = 0; // as before its start
    iso__hosted_publish(&rig->hosted, host_rig_now_ns);
    assert_int_equal(rig->counters.counts[ISO__COUNTER_CLAMPED], clamped);
    assert_int_equal(rig->counters.counts[ISO__COUNTER_DROPPED_CONTACTS], dropped);
    counts.clamped_velocities += 1;
    counts.clamped_impulses += 20;
    counts.clamped_rows += 300;
    counts.dropped_contacts += 4000;
    for (unsigned i = 0; i < 2; ++i) { // the second time there is nothing new
        iso__hosted_publish(&rig->hosted, host_rig_now_ns);
        assert_int_equal(rig->counters.counts[ISO__COUNTER_CLAMPED], clamped + 321);
        assert_int_equal(rig->counters.counts[ISO__COUNTER_DROPPED_CONTACTS], dropped + 4000);
    }
}

static void test_an_address_is_told_of_slots_that_are_held_for_it(void **state) {
    (void)state;
    join(0);
    assert_int_equal(rig->holds, 0);
    host_rig_cut(rig, 0);
    host_rig_run(rig, 100 * HOST_RIG_MS);
    assert_int_equal(rig->holds, 1);
    host_rig_resume(rig, 1, &rig->peers[0].welcome, rig->peers[0].tick, rig->peers[0].root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[1].is_active);
    assert_int_equal(rig->holds, 0);
}

/// All that was counted against the session is given back with it.
static void test_a_session_gives_its_memory_back(void **state) {
    (void)state;
    join(0);
    assert_true(rig->hosted.memory.used > 0);
    host_rig_end(rig);
    assert_int_equal(rig->hosted.memory.used, 0);
}

int main(void) {
#define WORKER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WORKER_TEST(test_messages_have_so_many_places_and_who_found_none_is_woken),
        WORKER_TEST(test_only_what_is_urgent_wakes_a_worker_that_will_wake_soon),
        WORKER_TEST(test_the_end_of_a_connection_gives_its_address_back_when_the_session_has_heard),
        WORKER_TEST(test_a_session_leaves_when_nothing_refers_to_it),
        WORKER_TEST(test_places_of_sessions_that_have_left_are_given_again),
        WORKER_TEST(test_what_goes_out_keeps_its_order_and_wakes_who_takes_it),
        WORKER_TEST(test_a_welcome_authenticates_and_a_farewell_is_the_last),
        WORKER_TEST(test_connections_for_which_there_is_no_memory_are_ended),
        WORKER_TEST(test_lateness_is_measured_by_the_tick),
        WORKER_TEST(test_lines_of_sessions_name_tick_slot_and_member),
        WORKER_TEST(test_lines_of_sessions_escape_quotes_in_names),
        WORKER_TEST(test_what_is_known_of_a_session_outside_is_not_old),
        WORKER_TEST(test_what_a_world_clamps_and_leaves_out_is_counted_from_the_start_on),
        WORKER_TEST(test_a_session_gives_its_memory_back),
        WORKER_TEST(test_an_address_is_told_of_slots_that_are_held_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
