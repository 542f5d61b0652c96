/// The client's clocks: the estimate of the server's tick, and the pace of the inputs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "clock.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/// A server whose tick 0 was at time 0, half a round trip away.
typedef struct line {
    iso__client_clock clock;
    uint16_t rate_hz;
    uint64_t one_way_ns;
    uint64_t server_offset_ns; // added to the server's time
    int64_t drift_ppm;         // by which the server's clock is faster than ours
} line;

static uint64_t server_q8(const line *l, uint64_t now_ns) {
    const uint64_t ours = now_ns + l->server_offset_ns;
    const uint64_t t = (uint64_t)((int64_t)ours + (int64_t)ours / 1000000 * l->drift_ppm);
    return (t / S * l->rate_hz * 256u) + (t % S) * l->rate_hz * 256u / S;
}

static void ping(line *l, uint64_t sent_ns, uint64_t there_ns, uint64_t back_ns) {
    const uint64_t q8 = server_q8(l, sent_ns + there_ns);
    iso__client_clock_sample_add(&l->clock, sent_ns, sent_ns + there_ns + back_ns, q8 / 256u, (uint8_t)(q8 % 256u));
}

static void line_init(line *l, uint16_t rate_hz, uint64_t one_way_ns, uint8_t lead) {
    *l = (line){.rate_hz = rate_hz, .one_way_ns = one_way_ns};
    iso__client_clock_init(&l->clock, rate_hz, lead);
}

/// How early an input that leaves now arrives before its target is sealed.
static int32_t margin(const line *l, uint64_t now_ns, uint64_t target) {
    return (int32_t)((int64_t)(target * 256u) - (int64_t)server_q8(l, now_ns + l->one_way_ns));
}

static void test_estimate_believes_the_quickest_ping(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 10 * MS, 2);
    assert_int_equal(iso__client_clock_server_q8(&l.clock, 5 * S), 0);
    ping(&l, 1 * S, 10 * MS, 10 * MS);
    ping(&l, 2 * S, 10 * MS, 200 * MS); // held up on the way back: taken alone it would be off by 95 ms
    ping(&l, 3 * S, 150 * MS, 10 * MS);
    const uint64_t now = 4 * S;
    const int64_t error = (int64_t)iso__client_clock_server_q8(&l.clock, now) - (int64_t)server_q8(&l, now);
    assert_in_range(error + 2, 0, 4);
    assert_int_equal(iso__client_clock_rtt_min(&l.clock), 20 * MS);
}

static void test_estimate_forgets_old_pings(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 10 * MS, 2);
    ping(&l, 1 * S, 5 * MS, 5 * MS);
    l.server_offset_ns = 15 * MS; // clocks drift: the first ping is a little wrong, and quicker than all that follow
    for (uint64_t i = 0; i < 16; ++i) {
        ping(&l, (2 + i) * S, 10 * MS, 10 * MS);
    }
    const uint64_t now = 20 * S;
    const int64_t error = (int64_t)iso__client_clock_server_q8(&l.clock, now) - (int64_t)server_q8(&l, now);
    assert_in_range(error + 2, 0, 4);
}

static void test_slip_of_the_servers_clock_is_seen_at_once(void **state) {
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2) {
        line l;
        line_init(&l, 60, 10 * MS, 2);
        l.server_offset_ns = 100 * S;
        for (uint64_t i = 1; i <= 5; ++i) {
            ping(&l, i * S, 1 * MS, 1 * MS);
        }
        l.server_offset_ns = direction > 0 ? 101 * S : 99 * S;
        ping(&l, 6 * S, 30 * MS, 30 * MS); // slower than those before, but they cannot be right any more
        const uint64_t now = 7 * S;
        const int64_t error = (int64_t)iso__client_clock_server_q8(&l.clock, now) - (int64_t)server_q8(&l, now);
        assert_in_range(error + 4, 0, 8);
    }
}

static void test_estimate_holds_for_large_ticks_and_times(void **state) {
    (void)state;
    iso__client_clock clock;
    iso__client_clock_init(&clock, 128, 2);
    const uint64_t tick = (UINT64_C(1) << 53) - 1000000000u;
    iso__client_clock_sample_add(&clock, UINT64_C(1) << 62, (UINT64_C(1) << 62) + 2, tick, 0);
    // Ten days later.
    assert_int_equal(iso__client_clock_server_q8(&clock, (UINT64_C(1) << 62) + 1 + 864000 * S) / 256u,
                     tick + 864000u * 128u);
}

