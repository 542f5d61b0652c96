/// How far the joints of the scene joint-grid come apart, and what a step costs:
///
///   bench_joint_grid [STEPS [SUBSTEPS]]      500 and the scene's own 4 by default
///
/// 10,000 circles that do not collide, 19,800 revolutes, hung from 7 static circles. The grid falls and swings; a
/// solver that orders its constraints badly lets it diverge within the first thousand steps.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// [m] The largest distance between the two anchors of any joint.
static double largest_separation(const iso_world *world) {
    iso_wide largest = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation; id = iso_joint_next(world, id.index + 1)) {
        iso_wide separation = 0;
        iso_joint_get_separation(world, id, &separation);
        largest = separation > largest ? separation : largest;
    }
    return (double)largest / 4294967296.0;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 500;
    const iso_allocator allocator = iso_heap_allocator();
    const iso_builtin_scene *builtin = iso_builtin_scene_find("joint-grid");
    iso_scene *scene;
    void *memory;
    iso_world *world;
    const int substeps = argc > 2 ? atoi(argv[2]) : 0;
    if (!builtin || iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, &scene, NULL) != ISO_OK) {
        fprintf(stderr, "bench_joint_grid: cannot read the scene joint-grid\n");
        return 1;
    }
    iso_world_def def = *iso_scene_def(scene);
    def.substep_count = substeps > 0 ? (uint8_t)substeps : def.substep_count;
    if (iso_scene_create_world(scene, &def, &allocator, &memory, &world, NULL) != ISO_OK) {
        fprintf(stderr, "bench_joint_grid: cannot build the scene joint-grid\n");
        return 1;
    }
    double spent = 0, worst = 0;
    printf("%8s %16s %16s %10s\n", "step", "separation [m]", "largest so far", "ms/step");
    for (int step = 1; step <= steps; ++step) {
        const double start = now_ms();
        iso_world_step_empty(world);
        spent += now_ms() - start;
        const double separation = largest_separation(world);
        worst = separation > worst ? separation : worst;
        if (step % 100 == 0 || step == steps) {
            printf("%8d %16.4f %16.4f %10.2f\n", step, separation, worst, spent / step);
        }
    }
    iso_scene_free(scene);
    free(memory);
    return 0;
}
