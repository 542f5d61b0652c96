/// Slot maps against a naive model, random numbers, names of statuses.
#include "unit/state/test_state_util.h"

#include "base/random.h"
#include "world/world.h"

#define CAPACITY 200u

typedef struct pool {
    uint64_t words[4];
    uint32_t generations[CAPACITY];
    uint32_t used;
    iso__slot_map map;
} pool;

static void pool_init(pool *p) {
    *p = (pool){0};
    p->map = (iso__slot_map){.words = p->words, .word_count = 4};
    iso__slot_map_rebuild(&p->map, p->generations, 0);
}

static uint32_t pool_take(pool *p) {
    return iso__slot_take(&p->map, p->generations, CAPACITY, &p->used);
}

static void test_take_gives_the_lowest_free_index(void **state) {
    (void)state;
    pool p;
    pool_init(&p);
    uint64_t random[2];
    iso__random_seed(random, 5);
    for (int round = 0; round < 20000; ++round) {
        const uint32_t pick = iso__random_next(random) % CAPACITY;
        const bool grows = round % 2000 < 1200;
        if (iso__random_next(random) % 3 == (grows ? 0u : 1u) || (p.generations[pick] & 1) == 0) {
            uint32_t lowest = 0;
            while (lowest < CAPACITY && (p.generations[lowest] & 1) != 0) {
                ++lowest;
            }
            const uint32_t before = lowest < CAPACITY ? p.generations[lowest] : 0;
            const uint32_t index = pool_take(&p);
            assert_int_equal(index, lowest < CAPACITY ? lowest : UINT32_MAX);
            if (index != UINT32_MAX) {
                assert_int_equal(p.generations[index], before + 1);
                assert_true(p.used > index);
            }
        } else {
            iso__slot_release(&p.map, p.generations, pick);
            assert_int_equal(p.generations[pick] & 1, 0);
        }
        uint32_t alive = 0;
        for (uint32_t i = 0; i < CAPACITY; ++i) {
            alive += p.generations[i] & 1;
        }
        assert_int_equal(p.map.alive_count, alive);
    }
}

static void test_rebuilt_map_is_the_same(void **state) {
    (void)state;
    pool p;
    pool_init(&p);
    for (uint32_t i = 0; i < 150; ++i) {
        assert_int_equal(pool_take(&p), i);
    }
    for (uint32_t i = 3; i < 150; i += 7) {
        iso__slot_release(&p.map, p.generations, i);
    }
    uint64_t words[4];
    memcpy(words, p.words, sizeof words);
    const uint32_t alive = p.map.alive_count;
    memset(p.words, 0xFF, sizeof p.words);
    p.map.alive_count = 7;
    p.map.first_free_word = 4;
    iso__slot_map_rebuild(&p.map, p.generations, p.used);
    assert_memory_equal(p.words, words, sizeof words);
    assert_int_equal(p.map.alive_count, alive);
    assert_int_equal(pool_take(&p), 3);
    assert_int_equal(pool_take(&p), 10);
}

static void test_used_up_slot_is_never_taken_again(void **state) {
    (void)state;
    pool p;
    pool_init(&p);
    assert_int_equal(pool_take(&p), 0);
    assert_int_equal(pool_take(&p), 1);
    iso__slot_release(&p.map, p.generations, 0);
    p.generations[0] = 0xFFFFFFFC;
    assert_int_equal(pool_take(&p), 0);
    assert_int_equal(p.generations[0], 0xFFFFFFFD);
    iso__slot_release(&p.map, p.generations, 0);
    assert_int_equal(p.generations[0], 0xFFFFFFFE);
    for (uint32_t i = 2; i < CAPACITY; ++i) {
        assert_int_equal(pool_take(&p), i);
    }
    assert_int_equal(pool_take(&p), UINT32_MAX);
    assert_int_equal(p.map.alive_count, CAPACITY - 1);
    iso__slot_map_rebuild(&p.map, p.generations, p.used);
    assert_int_equal(pool_take(&p), UINT32_MAX);
    iso__slot_release(&p.map, p.generations, 70);
    assert_int_equal(pool_take(&p), 70);
}