static void test_first_target_arrives_with_the_lead(void **state) {
    (void)state;
    for (uint64_t one_way = 0; one_way <= 150 * MS; one_way += 15 * MS) {
        line l;
        line_init(&l, 60, one_way, 2);
        ping(&l, 1 * S, one_way, one_way);
        iso__client_clock_start(&l.clock, 2 * S + 123456, 0);
        uint64_t target;
        assert_false(iso__client_clock_take(&l.clock, l.clock.due_ns - 1, &target));
        assert_true(iso__client_clock_take(&l.clock, l.clock.due_ns, &target));
        const uint64_t due = l.clock.due_ns - S / 60;
        assert_in_range(margin(&l, due, target), 2 * 256 - 8, 2 * 256 + 8);
    }
}

static void test_first_target_is_not_below_the_join(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 10 * MS, 2);
    ping(&l, 1 * S, 10 * MS, 10 * MS);
    iso__client_clock_start(&l.clock, 2 * S, 500);
    uint64_t target;
    assert_true(iso__client_clock_take(&l.clock, l.clock.due_ns, &target));
    assert_int_equal(target, 500);
}

/// Runs for a while in steps of 1 ms with a status every 200 ms, the smallest margin since the last as a server says
/// it.
typedef struct run {
    uint64_t now_ns, last_target;
    uint64_t sent, late;
    int32_t margin_q8; // the last status
    bool has_decreased;
} run;

static void run_for(run *r, line *l, uint64_t ns, bool with_status) {
    const uint64_t end = r->now_ns + ns;
    int32_t smallest = INT32_MAX;
    for (; r->now_ns < end; r->now_ns += MS) {
        uint64_t target;
        while (iso__client_clock_take(&l->clock, r->now_ns, &target)) {
            r->has_decreased = r->has_decreased || target < r->last_target;
            r->last_target = target;
            r->sent += 1;
            const int32_t m = margin(l, r->now_ns, target);
            smallest = m < smallest ? m : smallest;
            r->late += m < 0;
        }
        if (with_status && r->now_ns / MS % 200 == 0 && smallest != INT32_MAX) {
            iso__client_clock_steer(&l->clock, r->now_ns, smallest);
            r->margin_q8 = smallest;
            smallest = INT32_MAX;
        }
    }
}

static void test_margin_settles_at_the_lead(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 20 * MS, 2);
    ping(&l, 1 * S, 20 * MS, 20 * MS);
    iso__client_clock_start(&l.clock, 2 * S, 0);
    l.one_way_ns = 100 * MS; // the way got longer by almost five ticks
    run r = {.now_ns = 2 * S};
    run_for(&r, &l, 10 * S, true);
    assert_in_range(r.margin_q8, 256, 3 * 256);
    assert_int_equal(l.clock.jumps, 0);
    l.one_way_ns = 10 * MS;
    run_for(&r, &l, 10 * S, true);
    assert_in_range(r.margin_q8, 256, 3 * 256);
    assert_int_equal(l.clock.jumps, 0);
    assert_false(r.has_decreased);
}

/// A clock that is slow or fast: what steers for a difference alone would stay behind by as much as it takes to keep
/// steering, with a lead of 2 ticks late for ever.
static void test_margin_is_kept_by_a_slow_and_a_fast_clock(void **state) {
    (void)state;
    const uint16_t rates[] = {10, 30, 60, 128};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        for (int64_t drift = -20000; drift <= 20000; drift += 10000) {
            line l;
            line_init(&l, rates[i], 20 * MS, 2);
            l.drift_ppm = drift;
            run r = {.now_ns = 2 * S};
            ping(&l, 1 * S, 20 * MS, 20 * MS);
            iso__client_clock_start(&l.clock, 2 * S, 0);
            for (int second = 0; second < 15; ++second) {
                run_for(&r, &l, 1 * S, true);
                ping(&l, r.now_ns - 40 * MS, 20 * MS, 20 * MS);
            }
            r.late = 0;
            for (int second = 0; second < 60; ++second) {
                run_for(&r, &l, 1 * S, true);
                ping(&l, r.now_ns - 40 * MS, 20 * MS, 20 * MS);
                // At 128 Hz targets are three ticks apart.
                assert_in_range(r.margin_q8, 256, 4 * 256);
            }
            assert_int_equal(r.late, 0);
            assert_int_equal(l.clock.jumps, 0);
            assert_in_range((int64_t)l.clock.drift_ppm - drift + 8000, 0, 16000);
        }
    }
}

static void test_rate_stays_within_five_per_cent(void **state) {
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2) {
        line l;
        line_init(&l, 60, 20 * MS, 2);
        ping(&l, 1 * S, 20 * MS, 20 * MS);
        iso__client_clock_start(&l.clock, 2 * S, 0);
        run r = {.now_ns = 2 * S};
        run_for(&r, &l, 1 * S, false);
        const uint64_t before = r.last_target;
        const uint64_t sent_before = r.sent;
        for (int i = 0; i < 50; ++i) {
            // Just below what would be jumped: the strongest correction.
            iso__client_clock_steer(&l.clock, r.now_ns, 2 * 256 - direction * 9 * 256);
            run_for(&r, &l, 200 * MS, false);
        }
        const uint64_t ticks = r.last_target - before; // in 10 s
        const uint64_t expected = direction > 0 ? 630 : 570;
        assert_in_range(ticks, expected - 2, expected + 2);
        assert_int_equal(r.sent - sent_before, ticks);
        assert_int_equal(l.clock.jumps, 0);
        assert_false(r.has_decreased);
    }
}

