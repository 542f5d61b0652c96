/// Waking by edges that the test makes up, against a walk along them: more edges than are read at once, in any order.
#include "step/wake_islands.h"
#include "unit/world/physics_util.h"

#define BODIES    200u
#define EDGES_MAX 400u
#define ROUNDS    300

/// What the rules' functions read: they are given the world alone.
static iso__edge edges[EDGES_MAX];
static uint32_t edge_count, wake_count;
static bool is_moving[BODIES], has_woken[BODIES];

static void read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *out) {
    (void)world;
    assert_true(count > 0 && count <= ISO__EDGE_BLOCK && first + count <= edge_count);
    memcpy(out, &edges[first], count * sizeof *out);
}

static bool moves(const iso_world *world, uint32_t body) {
    (void)world;
    return is_moving[body];
}

static void wake(iso_world *world, uint32_t body) {
    assert_true(iso__bit_is_set(world->asleep, body) && !has_woken[body]);
    for (uint32_t i = body; i < BODIES; ++i) {
        assert_false(has_woken[i]); // by ascending index
    }
    has_woken[body] = true;
    ++wake_count;
}

/// Along the edges from each moving body, through those that sleep.
static void expect_reached(const bool *is_asleep) {
    bool is_reached[BODIES] = {false};
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (uint32_t n = 0; n < edge_count; ++n) {
            for (int side = 0; side < 2; ++side) {
                const uint32_t from = side == 0 ? edges[n].a : edges[n].b, to = side == 0 ? edges[n].b : edges[n].a;
                const bool leads = is_asleep[from] ? is_reached[from] : is_moving[from];
                if (from != to && leads && is_asleep[to] && !is_reached[to]) {
                    is_reached[to] = has_grown = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < BODIES; ++i) {
        assert_int_equal(has_woken[i], is_reached[i]);
    }
}

static void wake_and_expect(iso_world *world, const bool *is_asleep) {
    uint64_t sets[BODIES / 64 + 1];
    memset(sets, 0xA5, sizeof sets); // what was there does not matter
    memset(has_woken, 0, sizeof has_woken);
    for (uint32_t i = 0; i < BODIES; ++i) {
        (is_asleep[i] ? iso__bit_set : iso__bit_clear)(world->asleep, i);
    }
    world->wakes_islands = true;
    iso__step_wake_islands(
        world, &(iso__wake_rules){.edges = {edge_count, read_edges}, .woken_sets = sets, .moves = moves, .wake = wake});
    assert_false(world->wakes_islands);
    expect_reached(is_asleep);
}

static iso_world *make_bodies(void) {
    iso_world *world = world_make_small(0);
    for (uint32_t i = 0; i < BODIES; ++i) {
        body_add(world, ISO_BODY_STATIC, (double)i, 0, 0);
    }
    return world;
}

static void test_random_edges(void **unused) {
    (void)unused;
    rng random = {.state = 7};
    iso_world *world = make_bodies();
    uint64_t woken = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        bool is_asleep[BODIES];
        for (uint32_t i = 0; i < BODIES; ++i) {
            is_asleep[i] = rng_below(&random, 4) != 0;
            is_moving[i] = !is_asleep[i] && rng_below(&random, 8) == 0;
        }
        edge_count = rng_below(&random, EDGES_MAX / 2);
        for (uint32_t n = 0; n < edge_count; ++n) {
            edges[n] = (iso__edge){rng_below(&random, BODIES), rng_below(&random, BODIES)};
        }
        wake_count = 0;
        wake_and_expect(world, is_asleep);
        woken += wake_count;
    }
    print_message("%u bodies woke in %d rounds\n", (unsigned)woken, ROUNDS);
    assert_true(woken > ROUNDS);
    world_free(world);
}

/// One moving body at the end wakes the whole row, whose edges are read in several blocks, from either end.
static void test_a_row_wakes_as_a_whole(void **unused) {
    (void)unused;
    iso_world *world = make_bodies();
    for (int way = 0; way < 2; ++way) {
        bool is_asleep[BODIES];
        const uint32_t mover = way == 0 ? 0 : BODIES - 1;
        edge_count = BODIES - 1;
        for (uint32_t i = 0; i < BODIES; ++i) {
            is_asleep[i] = i != mover;
            is_moving[i] = i == mover;
        }
        for (uint32_t n = 0; n < edge_count; ++n) {
            edges[n] = way == 0 ? (iso__edge){n, n + 1} : (iso__edge){n + 1, n};
        }
        wake_count = 0;
        wake_and_expect(world, is_asleep);
        assert_int_equal(wake_count, BODIES - 1);
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edges),
        cmocka_unit_test(test_a_row_wakes_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
