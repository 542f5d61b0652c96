/// Scenes of the replay tool: from a name or a file to a world.
#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/heap.h"
#include "isostep/scenes.h"

bool iso__replay_scene_read(replay_scene *s, const char *argument, const char **why) {
    *s = (replay_scene){.argument = argument};
    const iso_builtin_scene *builtin = iso_builtin_scene_find(argument);
    if (builtin != NULL) {
        s->text = builtin->text;
        s->text_size = builtin->size;
        return true;
    }
    s->file_text = iso__replay_read_text(argument, ISO_SCENE_SIZE_MAX, &s->text_size);
    s->text = s->file_text;
    if (s->text != NULL) {
        return true;
    }
    *why = errno == EINVAL ? "it is not a regular file" : strerror(errno);
    iso_print(stderr, "isostep-replay: %s: %s\n", argument, *why);
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

iso_status iso__replay_scene_build(replay_scene *s, iso_scene_error *error) {
    if (iso_world_size(iso_scene_def(s->scene), s->scene->game) > REPLAY_WORLD_SIZE_MAX) {
        return ISO_ERR_MEMORY;
    }
    const iso_allocator allocator = iso_heap_allocator();
    const iso_status status = iso_scene_create_world(s->scene, NULL, &allocator, &s->memory, &s->world, error);
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(error, s->text, s->text_size);
    }
    return status;
}

static bool make_world(replay_scene *s) {
    iso_scene_error error = {0};
    uint32_t game_count;
    const iso_game *const *games = iso__replay_games(&game_count);
    iso_status status = iso_scene_parse(s->text, s->text_size, games, game_count, &s->scene, &error);
    if (status == ISO_OK) {
        status = iso__replay_scene_build(s, &error);
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
    const char *why;
    return iso__replay_scene_read(scene, argument, &why) && make_world(scene);
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