static void test_clock_jumps_beyond_ten_ticks_and_never_back(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 20 * MS, 2);
    ping(&l, 1 * S, 20 * MS, 20 * MS);
    iso__client_clock_start(&l.clock, 2 * S, 0);
    run r = {.now_ns = 2 * S};
    run_for(&r, &l, 1 * S, true);
    l.one_way_ns = 400 * MS;
    run_for(&r, &l, 3 * S, true);
    assert_int_equal(l.clock.jumps, 1);
    assert_in_range(r.margin_q8, 256, 3 * 256);
    const uint64_t sent = r.sent;
    l.one_way_ns = 20 * MS;
    run_for(&r, &l, 3 * S, true);
    assert_int_equal(l.clock.jumps, 2);
    assert_false(r.has_decreased);
    // While the last target is repeated an input leaves for each tick all the same: it carries the acknowledgement.
    assert_in_range(r.sent - sent, 178, 182);
    run_for(&r, &l, 3 * S, true);
    assert_in_range(r.margin_q8, 256, 3 * 256);
    assert_false(r.has_decreased);
}

static void test_old_margins_after_a_jump_are_ignored(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 100 * MS, 2);
    ping(&l, 1 * S, 100 * MS, 100 * MS);
    iso__client_clock_start(&l.clock, 2 * S, 0);
    const uint64_t target = l.clock.next_target;
    iso__client_clock_steer(&l.clock, 3 * S, -20 * 256);
    iso__client_clock_steer(&l.clock, 3 * S + 200 * MS, -20 * 256);
    iso__client_clock_steer(&l.clock, 3 * S + 699 * MS, -20 * 256);
    assert_int_equal(l.clock.jumps, 1);
    assert_int_equal(l.clock.next_target, target + 22);
    iso__client_clock_steer(&l.clock, 3 * S + 701 * MS, -20 * 256);
    assert_int_equal(l.clock.jumps, 2);
}

static void test_late_caller_gets_one_input_for_the_tick_that_is_due(void **state) {
    (void)state;
    line l;
    line_init(&l, 60, 20 * MS, 2);
    ping(&l, 1 * S, 20 * MS, 20 * MS);
    iso__client_clock_start(&l.clock, 2 * S, 0);
    uint64_t first, second;
    assert_true(iso__client_clock_take(&l.clock, l.clock.due_ns, &first));
    const uint64_t late = l.clock.due_ns + S; // 60 more were due
    assert_true(iso__client_clock_take(&l.clock, late, &second));
    assert_int_equal(second, first + 61);
    assert_false(iso__client_clock_take(&l.clock, late, &second));
}

static void test_inputs_are_at_most_sixty_a_second(void **state) {
    (void)state;
    const uint16_t rates[] = {10, 30, 60, 61, 90, 120, 128};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        line l;
        line_init(&l, rates[i], 20 * MS, 2);
        ping(&l, 1 * S, 20 * MS, 20 * MS);
        iso__client_clock_start(&l.clock, 2 * S, 0);
        run r = {.now_ns = 2 * S};
        run_for(&r, &l, 1 * S, true);
        const uint64_t before = r.last_target;
        const uint64_t sent = r.sent;
        run_for(&r, &l, 10 * S, true);
        assert_in_range(r.sent - sent, 90, 601);
        // Targets keep up with the ticks at any rate.
        assert_in_range(r.last_target - before, 10u * rates[i] - 3u, 10u * rates[i] + 3u);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate_believes_the_quickest_ping),
        cmocka_unit_test(test_estimate_forgets_old_pings),
        cmocka_unit_test(test_slip_of_the_servers_clock_is_seen_at_once),
        cmocka_unit_test(test_estimate_holds_for_large_ticks_and_times),
        cmocka_unit_test(test_first_target_arrives_with_the_lead),
        cmocka_unit_test(test_first_target_is_not_below_the_join),
        cmocka_unit_test(test_margin_settles_at_the_lead),
        cmocka_unit_test(test_margin_is_kept_by_a_slow_and_a_fast_clock),
        cmocka_unit_test(test_rate_stays_within_five_per_cent),
        cmocka_unit_test(test_clock_jumps_beyond_ten_ticks_and_never_back),
        cmocka_unit_test(test_old_margins_after_a_jump_are_ignored),
        cmocka_unit_test(test_late_caller_gets_one_input_for_the_tick_that_is_due),
        cmocka_unit_test(test_inputs_are_at_most_sixty_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
