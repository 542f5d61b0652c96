/// Steps on several threads: what is refused, and that no bit depends on them. Pieces in another order on one thread:
/// test_pieces.c, and those of the golden scenes: tests/golden/disturb.sh.
#include <pthread.h>

#include "isostep/threads.h"
#include "scene_world.h"
#include "unit/many.h"
#include "unit/world/physics_util.h"

#define TICKS (ISO_TEST_MANY(40) > 12 ? ISO_TEST_MANY(40) : 12)

static void run_nothing(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    (void)context, (void)count, (void)task, (void)data;
}

static void test_refuses(void **state) {
    (void)state;
    const iso_world_def def = world_def_small(-10);
    iso_world *world = world_make(&def);
    iso_parallel parallel = {.thread_count = 0, .run = run_nothing};
    EXPECT_STATUS(iso_world_set_parallel(world, &parallel), ISO_ERR_RANGE);
    parallel.thread_count = ISO_THREADS_MAX + 1;
    EXPECT_STATUS(iso_world_set_parallel(world, &parallel), ISO_ERR_RANGE);
    parallel = (iso_parallel){.thread_count = 2};
    EXPECT_STATUS(iso_world_set_parallel(world, &parallel), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_world_set_parallel(world, NULL), ISO_OK);
    world_free(world);
    iso_threads *threads;
    EXPECT_STATUS(iso_threads_start(0, &threads), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_threads_start(ISO_THREADS_MAX + 1, &threads), ISO_ERR_RANGE);
    assert_null(threads);
    iso_threads_stop(NULL);
}

typedef struct counted {
    iso_parallel inner;
    uint32_t runs, pieces;
} counted;

static void run_counted(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    counted *c = context;
    ++c->runs;
    c->pieces += count;
    c->inner.run(c->inner.context, count, task, data);
}

/// The root after each tick on `parallel`, or on the calling thread alone.
static void roots_of(const char *scene, const iso_parallel *parallel, uint64_t roots[TICKS]) {
    void *memory;
    iso_world *world = scene_world_build("test_parallel", iso_builtin_scene_find(scene), NULL, &memory);
    EXPECT_STATUS(iso_world_set_parallel(world, parallel), ISO_OK);
    for (int t = 0; t < TICKS; ++t) {
        EXPECT_STATUS(iso_world_step_empty(world), ISO_OK);
        roots[t] = iso_world_root(world);
    }
    free(memory);
}

static const char *const scenes[] = {"tumbler", "joint-grid", "everything"};

static void test_threads_change_no_bit(void **state) {
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        uint64_t alone[TICKS], together[TICKS];
        roots_of(scenes[s], NULL, alone);
        for (uint32_t count = 1; count <= 4; count += count < 3 ? 1 : 2) {
            iso_threads *threads;
            EXPECT_STATUS(iso_threads_start(count, &threads), ISO_OK);
            counted c = {.inner = iso_threads_parallel(threads)};
            roots_of(scenes[s], &(iso_parallel){count, run_counted, &c}, together);
            for (int t = 0; t < TICKS; ++t) {
                EXPECT(alone[t] == together[t], "%s with %u threads: tick %d", scenes[s], count, t);
            }
            // Small worlds hand out nothing.
            EXPECT(strcmp(scenes[s], "everything") == 0 || c.pieces >= 2 * TICKS, "%s: %u pieces in %u runs", scenes[s],
                   c.pieces, c.runs);
            iso_threads_stop(threads);
        }
    }
}

// ---- falling asleep ------------------------------------------------------------------------------

/// The pieces of a call from the last one to the first: what a piece leaves is not what the next one finds.
static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    ++*(uint32_t *)context;
    while (count > 0) {
        task(data, --count);
    }
}

#define BOXES_ACROSS 26 // so many that what watches them in a step has pieces

