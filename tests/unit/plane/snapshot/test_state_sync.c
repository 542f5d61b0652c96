/// The sync test: a world goes on from its own snapshot as it goes on by itself, unless a game has state that a
/// snapshot does not hold.
#include "unit/games/test_game_util.h"
#include "isostep/games.h"
#include "isostep/heap.h"

static size_t allocated;        // [bytes] that the test holds
static size_t allocations_left; // before there is no memory

static void *count_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    if (allocations_left == 0) {
        return NULL;
    }
    --allocations_left;
    allocated += size;
    return iso_heap_allocate(NULL, size, alignment);
}

static void count_release(void *user, void *memory, size_t size) {
    (void)user;
    allocated -= size;
    iso_heap_release(NULL, memory, size);
}

static void sync_begin(iso_sync_test *test, uint32_t interval) {
    const iso_allocator allocator = {count_allocate, count_release, NULL};
    allocated = 0;
    allocations_left = SIZE_MAX;
    iso_sync_test_init(test, &allocator, interval);
}

static iso_world *world_of_everything(void) {
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    util_world_fill(world);
    return world;
}

static void sync_end(iso_sync_test *test, iso_world *world) {
    iso_sync_test_term(test);
    assert_int_equal(allocated, 0);
    util_world_free(world);
}

/// Steps the world and its test without commands. @return the first tick that differs, 0 when none does
static uint64_t sync_run(iso_sync_test *test, iso_world *world, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        const iso_tick_input input = {.tick = iso_world_get_tick(world) + 1};
        assert_int_equal(iso_world_step(world, &input), ISO_OK);
        const iso_status status = iso_sync_test_step(test, world, &input);
        if (status == ISO_ERR_DESYNC) {
            return input.tick;
        }
        assert_int_equal(status, ISO_OK);
    }
    return 0;
}

// ---- games that are wrong ------------------------------------------------------------------------

static uint32_t calls; // what a game must not have

typedef struct leaky_state {
    uint32_t hits;
} leaky_state;

static const iso_field leaky_fields[] = {{"hits", "", offsetof(leaky_state, hits), 1, ISO_FIELD_U32}};

static void count_calls(iso_world *world, void *state) {
    (void)world;
    leaky_state *leaky = state;
    ++calls;
    leaky->hits += calls % 40 == 0;
}

static const iso_game leaky_game = {
    .name = "leaky",
    .version = 1,
    .state_size = sizeof(leaky_state),
    .fields = leaky_fields,
    .field_count = 1,
    .before_step = count_calls,
};

static void test_sync_test_names_the_tick_in_which_a_static_counter_differs(void **state) {
    (void)state;
    calls = 0;
    iso_world *world = util_game_world(&leaky_game, 0);
    util_steps(world, 20 - (int)iso_world_get_tick(world));
    iso_sync_test test;
    sync_begin(&test, 600);
    assert_int_equal(iso_sync_test_step(&test, world, NULL), ISO_OK);
    // From tick 20 on, both count: the copy's tenth call is the fortieth.
    assert_int_equal(sync_run(&test, world, 100), 30);
    assert_int_equal(test.from, 20);
    iso_diff diff;
    assert_int_equal(iso_world_diff(world, test.copy, &diff, 1), 1);
    assert_int_equal(diff.section, ISO_SECTION_GAME);
    assert_string_equal(diff.field->name, "hits");
    assert_int_equal(diff.value_a, 0);
    assert_int_equal(diff.value_b, 1);
    sync_end(&test, world);
}

// ---- worlds that are right -------------------------------------------------------------------------

static void test_sync_test_agrees_with_a_world_of_everything(void **state) {
    (void)state;
    iso_world *world = world_of_everything();
    iso_sync_test test;
    sync_begin(&test, 16);
    assert_int_equal(iso_sync_test_step(&test, world, NULL), ISO_OK);
    assert_int_equal(sync_run(&test, world, 200), 0);
    assert_int_equal(test.copies, 13);
    assert_int_equal(iso_world_root(test.copy), iso_world_root(world));
    sync_end(&test, world);
}

