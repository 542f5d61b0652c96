/// Islands and falling asleep, of bodies, edges and watches that the test makes up, against the rules in words.
#include "step/island.h"
#include "step/sleep.h"
#include "unit/world/physics_util.h"
#include "world/events.h"

#define BODIES      150u
#define MANY        2000u // of which more move than two pieces take
#define WORDS       (MANY / 64 + 1)
#define EDGES_MAX   (2 * MANY)
#define ROUNDS      400
#define MANY_ROUNDS 6

/// What the rules' functions read: they are given the world alone.
static iso__edge edges[EDGES_MAX];
static uint32_t body_count = BODIES; // of the round
static uint32_t edge_count, moving[MANY], moving_count, slept_count, last_slept;
static iso_body_type types[MANY];
static bool is_asleep[MANY], is_moving[MANY]; // kinematic ones move or not
static bool is_slow[MANY], is_at_rest[MANY], is_gone[MANY], is_driven[MANY], has_slept[MANY];
static int32_t gains[MANY];
static uint32_t watch_counts[MANY], stop_counts[MANY];
static bool has_marked;
static iso__sleep at;

static bool is_mover(uint32_t i) {
    return types[i] == ISO_BODY_DYNAMIC && !is_asleep[i];
}

static void read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *out) {
    (void)world;
    assert_true(count > 0 && count <= ISO__EDGE_BLOCK && first + count <= edge_count);
    memcpy(out, &edges[first], count * sizeof *out);
}

static bool body_is_slow(const iso_world *world, uint32_t body) {
    (void)world;
    return is_slow[body]; // of a kinematic one it does not matter
}

static bool all_move(const iso_world *world, const iso__sleep *sleep) {
    return iso__sleep_all_move(world, sleep, body_is_slow);
}

static iso__edges find_edges(const iso_world *world) {
    (void)world;
    return (iso__edges){edge_count, read_edges};
}

static void mark(iso_world *world) {
    has_marked = true;
    for (uint32_t w = 0; w < (body_count + 63) / 64; ++w) {
        assert_true(at.carried_sets[w] == 0 && at.pulled_bits[w] == 0); // nothing is left of the last step
    }
    for (uint32_t i = 0; i < body_count; ++i) {
        if (is_driven[i]) {
            iso__bit_set(at.woken_sets, world->islands[i]);
        }
    }
}

static bool watch_body(iso_world *world, uint32_t body, uint32_t limit, int32_t *gain) {
    assert_true(has_marked && is_mover(body) && limit == iso__sleep_ticks(&world->def));
    ++watch_counts[body];
    *gain = gains[body];
    return is_at_rest[body];
}

static void watch(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__sleep_watch_range(world, data, begin, end, watch_body);
}

static bool body_is_gone(const iso_world *world, uint32_t body) {
    (void)world;
    return is_gone[body];
}

static void stop(iso_world *world, uint32_t body, bool restarts) {
    assert_true(slept_count == 0 && restarts == (at.has_all_moving && is_mover(body)));
    (void)world;
    ++stop_counts[body];
}

static void end(iso_world *world, void *data, uint32_t from, uint32_t to) {
    iso__sleep_end_range(world, data, from, to, body_is_gone, stop);
}

static void put(iso_world *world, uint32_t body) {
    assert_true(!has_slept[body] && (slept_count == 0 || body > last_slept)); // by ascending index
    has_slept[body] = true;
    last_slept = body;
    ++slept_count;
    iso__awake_note(world, body, ISO_BODY_DYNAMIC, true);
}

// ---- what is expected ----------------------------------------------------------------------------

/// Names each body after the lowest one that edges between awake dynamic bodies connect it with.
static void expect_names(uint32_t names[MANY]) {
    for (uint32_t i = 0; i < body_count; ++i) {
        names[i] = i;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t n = 0; n < edge_count; ++n) {
            const uint32_t a = edges[n].a, b = edges[n].b;
            if (is_mover(a) && is_mover(b) && names[a] != names[b]) {
                names[a] = names[b] = names[a] < names[b] ? names[a] : names[b];
                has_changed = true;
            }
        }
    }
}

