/// Scenes of the replay tool: from a name or a file to a world.
#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/heap.h"
#include "isostep/scenes.h"

static bool load_text(replay_scene *s) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(s->argument);
    if (builtin != NULL) {
        s->text = builtin->text;
        s->text_size = builtin->size;
        return true;
    }
    s->file_text = iso__replay_read_text(s->argument, ISO_SCENE_SIZE_MAX, &s->text_size);
    s->text = s->file_text;
    if (s->text != NULL) {
        return true;
    }
    iso_print(stderr, "isostep-replay: %s: %s\n", s->argument, strerror(errno));
    if (errno == ENOENT) {
        size_t count;
        const iso_builtin_scene *list = iso_builtin_scene_list(&count);
        iso_print(stderr, "Built-in scenes:");
        for (size_t i = 0; i < count; ++i) {
            iso_print(stderr, " %s", list[i].name);
        }
        iso_print(stderr, "\n");
    }
    return false;
}

static bool make_world(replay_scene *s) {
    iso_scene_error error = {0};
    uint32_t game_count;
    const iso_game *const *games = iso__replay_games(&game_count);
    iso_status status = iso_scene_parse(s->text, s->text_size, games, game_count, &s->scene, &error);
    if (status == ISO_OK && iso_world_size(iso_scene_def(s->scene), s->scene->game) > REPLAY_WORLD_SIZE_MAX) {
        status = ISO_ERR_MEMORY;
    }
    if (status == ISO_OK) {
        const iso_allocator allocator = iso_heap_allocator();
        status = iso_scene_create_world(s->scene, NULL, &allocator, &s->memory, &s->world, &error);
    }
    if (status == ISO_ERR_SCENE_INVALID) {
        char line[1024];
        iso_scene_error_format(&error, line, sizeof line);
        iso_print(stderr, "isostep-replay: %s: %s\n", s->argument, line);
    } else if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", s->argument, iso_status_text(status));
    }
    return status == ISO_OK;
}

bool iso__replay_scene_load(replay_scene *scene, const char *argument) {
    *scene = (replay_scene){.argument = argument};
    return load_text(scene) && make_world(scene);
}

void iso__replay_scene_free(replay_scene *scene) {
    iso_scene_free(scene->scene);
    free(scene->memory);
    free(scene->file_text);
    *scene = (replay_scene){0};
}

bool iso__replay_scene_step(replay_scene *scene) {
    const iso_status status = iso_world_step_empty(scene->world);
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: tick %llu: %s\n", (unsigned long long)iso_world_get_tick(scene->world) + 1,
                  iso_status_text(status));
    }
    return status == ISO_OK;
}