/// Every set that the processor has, but the world's own, in turn; whatever set the world changes to.
static void test_copies_compute_with_other_instruction_sets(void **state) {
    (void)state;
    iso_world *world = world_of_everything();
    unsigned supported = 0;
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        supported += iso_simd_is_supported((iso_simd)set);
    }
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        if (iso_world_set_simd(world, (iso_simd)set) != ISO_OK) {
            continue;
        }
        iso_sync_test test;
        unsigned seen = 0;
        sync_begin(&test, 1);
        for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
            assert_int_equal(sync_run(&test, world, 1), 0);
            seen |= 1u << iso_world_get_simd(test.copy);
        }
        assert_int_equal(__builtin_popcount(seen), supported > 1 ? supported - 1 : 1);
        assert_int_equal(seen >> set & 1u, supported == 1);
        iso_sync_test_term(&test);
    }
    util_world_free(world);
}

static void test_sync_test_takes_commands_along(void **state) {
    (void)state;
    iso_world *world = util_game_world(&iso_game_sandbox, 2);
    iso_sync_test test;
    sync_begin(&test, 1000);
    assert_int_equal(iso_sync_test_step(&test, world, NULL), ISO_OK);
    iso_command command = {.kind = ISO_COMMAND_SET_CONTROL};
    command.as.set_control.size = 8;
    command.as.set_control.bytes[1] = 0x7f;
    const iso_sealed_command sealed = {.slot = 1, .sequence = 1, .command = command};
    const iso_tick_input input = {.tick = iso_world_get_tick(world) + 1, .commands = &sealed, .command_count = 1};
    assert_int_equal(iso_world_step(world, &input), ISO_OK);
    assert_int_equal(iso_sync_test_step(&test, world, &input), ISO_OK);
    assert_int_equal(sync_run(&test, world, 60), 0);
    assert_int_equal(test.copies, 1);
    sync_end(&test, world);
}

static void test_sync_test_sees_a_flipped_bit(void **state) {
    (void)state;
    iso_world *world = world_of_everything();
    iso_sync_test test;
    sync_begin(&test, 1000);
    assert_int_equal(sync_run(&test, world, 20), 0);
    assert_int_equal(iso_world_flip_bit(world), ISO_OK);
    assert_int_equal(sync_run(&test, world, 20), 21);
    assert_int_equal(iso_world_get_tick(world), 21);
    // Whoever changes the world says so.
    iso_sync_test_restart(&test);
    assert_int_equal(sync_run(&test, world, 20), 0);
    sync_end(&test, world);
}

static void test_sync_test_begins_anew_when_the_world_was_stepped_alone(void **state) {
    (void)state;
    iso_world *world = world_of_everything();
    iso_sync_test test;
    sync_begin(&test, 1000);
    assert_int_equal(sync_run(&test, world, 20), 0);
    util_steps(world, 3);
    assert_int_equal(sync_run(&test, world, 20), 0);
    assert_int_equal(test.copies, 2);
    assert_int_equal(test.from, iso_world_get_tick(world) - 19);
    sync_end(&test, world);
}

static void test_sync_test_says_when_there_is_no_memory(void **state) {
    (void)state;
    iso_world *world = world_of_everything();
    for (size_t room = 0; room < 2; ++room) {
        iso_sync_test test;
        sync_begin(&test, 10);
        allocations_left = room;
        assert_int_equal(iso_sync_test_step(&test, world, NULL), ISO_ERR_MEMORY);
        assert_null(test.copy);
        allocations_left = 2;
        assert_int_equal(sync_run(&test, world, 30), 0);
        iso_sync_test_term(&test);
        assert_int_equal(allocated, 0);
    }
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_test_names_the_tick_in_which_a_static_counter_differs),
        cmocka_unit_test(test_sync_test_agrees_with_a_world_of_everything),
        cmocka_unit_test(test_copies_compute_with_other_instruction_sets),
        cmocka_unit_test(test_sync_test_takes_commands_along),
        cmocka_unit_test(test_sync_test_sees_a_flipped_bit),
        cmocka_unit_test(test_sync_test_begins_anew_when_the_world_was_stepped_alone),
        cmocka_unit_test(test_sync_test_says_when_there_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