static void test_random_numbers_are_a_function_of_the_seed(void **state) {
    (void)state;
    uint64_t a[2], b[2];
    iso__random_seed(a, 1);
    iso__random_seed(b, 1);
    uint32_t ones[32] = {0};
    for (int i = 0; i < 4096; ++i) {
        const uint32_t value = iso__random_next(a);
        assert_int_equal(value, iso__random_next(b));
        for (int bit = 0; bit < 32; ++bit) {
            ones[bit] += value >> bit & 1;
        }
    }
    for (int bit = 0; bit < 32; ++bit) { // 2048 ± 6 standard deviations
        assert_in_range(ones[bit], 2048 - 192, 2048 + 192);
    }
    iso__random_seed(b, 2);
    assert_int_not_equal(iso__random_next(a), iso__random_next(b));
    assert_true(iso__random_is_valid(a) && iso__random_is_valid(b));
    // The generator's own numbers, so that no platform can differ: state 42, increment 54 * 2 + 1.
    uint64_t known[2] = {42, 109};
    uint32_t first[3];
    for (int i = 0; i < 3; ++i) {
        first[i] = iso__random_next(known);
    }
    // Computed from the formula in random.h apart from this code.
    assert_int_equal(first[0], 0x00000000);
    assert_int_equal(first[1], 0x0C855C84);
    assert_int_equal(first[2], 0x0BDE36A5);
}

static void test_worlds_random_numbers_are_state(void **state) {
    (void)state;
    iso_world *a = util_world_lively(2);
    iso_world *b = util_world_lively(2);
    const uint64_t root = iso_world_root(a);
    assert_int_equal(iso_world_random(a), iso_world_random(b));
    assert_int_not_equal(iso_world_root(a), root);
    assert_int_equal(iso_world_root(a), iso_world_root(b));
    util_world_free(b);
    util_world_free(a);
}

/// With 3 2^30 the cheap way of x bound / 2^32 without another draw gives every third number twice as often.
static void test_bounded_random_numbers_are_all_alike(void **state) {
    (void)state;
    iso_world *world = util_world_lively(2);
    static const uint32_t bounds[] = {1, 2, 3, 6, 1000, 3u << 30, 0x80000001u, UINT32_MAX};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; ++b) {
        uint32_t thirds[3] = {0}, halves[2] = {0};
        for (int i = 0; i < 9000; ++i) {
            const uint32_t value = iso_world_random_below(world, bounds[b]);
            assert_true(value < bounds[b]);
            ++thirds[value % 3];
            ++halves[value >= bounds[b] / 2];
        }
        if (bounds[b] % 3 == 0) { // 3000 ± 6 standard deviations
            for (int i = 0; i < 3; ++i) {
                assert_in_range(thirds[i], 3000 - 270, 3000 + 270);
            }
        }
        if (bounds[b] > 3) { // 4500 likewise
            assert_in_range(halves[0], 4500 - 290, 4500 + 290);
        }
    }
    // Without anything to draw again it is one number of the world's; nothing is drawn for nothing.
    iso_world *same = util_world_lively(2);
    iso_world *other = util_world_lively(2);
    const uint64_t root = iso_world_root(same);
    assert_int_equal(iso_world_random_below(same, 0), 0);
    assert_int_equal(iso_world_root(same), root);
    assert_int_equal(iso_world_random_below(same, 1u << 31), iso_world_random(other) >> 1);
    assert_int_equal(iso_world_root(same), iso_world_root(other));
    util_world_free(other);
    util_world_free(same);
    util_world_free(world);
}

static void test_every_status_has_name_and_text(void **state) {
    (void)state;
    assert_string_equal(iso_status_name(ISO_OK), "OK");
    assert_string_equal(iso_status_name(ISO_ERR_STALE), "STALE");
    assert_string_equal(iso_status_text(ISO_ERR_QUOTA), "the member's quota is used up");
    assert_string_equal(iso_status_name((iso_status)-1000), "UNKNOWN");
    assert_string_equal(iso_status_text((iso_status)1), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take_gives_the_lowest_free_index),
        cmocka_unit_test(test_rebuilt_map_is_the_same),
        cmocka_unit_test(test_used_up_slot_is_never_taken_again),
        cmocka_unit_test(test_random_numbers_are_a_function_of_the_seed),
        cmocka_unit_test(test_worlds_random_numbers_are_state),
        cmocka_unit_test(test_bounded_random_numbers_are_all_alike),
        cmocka_unit_test(test_every_status_has_name_and_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
