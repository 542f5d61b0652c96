/// Worlds of scenes for programs that measure and that write cases: on the heap, or the end of the program.
#ifndef ISO_TESTS_SCENE_WORLD_H
#define ISO_TESTS_SCENE_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

/// @param program  whose message it is when the scene cannot be built
/// @param game     beside those of the library, or NULL
/// @param memory   for free()
static inline iso_world *scene_world_build(const char *program, const iso_builtin_scene *builtin, const iso_game *game,
                                           void **memory) {
    const iso_game *games[1 + ISO_GAME_COUNT];
    const uint32_t game_count = (uint32_t)iso_games_add(&game, game != NULL ? 1 : 0, games);
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene;
    iso_scene_error error = {0};
    iso_world *world;
    if (iso_scene_parse(builtin->text, builtin->size, games, game_count, &scene, &error) != ISO_OK ||
        iso_scene_create_world(scene, NULL, &allocator, memory, &world, &error) != ISO_OK) {
        fprintf(stderr, "%s: cannot build the scene %s: %s\n", program, builtin->name, error.path);
        exit(1);
    }
    iso_scene_free(scene);
    return world;
}

/// @return a world that lives as long as the program
static inline iso_world *scene_world_make(const char *program, const iso_builtin_scene *builtin, const iso_game *game) {
    void *memory;
    return scene_world_build(program, builtin, game, &memory);
}

#endif
