/// What a wrong prediction costs: restore the newest confirmed image and step 8 ticks again, or 16, the most.
///
///   bench_rollback [BODIES]      200 by default
///   bench_rollback SCENE STEPS   a built-in scene after so many steps: "tumbler 200" has 2,027 bodies, all awake
///
/// Without a scene it is a heap of boxes and balls that is still falling, everything awake, with one command in each
/// tick. A plain step is the mean of the steps that follow on a rollback's first, without a restore between them. As in
/// the client library there are two worlds: images come from the confirmed one, the predicted one is ahead and restores
/// them. Prints the image's size and the fastest, median and slowest of many rollbacks, and the fastest as a multiple
/// of a plain step. Build with the release preset; run on a quiet machine.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../scene_world.h"

#define RUNS 101

typedef struct bench {
    iso_world *confirmed;
    iso_world *predicted;
    void *image; // of the confirmed world
    size_t size;
    bool has_command;
} bench;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "bench_rollback: %s failed\n", what);
        exit(1);
    }
}

static iso_world *make_world(uint32_t bodies) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = bodies + 1;
    def.shape_capacity = bodies + 1;
    def.contact_capacity = 8 * bodies + 64;
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    require(memory != NULL && iso_world_create(&def, NULL, memory, size, &world) == ISO_OK, "create");
    return world;
}

static void add_body(iso_world *world, uint8_t type, iso_vec2 position, iso_shape_def shape) {
    iso_body_def def = iso_body_def_default();
    def.type = type;
    def.position = iso_vec2_to_wide(position);
    def.owner = (iso_owner){0, ISO_OWNER_EVERYONE};
    iso_body_id body;
    iso_shape_id id;
    require(iso_body_create(world, &def, &body) == ISO_OK && iso_shape_create(world, body, &shape, &id) == ISO_OK,
            "a body");
}

static void fill_world(iso_world *world, uint32_t bodies) {
    add_body(world, ISO_BODY_STATIC, (iso_vec2){0, -ISO_FIX16_ONE},
             iso_shape_def_box(59 * ISO_FIX16_ONE, ISO_FIX16_ONE));
    for (uint32_t i = 0; i < bodies; ++i) {
        const iso_vec2 position = {((int32_t)(i % 20) - 10) * ISO_FIX16_ONE * 9 / 8 + (int32_t)(i / 20 % 3) * 9000,
                                   (int32_t)(i / 20) * ISO_FIX16_ONE * 5 / 4 + ISO_FIX16_ONE};
        const bool ball = i % 3 == 0;
        add_body(world, ISO_BODY_DYNAMIC, position,
                 ball ? iso_shape_def_circle(ISO_FIX16_ONE / 2)
                      : iso_shape_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2));
    }
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    const iso_tick_input input = {1, &join, 1, NULL, 0};
    require(iso_world_step(world, &input) == ISO_OK, "join");
    for (int i = 0; i < 120; ++i) {
        require(iso_world_step_empty(world) == ISO_OK, "step");
    }
}

static void step(iso_world *world, bool has_command, uint64_t sequence) {
    iso_sealed_command command;
    memset(&command, 0, sizeof(command));
    command.sequence = sequence;
    command.command.kind = ISO_COMMAND_APPLY_IMPULSE;
    command.command.as.apply_impulse.body = iso_body_next(world, 1);
    command.command.as.apply_impulse.impulse.y = ISO_WIDE_ONE;
    const iso_tick_input input = {iso_world_get_tick(world) + 1, NULL, 0, &command, has_command};
    require(iso_world_step(world, &input) == ISO_OK, "step");
}

static void steps(const bench *b, iso_world *world, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        step(world, b->has_command, first + i);
    }
}

static void rollback(const bench *b, iso_world *world, uint64_t ticks) {
    require(iso_world_restore(world, b->image, b->size) == ISO_OK, "restore");
    steps(b, world, 1, ticks);
}

static int compare_times(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t time_rollback(const bench *b, uint64_t ticks) {
    const uint64_t start = now_ns();
    rollback(b, b->predicted, ticks);
    return now_ns() - start;
}

/// `ticks` steps in a row, from the second of a rollback on.
static uint64_t time_plain(const bench *b, uint64_t ticks) {
    rollback(b, b->predicted, 1);
    const uint64_t start = now_ns();
    steps(b, b->predicted, 2, ticks);
    return now_ns() - start;
}

/// By turns, so that a busy machine slows both.
static void measure(const bench *b, uint64_t ticks) {
    static uint64_t times[RUNS], plain[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        plain[i] = time_plain(b, ticks);
        times[i] = time_rollback(b, ticks);
    }
    qsort(times, RUNS, sizeof times[0], compare_times);
    qsort(plain, RUNS, sizeof plain[0], compare_times);
    const double step_ns = (double)plain[0] / (double)ticks;
    printf("restore and %2u steps: %.3f ms fastest, %.3f ms median, %.3f ms slowest; %.2f plain steps of %.3f ms\n",
           (unsigned)ticks, (double)times[0] / 1e6, (double)times[RUNS / 2] / 1e6, (double)times[RUNS - 1] / 1e6,
           (double)times[0] / step_ns, step_ns / 1e6);
}

static void make_heap(bench *b, uint32_t bodies) {
    require(bodies >= 1 && bodies <= 100000, "a number of bodies from 1 to 100,000");
    b->confirmed = make_world(bodies);
    b->predicted = make_world(bodies);
    b->has_command = true;
    fill_world(b->confirmed, bodies);
}

static void make_scene(bench *b, const char *name, uint64_t step_count) {
    const iso_builtin_scene *scene = iso_builtin_scene_find(name);
    require(scene != NULL, "the search for the scene");
    b->confirmed = scene_world_make("bench_rollback", scene, NULL);
    b->predicted = scene_world_make("bench_rollback", scene, NULL);
    steps(b, b->confirmed, 1, step_count);
}

int main(int argc, char **argv) {
    bench b = {0};
    if (argc > 2) {
        make_scene(&b, argv[1], strtoul(argv[2], NULL, 10));
    } else {
        make_heap(&b, argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200);
    }
    b.image = malloc(iso_world_image_size_max(b.confirmed));
    b.size = iso_world_save(b.confirmed, b.image, iso_world_image_size_max(b.confirmed));
    iso_world_counts counts;
    iso_world_get_counts(b.confirmed, &counts);
    printf("%u bodies, %u awake, %u contacts, image %zu bytes\n", counts.bodies, counts.awake_bodies, counts.contacts,
           b.size);
    measure(&b, 8);
    measure(&b, 16);
    // A rollback that does not end where the confirmed world gets to would be worth nothing.
    steps(&b, b.confirmed, 1, 16);
    require(iso_world_root(b.confirmed) == iso_world_root(b.predicted), "the comparison of the roots");
    return 0;
}
