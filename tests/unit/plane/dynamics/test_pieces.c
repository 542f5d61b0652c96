/// Steps whose pieces come from the last one to the first, on one thread: no bit depends on their order, and what
/// passes contacts on from piece to piece meets every way of running out of room.
#include "unit/world/physics_util.h"

// ---- manifolds -----------------------------------------------------------------------------------

/// Columns that topple and fall asleep, and stones that wake them.
static iso_world *heap_make(uint32_t contact_capacity) {
    iso_world_def def = world_def_small(-10);
    def.body_capacity = def.shape_capacity = 512;
    def.contact_capacity = contact_capacity;
    def.event_capacity = 64;
    def.sleep_speed = fix(0.5);
    def.sleep_time = fix(0.1);
    iso_world *world = world_make(&def);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.25, 0.25), disc = shape_circle(0.25);
    iso_shape_def plate = shape_box(2, 0.1), sensor = shape_box(1, 1);
    plate.one_way = (iso_vec2){0, fix(1)};
    sensor.is_sensor = true;
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    body_add_shape(world, ISO_BODY_STATIC, 0, 1.3, 0, &plate);
    body_add_shape(world, ISO_BODY_STATIC, 2, 1, 0, &sensor);
    rng random = {contact_capacity};
    for (int i = 0; i < 400; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.6 * (i % 100) - 30 + rng_range(&random, -0.1, 0.1),
                       0.25 + 0.5 * (i / 100), 0, i % 7 == 0 ? &disc : &box);
    }
    for (int i = 0; i < 8; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, 3 * i - 10, 4 + 4 * i, 0.3, &box);
    }
    return world;
}

/// @return how many bodies woke
static uint32_t expect_same_events(const iso_world *alone, const iso_world *together, int tick) {
    iso_events x, y;
    iso_world_get_events(alone, &x);
    iso_world_get_events(together, &y);
    EXPECT(x.contact_begin_count == y.contact_begin_count && x.contact_end_count == y.contact_end_count &&
               x.wake_count == y.wake_count,
           "tick %d: other events", tick);
    assert_memory_equal(x.contact_begins, y.contact_begins, x.contact_begin_count * sizeof *x.contact_begins);
    assert_memory_equal(x.contact_ends, y.contact_ends, x.contact_end_count * sizeof *x.contact_ends);
    return x.wake_count;
}

/// The pieces of a call from the last one to the first: what a piece leaves is not what the next one finds.
static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    ++*(uint32_t *)context;
    while (count > 0) {
        task(data, --count);
    }
}

static void test_manifolds_of_pieces_are_those_of_one_thread(void **state) {
    (void)state;
    // With room for all contacts and for all pairs; for the contacts alone; for neither.
    const uint32_t capacities[] = {4096, 700, 300};
    for (size_t c = 0; c < 3; ++c) {
        uint32_t runs = 0;
        const iso_parallel parallel = {.thread_count = 3, .run = run_backwards, .context = &runs};
        iso_world *alone = heap_make(capacities[c]), *together = heap_make(capacities[c]);
        EXPECT_STATUS(iso_world_set_parallel(together, &parallel), ISO_OK);
        uint32_t wakes = 0;
        for (int t = 0; t < 240; ++t) {
            world_steps(alone, 1);
            world_steps(together, 1);
            EXPECT(iso_world_root(alone) == iso_world_root(together), "room for %u: tick %d", capacities[c], t);
            wakes += expect_same_events(alone, together, t);
        }
        const iso_world_counts counts = world_counts(alone);
        print_message("room for %u: %u contacts, %llu dropped, %u bodies woken, %u calls\n", capacities[c],
                      counts.contacts, (unsigned long long)counts.dropped_contacts, wakes, runs);
        EXPECT(runs >= 240 && wakes > 0 && (counts.dropped_contacts > 0) == (c == 2), "the scene tests too little");
        world_free(alone);
        world_free(together);
    }
}

// ---- blocks of pairs -----------------------------------------------------------------------------

/// Boxes side by side and on each other, which keep their contacts, on a floor of a piece for each.
static void wall_make(iso_world *world, iso_body_id boxes[], uint32_t columns, uint32_t rows) {
    const iso_shape_def box = shape_box(0.5, 0.5);
    for (uint32_t i = 0; i < columns; ++i) {
        body_add_shape(world, ISO_BODY_STATIC, i, -0.5, 0, &box);
        for (uint32_t k = 0; k < rows; ++k) {
            boxes[i * rows + k] = body_add_shape(world, ISO_BODY_DYNAMIC, i, 0.5 + k, 0, &box);
        }
    }
}

/// What happens in one place of a wall at rest: of a joint, a push, a removal.
static void wall_disturb(iso_world *world, const iso_body_id boxes[], int tick, iso_joint_id *joint) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_REVOLUTE;
    if (tick == 40) { // between boxes that touch: their contact goes
        def.body_a = boxes[20];
        def.body_b = boxes[21];
        def.anchor_a = (iso_vec2){0, fix(0.5)};
        def.anchor_b = (iso_vec2){0, fix(-0.5)};
        EXPECT_STATUS(iso_joint_create(world, &def, joint), ISO_OK);
    } else if (tick == 60) { // and comes back
        EXPECT_STATUS(iso_joint_destroy(world, *joint), ISO_OK);
    } else if (tick == 70) {
        body_set_velocity(world, boxes[200], 0, 3, 0);
    } else if (tick == 80) { // more contacts than a block has, which come before most others
        const iso_shape_def box = shape_box(0.5, 0.5);
        for (uint32_t i = 0; i < 40; ++i) {
            body_add_shape(world, ISO_BODY_DYNAMIC, i + 0.5, 4.51, 0, &box);
        }
    } else if (tick == 90) {
        EXPECT_STATUS(iso_body_destroy(world, boxes[101]), ISO_OK);
    }
}

static void test_blocks_of_pairs_are_passed_as_their_contacts(void **state) {
    (void)state;
    // With room for all contacts, and for some.
    const uint32_t capacities[] = {4096, 600};
    for (size_t c = 0; c < 2; ++c) {
        iso_world_def def = world_def_small(-10);
        def.body_capacity = def.shape_capacity = 512;
        def.contact_capacity = capacities[c];
        iso_world *worlds[2];
        iso_body_id boxes[2][320];
        iso_joint_id joints[2];
        uint32_t runs = 0;
        const iso_parallel parallel = {.thread_count = 3, .run = run_backwards, .context = &runs};
        for (int w = 0; w < 2; ++w) {
            worlds[w] = world_make(&def);
            wall_make(worlds[w], boxes[w], 80, 4);
        }
        EXPECT_STATUS(iso_world_set_parallel(worlds[1], &parallel), ISO_OK);
        for (int t = 0; t < 160; ++t) {
            for (int w = 0; w < 2; ++w) {
                wall_disturb(worlds[w], boxes[w], t, &joints[w]);
                world_steps(worlds[w], 1);
            }
            EXPECT(iso_world_root(worlds[0]) == iso_world_root(worlds[1]), "room for %u: tick %d", capacities[c], t);
            expect_same_events(worlds[0], worlds[1], t);
        }
        const iso_world_counts counts = world_counts(worlds[0]);
        EXPECT(runs >= 160 && (counts.dropped_contacts > 0) == (c == 1), "%u contacts, %llu dropped: tests too little",
               counts.contacts, (unsigned long long)counts.dropped_contacts);
        world_free(worlds[0]);
        world_free(worlds[1]);
    }
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifolds_of_pieces_are_those_of_one_thread),
        cmocka_unit_test(test_blocks_of_pairs_are_passed_as_their_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
