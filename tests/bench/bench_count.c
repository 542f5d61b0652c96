/// Steps a scene, and nothing else: count.sh counts the instructions of its steps.
///
///   bench_count SCENE STEPS    prints the root behind them
///
/// Bodies do not sleep, as in isostep-bench.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_drive.h"
#include "bench_scene.h"
#include "isostep/snapshot.h"

int main(int argc, char **argv) {
    const unsigned long steps = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (steps < 1 || steps > 100000) {
        fputs("usage: bench_count SCENE STEPS\n", stderr);
        return 2;
    }
    void *memory = NULL;
    iso_scene *scene = bench_scene_read(argv[1], false);
    iso_world *world = scene != NULL ? bench_scene_world(scene, &memory) : NULL;
    bench_drive *drive = bench_drive_find(argv[1]);
    bool ok = world != NULL;
    for (unsigned i = 0; ok && i < steps; ++i) {
        ok = (drive == NULL || drive(world, i)) && iso_world_step_empty(world) == ISO_OK;
    }
    if (ok) {
        printf("%016" PRIx64 "\n", iso_world_root(world));
    }
    free(memory);
    iso_scene_free(scene);
    return ok ? 0 : 3;
}
