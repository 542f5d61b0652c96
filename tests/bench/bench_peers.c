/// The same scene, step by step, in Isostep and in Chipmunk 7 (package chipmunk-dev), in one run:
///
///   bench_peers [STEPS]      500 by default
///
/// Large pyramid: 5,050 unit boxes in 100 rows on one static box, friction 0.6, 60 Hz, no sleeping, one thread.
/// Isostep runs its portable path with 4 substeps, Chipmunk 10 iterations. The two take turns in blocks of steps,
/// so that a busy machine slows both.
#include <chipmunk/chipmunk.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "isostep/isostep.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

#define BLOCK 20

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void *allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

static double metres(iso_wide value) {
    return (double)value / 4294967296.0;
}

/// The scene's bodies, box by box, so that both engines start from the same places.
static iso_world *make_isostep(void) {
    const iso_allocator allocator = {allocate, release, NULL};
    const iso_builtin_scene *builtin = iso_builtin_scene_find("large-pyramid");
    iso_scene *scene;
    void *memory;
    iso_world *world;
    if (!builtin || iso_scene_parse(builtin->text, builtin->size, NULL, 0, &scene, NULL) != ISO_OK ||
        iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL) != ISO_OK) {
        fprintf(stderr, "bench_peers: cannot build the scene large-pyramid\n");
        exit(1);
    }
    return world;
}

static cpSpace *make_chipmunk(const iso_world *world, cpBody **apex) {
    cpSpace *space = cpSpaceNew();
    cpSpaceSetIterations(space, 10);
    cpSpaceSetGravity(space, cpv(0, -10));
    for (iso_body_id id = iso_body_next(world, 0); id.generation; id = iso_body_next(world, id.index + 1)) {
        iso_body_view view;
        iso_body_get(world, id, &view);
        const cpVect place = cpv(metres(view.position.x), metres(view.position.y));
        cpShape *shape;
        if (view.type == ISO_BODY_STATIC) {
            // One static box whose top is the ground's.
            shape = cpBoxShapeNew2(cpSpaceGetStaticBody(space), cpBBNew(-60, place.y - 1, 60, 0), 0);
        } else {
            cpBody *body = cpSpaceAddBody(space, cpBodyNew(1, cpMomentForBox(1, 1, 1)));
            cpBodySetPosition(body, place);
            shape = cpBoxShapeNew(body, 1, 1, 0);
            *apex = !*apex || cpBodyGetPosition(*apex).y < place.y ? body : *apex;
        }
        cpShapeSetFriction(shape, 0.6);
        cpSpaceAddShape(space, shape);
    }
    return space;
}

static double isostep_apex(const iso_world *world) {
    double highest = 0;
    for (iso_body_id id = iso_body_next(world, 0); id.generation; id = iso_body_next(world, id.index + 1)) {
        iso_body_view view;
        iso_body_get(world, id, &view);
        highest = metres(view.position.y) > highest ? metres(view.position.y) : highest;
    }
    return highest;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 500;
    iso_world *world = make_isostep();
    cpBody *apex = NULL;
    cpSpace *space = make_chipmunk(world, &apex);
    double ours = 0, theirs = 0;
    for (int done = 0; done < steps; done += BLOCK) {
        const int block = steps - done < BLOCK ? steps - done : BLOCK;
        double start = now_ms();
        for (int i = 0; i < block; ++i) {
            iso_world_step_empty(world);
        }
        ours += now_ms() - start;
        start = now_ms();
        for (int i = 0; i < block; ++i) {
            cpSpaceStep(space, 1.0 / 60);
        }
        theirs += now_ms() - start;
        fprintf(stderr, "\r%d of %d steps", done + block, steps);
    }
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    fprintf(stderr, "\r");
    printf("large pyramid, %u bodies, %u contacts, %d steps, one thread\n", counts.bodies, counts.contacts, steps);
    printf("%-34s %10s %8s %12s\n", "", "ms/step", "ratio", "apex (99.5)");
    printf("%-34s %10.2f %8.2f %12.2f\n", "Isostep, portable, 4 substeps", ours / steps, 1.0, isostep_apex(world));
    printf("%-34s %10.2f %8.2f %12.2f\n", "Chipmunk 7, 10 iterations", theirs / steps, theirs / ours, cpBodyGetPosition(apex).y);
    return 0;
}
