/// What a wrong prediction costs: restore the newest confirmed image and step 8 ticks again, or 16, the most.
///
///   bench_rollback [BODIES]      200 by default
///
/// The scene is a heap of boxes and balls that is still falling, everything awake, with one command in each tick. Prints
/// the image's size and the fastest, median and slowest of many rollbacks. Build with the release preset; run on a
/// quiet machine.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isostep/isostep.h"

#define RUNS 201

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

static void rollback(iso_world *world, const void *image, size_t size, uint64_t ticks) {
    require(iso_world_restore(world, image, size) == ISO_OK, "restore");
    for (uint64_t i = 0; i < ticks; ++i) {
        iso_sealed_command command;
        memset(&command, 0, sizeof(command));
        command.sequence = i + 1;
        command.command.kind = ISO_COMMAND_APPLY_IMPULSE;
        command.command.as.apply_impulse.body = iso_body_next(world, 1);
        command.command.as.apply_impulse.impulse.y = ISO_WIDE_ONE;
        const iso_tick_input input = {iso_world_get_tick(world) + 1, NULL, 0, &command, 1};
        require(iso_world_step(world, &input) == ISO_OK, "step");
    }
}

static int compare_times(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void measure(iso_world *world, const void *image, size_t size, uint64_t ticks) {
    static uint64_t times[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        const uint64_t start = now_ns();
        rollback(world, image, size, ticks);
        times[i] = now_ns() - start;
    }
    qsort(times, RUNS, sizeof times[0], compare_times);
    printf("restore and %2u steps: %.3f ms fastest, %.3f ms median, %.3f ms slowest\n", (unsigned)ticks,
           (double)times[0] / 1e6, (double)times[RUNS / 2] / 1e6, (double)times[RUNS - 1] / 1e6);
}

int main(int argc, char **argv) {
    const uint32_t bodies = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200;
    require(bodies >= 1 && bodies <= 100000, "a number of bodies from 1 to 100,000");
    iso_world *confirmed = make_world(bodies);
    iso_world *predicted = make_world(bodies);
    fill_world(confirmed, bodies);
    void *image = malloc(iso_world_image_size_max(confirmed));
    const size_t size = iso_world_save(confirmed, image, iso_world_image_size_max(confirmed));
    iso_world_counts counts;
    iso_world_get_counts(confirmed, &counts);
    printf("%u bodies, %u contacts, image %zu bytes\n", counts.bodies, counts.contacts, size);
    measure(predicted, image, size, 8);
    measure(predicted, image, size, 16);
    // A rollback that does not end where the confirmed world gets to would be worth nothing.
    rollback(confirmed, image, size, 16);
    require(iso_world_root(confirmed) == iso_world_root(predicted), "the comparison of the roots");
    return 0;
}