/// Whether something keeps an island awake.
static bool expect_kept(const uint32_t names[MANY], uint32_t island) {
    int64_t gain = 0;
    bool is_kept = false;
    for (uint32_t i = 0; i < body_count; ++i) {
        if (is_mover(i) && names[i] == island) {
            is_kept = is_kept || is_driven[i] || !is_at_rest[i];
            gain += gains[i];
        }
    }
    for (uint32_t n = 0; n < edge_count; ++n) {
        for (int side = 0; side < 2; ++side) {
            const uint32_t by = side == 0 ? edges[n].a : edges[n].b, body = side == 0 ? edges[n].b : edges[n].a;
            is_kept = is_kept ||
                      (types[by] == ISO_BODY_KINEMATIC && is_moving[by] && is_mover(body) && names[body] == island);
        }
    }
    return is_kept || gain > 0;
}

// ---- a round -------------------------------------------------------------------------------------

static bool chance(rng *random, uint32_t one_of) {
    return rng_below(random, one_of) == 0;
}

/// @param quiet  of so many bodies one is not
static void make_bodies(rng *random, iso_world *world, uint32_t quiet) {
    static const iso_body_type all[] = {ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_STATIC,
                                        ISO_BODY_KINEMATIC};
    moving_count = slept_count = 0;
    has_marked = false;
    for (uint32_t i = 0; i < body_count; ++i) {
        types[i] = all[rng_below(random, 5)];
        is_asleep[i] = types[i] == ISO_BODY_DYNAMIC && chance(random, 8);
        is_moving[i] = types[i] == ISO_BODY_KINEMATIC ? chance(random, 12) : is_mover(i);
        is_slow[i] = chance(random, 2);
        is_at_rest[i] = !chance(random, quiet);
        is_gone[i] = is_mover(i) && chance(random, 40);
        is_driven[i] = is_mover(i) && chance(random, 2 * quiet);
        gains[i] = chance(random, 4) ? (int32_t)rng_below(random, 200) - 150 : 0;
        has_slept[i] = false;
        watch_counts[i] = stop_counts[i] = 0;
        iso__awake_note(world, i, types[i], is_asleep[i]);
        if (is_moving[i]) {
            moving[moving_count++] = i;
        }
    }
    edge_count = rng_below(random, 2 * body_count);
    for (uint32_t n = 0; n < edge_count; ++n) {
        edges[n] = (iso__edge){rng_below(random, body_count), rng_below(random, body_count)};
    }
}

static iso_world *make_world(void) {
    iso_world_def def = world_def_small(0);
    def.body_capacity = def.event_capacity = body_count;
    iso_world *world = world_make(&def);
    for (uint32_t i = 0; i < body_count; ++i) {
        body_add(world, ISO_BODY_STATIC, (double)i, 0, 0);
    }
    return world;
}

static void find_islands(iso_world *world) {
    const iso__edges all = find_edges(world);
    memset(world->islands, 0xA5, body_count * sizeof *world->islands); // what was there does not matter
    iso__step_find_islands(world, moving, moving_count, &all);
}

static void test_islands_are_what_edges_connect(void **unused) {
    (void)unused;
    rng random = {.state = 21};
    iso_world *world = make_world();
    uint32_t most = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t names[MANY], count = 0, sizes[MANY] = {0};
        make_bodies(&random, world, 10);
        find_islands(world);
        expect_names(names);
        for (uint32_t m = 0; m < moving_count; ++m) {
            const uint32_t i = moving[m];
            assert_int_equal(world->islands[i], names[i]);
            count += is_mover(i) && names[i] == i;
            most = ++sizes[names[i]] > most ? sizes[names[i]] : most;
        }
        assert_int_equal(world->island_count, count);
    }
    print_message("the largest island has %u bodies\n", most);
    assert_true(most > body_count / 4);
    world_free(world);
}

