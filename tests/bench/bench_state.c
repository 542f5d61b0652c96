/// Times save, restore, hash, snapshot and restore-and-step of a pyramid of boxes, first awake, then asleep.
///
///   bench_state [BOXES]        1,000 by default
///
/// Prints one row per operation: its bytes and the fastest and the median of many runs. Build with the release
/// preset; run on a quiet machine.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "isostep/isostep.h"

#define RUNS     201
#define RUNS_MIN 15
#define RUN_NS   1000000000u

typedef struct bench {
    iso_world *world;
    iso_world *other;
    uint8_t *image;
    size_t image_size;
    uint8_t *snapshot;
    size_t snapshot_size;
} bench;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "bench_state: %s failed\n", what);
        exit(1);
    }
}

static iso_world *make_world(uint32_t boxes) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = boxes + 1;
    def.shape_capacity = boxes + 1;
    def.contact_capacity = 8 * boxes + 64;
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    require(memory != NULL && iso_world_create(&def, NULL, memory, size, &world) == ISO_OK, "create");
    return world;
}

static void add_box(iso_world *world, uint8_t type, fix16_t x, fix16_t y, fix16_t half_width) {
    iso_body_def def = iso_body_def_default();
    def.type = type;
    def.position = iso_vec2_to_wide((iso_vec2){x, y});
    const iso_shape_def shape = iso_shape_def_box(half_width, ISO_FIX16_ONE / 2);
    iso_body_id body;
    iso_shape_id id;
    require(iso_body_create(world, &def, &body) == ISO_OK && iso_shape_create(world, body, &shape, &id) == ISO_OK,
            "a box");
}

/// Rows of touching boxes, each shifted by half a box: a little more than two contacts per box.
static void fill_world(iso_world *world, uint32_t boxes) {
    add_box(world, ISO_BODY_STATIC, 0, -ISO_FIX16_ONE / 2, 59 * ISO_FIX16_ONE);
    int32_t row = 0, column = 0;
    for (uint32_t i = 0; i < boxes; ++i) {
        add_box(world, ISO_BODY_DYNAMIC, (column - 20) * ISO_FIX16_ONE + row % 2 * ISO_FIX16_ONE / 2,
                row * ISO_FIX16_ONE + ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
        if (++column == 40) {
            column = 0;
            ++row;
        }
    }
    for (int i = 0; i < 30; ++i) {
        require(iso_world_step_empty(world) == ISO_OK, "step");
    }
}

/// A pyramid of 5,050 sleeps after 961 steps.
static void sleep_world(iso_world *world) {
    iso_world_counts counts;
    int steps = 0;
    do {
        require(iso_world_step_empty(world) == ISO_OK && ++steps < 5000, "sleep");
        iso_world_get_counts(world, &counts);
    } while (counts.awake_bodies > 0);
    printf("asleep after %d more steps\n", steps);
}

static int compare_times(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

typedef void bench_fn(bench *b);

/// Of what takes long to prepare there are fewer runs.
static void run(bench *b, const char *name, size_t bytes, bench_fn *before, bench_fn *timed) {
    static uint64_t times[RUNS];
    const uint64_t begin = now_ns();
    int count = 0;
    for (; count < RUNS && (count < RUNS_MIN || now_ns() - begin < RUN_NS); ++count) {
        if (before != NULL) {
            before(b);
        }
        const uint64_t start = now_ns();
        timed(b);
        times[count] = now_ns() - start;
    }
    qsort(times, (size_t)count, sizeof times[0], compare_times);
    printf("%-34s %9zu %9.1f %9.1f\n", name, bytes, (double)times[0] / 1000, (double)times[count / 2] / 1000);
}

static void do_step(bench *b) {
    require(iso_world_step_empty(b->world) == ISO_OK, "step");
}
static void do_save(bench *b) {
    require(iso_world_save(b->world, b->image, b->image_size) == b->image_size, "save");
}
static void do_restore(bench *b) {
    require(iso_world_restore(b->world, b->image, b->image_size) == ISO_OK, "restore");
}
static void do_root(bench *b) {
    (void)iso_world_root(b->world);
}
static void do_drop(bench *b) {
    iso_world_drop_caches(b->world);
}
static void do_encode(bench *b) {
    require(iso_snapshot_encode(b->world, b->snapshot, b->snapshot_size) == b->snapshot_size, "encode");
}
static void do_decode(bench *b) {
    require(iso_snapshot_decode(b->other, b->snapshot, b->snapshot_size) == ISO_OK, "decode");
}

// Where the timed operation begins.

/// The image's state eight steps later, one body pushed: so something is awake.
static void go_on(bench *b) {
    do_restore(b);
    const iso_vec2_wide impulse = {0, 20 * ISO_WIDE_ONE};
    (void)iso_body_apply_impulse(b->world, iso_body_next(b->world, 1), impulse, (iso_vec2_wide){0, 0});
    for (int i = 0; i < 8; ++i) {
        do_step(b);
    }
}
static void go_on_and_restore(bench *b) {
    go_on(b);
    do_restore(b);
}
static void restore_and_step(bench *b) {
    do_restore(b);
    do_step(b);
}
/// A world with every cache of its own thrown away takes the image.
static void drop_and_restore(bench *b) {
    do_drop(b);
    do_restore(b);
}
static void restore_and_hash(bench *b) {
    do_restore(b);
    do_root(b);
    do_step(b);
}

static void measure(bench *b) {
    b->image_size = iso_world_image_size(b->world);
    b->snapshot_size = iso_snapshot_size(b->world);
    do_save(b);
    iso_world_counts counts;
    iso_world_get_counts(b->world, &counts);
    printf("%u bodies, %u awake, %u contacts; microseconds\n", counts.bodies, counts.awake_bodies, counts.contacts);
    printf("%-34s %9s %9s %9s\n", "operation", "bytes", "fastest", "median");
    run(b, "save", b->image_size, NULL, do_save);
    run(b, "restore, nothing differs", b->image_size, do_restore, do_restore);
    run(b, "restore, from 8 steps on", b->image_size, go_on, do_restore);
    run(b, "restore, no caches", b->image_size, do_drop, do_restore);
    run(b, "snapshot encode", b->snapshot_size, NULL, do_encode);
    run(b, "snapshot decode", b->snapshot_size, NULL, do_decode);
    run(b, "root, all shards", 0, do_drop, do_root);
    run(b, "root, nothing changed", 0, NULL, do_root);
    run(b, "root after a step", 0, restore_and_hash, do_root);
    run(b, "step", 0, restore_and_step, do_step);
    run(b, "step after a restore", 0, do_restore, do_step);
    run(b, "the same, from 8 steps on", 0, go_on_and_restore, do_step);
    run(b, "the same, no caches", 0, drop_and_restore, do_step);
}

int main(int argc, char **argv) {
    const uint32_t boxes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    require(boxes >= 1 && boxes <= 100000, "a number of boxes from 1 to 100,000");
    bench b = {.world = make_world(boxes), .other = make_world(boxes)};
    b.image = malloc(iso_world_image_size_max(b.world));
    fill_world(b.world, boxes);
    b.snapshot = malloc(iso_snapshot_size(b.world) + 1024 * (size_t)boxes); // contacts come and go
    require(b.image != NULL && b.snapshot != NULL, "memory");
    measure(&b);
    sleep_world(b.world);
    measure(&b);
    return 0;
}