/// Boxes in space on a floor, or a little above it, which come to rest one after the other.
static iso_world *floor_make(void) {
    iso_world_def def = world_def_small(0);
    def.dimensions = 3;
    def.gravity_z = fix(-10);
    def.body_capacity = def.shape_capacity = def.event_capacity = BOXES_ACROSS * BOXES_ACROSS + 1;
    def.sleep_speed = fix(0.5);
    def.sleep_time = fix(0.1);
    iso_world *world = world_make(&def);
    const iso_shape3_def floor = iso_shape3_def_box(fix(20), fix(20), fix(1));
    const iso_shape3_def box = iso_shape3_def_box(fix(0.25), fix(0.25), fix(0.25));
    for (int i = -1; i < BOXES_ACROSS * BOXES_ACROSS; ++i) {
        iso_body3_def body = iso_body3_def_default();
        iso_body_id id;
        iso_shape_id shape;
        body.type = i < 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC;
        body.position = i < 0 ? (iso_vec3_wide){0, 0, wide(-1)}
                              : (iso_vec3_wide){wide(i % BOXES_ACROSS - 12.5), wide(i / BOXES_ACROSS - 12.5),
                                                wide(0.25 + 0.02 * (i % 3))};
        EXPECT_STATUS(iso_body3_create(world, &body, &id), ISO_OK);
        EXPECT_STATUS(iso_shape3_create(world, id, i < 0 ? &floor : &box, &shape), ISO_OK);
    }
    return world;
}

/// On threads, and with the pieces in the other order.
static void test_many_fall_asleep_on_threads_as_on_one(void **state) {
    (void)state;
    iso_threads *threads;
    uint32_t runs = 0, slept = 0, first = 0;
    EXPECT_STATUS(iso_threads_start(2, &threads), ISO_OK);
    const iso_parallel on_threads = iso_threads_parallel(threads);
    iso_world *alone = floor_make(), *together = floor_make(), *backwards = floor_make();
    EXPECT_STATUS(iso_world_set_parallel(together, &on_threads), ISO_OK);
    EXPECT_STATUS(iso_world_set_parallel(backwards, &(iso_parallel){3, run_backwards, &runs}), ISO_OK);
    assert_int_equal(world_counts(alone).awake_bodies, BOXES_ACROSS * BOXES_ACROSS);
    for (int t = 0; t < 30; ++t) {
        iso_events events;
        world_steps(alone, 1);
        world_steps(together, 1);
        world_steps(backwards, 1);
        const uint64_t root = iso_world_root(alone);
        EXPECT(iso_world_root(together) == root && iso_world_root(backwards) == root, "tick %d", t);
        iso_world_get_events(alone, &events);
        first = slept == 0 ? events.sleep_count : first;
        slept += events.sleep_count;
    }
    print_message("%u bodies slept, %u of them first, %u calls\n", slept, first, runs);
    EXPECT(slept >= 600 && first > 0 && first < slept, "the scene tests too little");
    world_free(alone);
    world_free(together);
    world_free(backwards);
    iso_threads_stop(threads);
}

typedef struct stepper {
    const iso_parallel *parallel;
    uint64_t roots[TICKS];
} stepper;

static void *step_scene(void *argument) {
    stepper *s = argument;
    roots_of("tumbler", s->parallel, s->roots);
    return NULL;
}

/// Two worlds are stepped at the same time with one pool.
static void test_worlds_share_threads(void **state) {
    (void)state;
    iso_threads *threads;
    EXPECT_STATUS(iso_threads_start(2, &threads), ISO_OK);
    const iso_parallel parallel = iso_threads_parallel(threads);
    stepper steppers[2] = {{&parallel, {0}}, {&parallel, {0}}};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, step_scene, &steppers[1]), 0);
    step_scene(&steppers[0]);
    pthread_join(other, NULL);
    uint64_t alone[TICKS];
    roots_of("tumbler", NULL, alone);
    assert_memory_equal(steppers[0].roots, alone, sizeof alone);
    assert_memory_equal(steppers[1].roots, alone, sizeof alone);
    iso_threads_stop(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_many_fall_asleep_on_threads_as_on_one),
        cmocka_unit_test(test_worlds_share_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