/// Steps to the end of a round. @return how many of its islands of more than one body slept
static uint32_t sleep_and_expect(iso_world *world) {
    static const iso__sleep_rules rules = {all_move, mark, watch, end, find_edges, body_is_gone, put};
    uint64_t moving_bits[WORDS] = {0}, woken[WORDS], carried[WORDS], pulled[WORDS];
    int64_t sums[MANY];
    uint32_t names[MANY], sizes[MANY] = {0}, islands = 0;
    bool has_slow = false, any_gone = false;
    memset(woken, 0xA5, sizeof woken); // what was there does not matter
    memset(carried, 0xA5, sizeof carried);
    memset(pulled, 0xA5, sizeof pulled);
    memset(sums, 0xA5, sizeof sums);
    for (uint32_t m = 0; m < moving_count; ++m) {
        iso__bit_set(moving_bits, moving[m]);
        has_slow = has_slow || (is_mover(moving[m]) && is_slow[moving[m]]);
    }
    expect_names(names);
    at = (iso__sleep){moving, moving_count, moving_bits, woken, carried, pulled, sums, false, 7};
    world->wakes_islands = false;
    memset(world->slept, 0, (body_count + 63) / 64 * sizeof *world->slept);
    iso__events_clear(world);
    iso__step_sleep(world, &at, &rules);
    assert_int_equal(at.has_all_moving, !has_slow);
    assert_int_equal(has_marked, has_slow);
    for (uint32_t i = 0; i < body_count; ++i) {
        const bool sleeps = is_mover(i) && (is_gone[i] || (has_slow && !expect_kept(names, names[i])));
        assert_int_equal(has_slept[i], sleeps);
        assert_int_equal(iso__bit_is_set(world->slept, i), sleeps);
        assert_int_equal(watch_counts[i], is_mover(i) && has_slow);
        assert_int_equal(stop_counts[i], is_moving[i] && !sleeps);
        any_gone = any_gone || is_gone[i];
        islands += sleeps && !is_gone[i] && ++sizes[names[i]] == 2;
    }
    assert_int_equal(at.sleeper_count, slept_count);
    assert_int_equal(world->wakes_islands, any_gone);
    assert_int_equal(world->events.sleep_count, slept_count);
    return islands;
}

static void test_an_island_sleeps_when_nothing_keeps_it(void **unused) {
    (void)unused;
    rng random = {.state = 22};
    iso_world *world = make_world();
    uint32_t islands = 0, bodies = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        make_bodies(&random, world, 3 + rng_below(&random, 60));
        find_islands(world);
        islands += sleep_and_expect(world);
        bodies += slept_count;
    }
    print_message("%u islands of several bodies slept, %u bodies in all\n", islands, bodies);
    assert_true(islands > ROUNDS && bodies > 10 * ROUNDS);
    world_free(world);
}

/// Where nothing is slow, nothing is watched, and only what came to the border sleeps.
static void test_where_all_move_only_what_is_gone_sleeps(void **unused) {
    (void)unused;
    rng random = {.state = 23};
    iso_world *world = make_world();
    uint32_t bodies = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        make_bodies(&random, world, 1000);
        memset(is_slow, 0, sizeof is_slow);
        find_islands(world);
        sleep_and_expect(world);
        bodies += slept_count;
    }
    assert_true(bodies > ROUNDS);
    world_free(world);
}

/// The pieces of a call from the last one to the first: what a piece leaves is not what the next one finds.
static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    *(uint32_t *)context += count;
    while (count > 0) {
        task(data, --count);
    }
}

static void test_pieces_of_many_bodies_do_the_same(void **unused) {
    (void)unused;
    rng random = {.state = 24};
    uint32_t pieces = 0, bodies = 0;
    body_count = MANY;
    iso_world *world = make_world();
    EXPECT_STATUS(iso_world_set_parallel(world, &(iso_parallel){.thread_count = 3, run_backwards, &pieces}), ISO_OK);
    for (int round = 0; round < MANY_ROUNDS; ++round) {
        make_bodies(&random, world, 100);
        find_islands(world);
        assert_true(moving_count >= 600);
        sleep_and_expect(world);
        bodies += slept_count;
    }
    body_count = BODIES;
    print_message("%u pieces, %u bodies slept\n", pieces, bodies);
    assert_true(pieces >= 4 * MANY_ROUNDS && bodies > 10 * MANY_ROUNDS); // of watching and of ending
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_islands_are_what_edges_connect),
        cmocka_unit_test(test_an_island_sleeps_when_nothing_keeps_it),
        cmocka_unit_test(test_where_all_move_only_what_is_gone_sleeps),
        cmocka_unit_test(test_pieces_of_many_bodies_do_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
