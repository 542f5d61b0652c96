/// Watching a body tick by tick: when it may sleep, what restarts its watch, and when it is asked who pulls it.
#include "step/watch.h"
#include "unit/world/physics_util.h"

#define LIMIT 30u
#define PARTS 6

static bool is_pulled;
static uint32_t question_count;

static bool pulled(const iso_world *world, uint32_t body) {
    (void)world;
    assert_int_equal(body, 17);
    ++question_count;
    return is_pulled;
}

/// What a body's record has.
typedef struct record {
    uint32_t ticks;
    int32_t moved[PARTS], gain;
} record;

static iso_world *world;

static bool tick(record *of, iso__watch_motion motion) {
    const iso__watch watch = {&of->ticks, of->moved, &of->gain};
    return iso__watch_tick(world, 17, &watch, PARTS, &motion, LIMIT, pulled);
}

static int setup(void **unused) {
    (void)unused;
    world = world_make_small(0);
    return 0;
}

static int teardown(void **unused) {
    (void)unused;
    world_free(world);
    return 0;
}

static void test_what_rests_may_sleep_after_the_sleep_time(void **unused) {
    (void)unused;
    record of = {.ticks = 5, .moved = {1, 2, 3, 4, 5, 6}, .gain = 7};
    is_pulled = false;
    question_count = 0;
    assert_false(tick(&of, (iso__watch_motion){.is_slow = false})); // it begins anew
    assert_int_equal(of.ticks, 0);
    assert_int_equal(of.moved[5], 0);
    assert_int_equal(of.gain, 0);
    for (uint32_t n = 1; n <= 5 * LIMIT; ++n) {
        assert_int_equal(tick(&of, (iso__watch_motion){.is_slow = true}), n >= LIMIT);
        assert_int_equal(question_count, n / LIMIT); // at the end of each watch
    }
}

/// One body after the other: each is quiet but for one thing, which the last tick of its watch brings.
static void test_what_moves_or_is_driven_does_not(void **unused) {
    (void)unused;
    static const struct {
        iso__watch_motion at; // at the end
        bool is_pulled, is_at_rest;
    } cases[] = {
        {{.is_slow = true}, false, true},
        {{.is_slow = false}, false, false},
        {{.is_slow = true, .moved = {[5] = ISO__SLEEP_DISTANCE + 1}}, false, false},
        {{.is_slow = true, .moved = {[5] = -ISO__SLEEP_SWAY}, .is_carried = true}, false, true},
        {{.is_slow = true, .moved = {[5] = -ISO__SLEEP_SWAY - 1}, .is_carried = true}, false, false},
        {{.is_slow = true, .moved = {[3] = ISO__SLEEP_CREEP}}, true, true},
        {{.is_slow = true, .moved = {[3] = ISO__SLEEP_CREEP + 1}}, true, false},
        {{.is_slow = true, .moved = {[3] = ISO__SLEEP_CREEP + 1}}, false, true},
        {{.is_slow = true, .speeds = {[4] = -ISO__SLEEP_CHANGE}}, false, true},
        {{.is_slow = true, .speeds = {[4] = -ISO__SLEEP_CHANGE - 1}}, false, false},
        {{.is_slow = true, .speeds = {[4] = -ISO__SLEEP_CHANGE - 1}, .is_carried = true}, false, true},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        record of = {.gain = 9};
        is_pulled = cases[n].is_pulled;
        for (uint32_t t = 1; t < LIMIT; ++t) {
            assert_false(tick(&of, (iso__watch_motion){.is_slow = true}));
        }
        EXPECT(tick(&of, cases[n].at) == cases[n].is_at_rest, "case %u", (unsigned)n);
        assert_int_equal(of.ticks, cases[n].is_at_rest ? LIMIT : 0);
        assert_int_equal(of.moved[5], 0); // the next watch begins where it is
        assert_true(of.gain == 0 || cases[n].at.moved[5] == -ISO__SLEEP_SWAY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rests_may_sleep_after_the_sleep_time),
        cmocka_unit_test(test_what_moves_or_is_driven_does_not),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
