/// The order of pairs, for arrangements that are hard to sort: each is compared with the C library's sort.
#include "unit/world/physics_util.h"

#include <stdlib.h>

#include "step/pair.h"

#define COUNT 20000u

static int pair_compare(const void *a, const void *b) {
    const iso__pair *x = a, *y = b;
    return iso__pair_is_less(x, y) ? -1 : iso__pair_is_less(y, x);
}

static void pairs_check(iso__pair *pairs, uint32_t count) {
    static iso__pair sorted[COUNT];
    for (uint32_t i = 0; i < count; ++i) {
        sorted[i] = pairs[i];
    }
    qsort(sorted, count, sizeof *sorted, pair_compare);
    iso__pairs_sort(pairs, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(pairs[i].bodies, sorted[i].bodies);
        assert_int_equal(pairs[i].shapes, sorted[i].shapes);
    }
}

static void test_random_pairs_of_any_number_are_sorted(void **state) {
    (void)state;
    static iso__pair pairs[COUNT];
    rng random = {1};
    for (uint32_t count = 0; count < COUNT; count = count < 200 ? count + 1 : count * 3 / 2) {
        const uint32_t values = 1 + rng_below(&random, 2 * count + 1); // few values are equal ones
        for (uint32_t i = 0; i < count; ++i) {
            pairs[i] = (iso__pair){rng_below(&random, values), rng_below(&random, 4)};
        }
        pairs_check(pairs, count);
    }
}

/// Values whose median of first, middle and last is always next to the smallest: each split takes two of them off.
static void pairs_make_hard(iso__pair *pairs, uint32_t count) {
    const uint32_t half = count / 2;
    for (uint32_t i = 0; i < half; ++i) {
        pairs[i].bodies = i % 2 == 0 ? i + 1 : half + i + i % 2;
        pairs[half + i].bodies = 2 * (i + 1);
    }
}

static void test_arrangements_that_split_badly_are_sorted(void **state) {
    (void)state;
    static iso__pair pairs[COUNT];
    for (uint32_t kind = 0; kind < 4; ++kind) {
        for (uint32_t i = 0; i < COUNT; ++i) {
            const uint32_t values[] = {i, COUNT - i, i < COUNT / 2 ? i : COUNT - i, 7};
            pairs[i] = (iso__pair){values[kind], 0};
        }
        pairs_check(pairs, COUNT);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        pairs[i] = (iso__pair){0, 0};
    }
    pairs_make_hard(pairs, COUNT);
    pairs_check(pairs, COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs_of_any_number_are_sorted),
        cmocka_unit_test(test_arrangements_that_split_badly_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
