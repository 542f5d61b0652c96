/// Colours of constraints that the test makes up, and how a step's contacts are divided into groups.
#include "step/colour.h"
#include "unit/world/physics_util.h"

#define BODIES 60u
#define PAIRS  1500u
#define ROUNDS 40
#define SIZE   8u

/// No body has a colour twice, and no lower one was free.
static void test_a_pair_takes_the_lowest_free_colour(void **unused) {
    (void)unused;
    rng random = {.state = 11};
    uint32_t overflows[2] = {0, 0};
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t masks[BODIES] = {0};
        bool is_dynamic[BODIES], is_taken[BODIES][ISO__COLOURS] = {{false}};
        for (uint32_t i = 0; i < BODIES; ++i) {
            is_dynamic[i] = rng_below(&random, 4) != 0;
        }
        for (uint32_t n = 0; n < PAIRS; ++n) {
            const uint32_t a = rng_below(&random, BODIES), b = (a + 1 + rng_below(&random, BODIES - 1)) % BODIES;
            const bool are_both = is_dynamic[a] && is_dynamic[b];
            uint32_t expected = are_both ? 0 : ISO__COLOUR_DYNAMIC;
            const uint32_t end = are_both ? ISO__COLOUR_DYNAMIC : ISO__COLOURS;
            while (expected < end && (is_taken[a][expected] || is_taken[b][expected])) {
                ++expected;
            }
            const uint32_t colour =
                iso__colour_take_pair(is_dynamic[a] ? &masks[a] : NULL, is_dynamic[b] ? &masks[b] : NULL);
            if (expected == end) {
                assert_int_equal(colour, ISO__COLOUR_OVERFLOW);
                ++overflows[are_both];
                continue;
            }
            assert_int_equal(colour, expected);
            is_taken[a][colour] = is_dynamic[a];
            is_taken[b][colour] = is_dynamic[b];
        }
    }
    print_message("%u and %u pairs without a colour\n", overflows[0], overflows[1]);
    assert_true(overflows[0] > ROUNDS && overflows[1] > ROUNDS);
}

/// As a joint of four bodies, one of which is no body.
static void test_a_colour_is_free_at_all_bodies(void **unused) {
    (void)unused;
    uint32_t masks[] = {0x1, 0x6, 0x10};
    uint32_t *const bodies[] = {&masks[0], &masks[1], NULL, &masks[2]};
    assert_int_equal(iso__colour_take(bodies, 4, 0, 6), 3);
    assert_int_equal(iso__colour_take(bodies, 4, 0, 6), 5);
    assert_int_equal(iso__colour_take(bodies, 4, 0, 6), ISO__COLOUR_OVERFLOW);
    assert_int_equal(masks[0], 0x29);
    assert_int_equal(masks[1], 0x2E);
    assert_int_equal(masks[2], 0x38);
    assert_int_equal(iso__colour_take(bodies, 4, ISO__COLOURS - 1, ISO__COLOURS), ISO__COLOURS - 1);
}

/// Every group belongs to one colour, and none is emptier than it has to be. The overflow's come first.
static void test_groups_stand_in_the_order_of_solving(void **unused) {
    (void)unused;
    rng random = {.state = 12};
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t counts[ISO__COLOURS + 1], at = 0;
        iso__group_range groups[ISO__COLOURS + 1];
        for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
            counts[c] = rng_below(&random, 3) == 0 ? 0 : rng_below(&random, 4 * SIZE);
        }
        const uint32_t count = iso__colour_groups(counts, SIZE, groups);
        for (uint32_t n = 0; n <= ISO__COLOURS; ++n) {
            const iso__group_range *of = &groups[n == 0 ? ISO__COLOUR_OVERFLOW : n - 1];
            const uint32_t contacts = counts[n == 0 ? ISO__COLOUR_OVERFLOW : n - 1];
            assert_int_equal(of->begin, at);
            assert_true(of->end >= of->begin && (of->end - of->begin) * SIZE >= contacts);
            assert_true((of->end - of->begin) * SIZE < contacts + SIZE);
            at = of->end;
        }
        assert_int_equal(count, at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pair_takes_the_lowest_free_colour),
        cmocka_unit_test(test_a_colour_is_free_at_all_bodies),
        cmocka_unit_test(test_groups_stand_in_the_order_of_solving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
