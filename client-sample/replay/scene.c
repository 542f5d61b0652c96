/// Scenes of the replay tool: from a name or a file to a world.
#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/heap.h"
#include "isostep/proto/environment.h"

bool iso__replay_scene_read(replay_scene *s, const char *argument, const char **why) {
    *s = (replay_scene){.argument = argument};
    const iso_builtin_scene *builtin = iso__replay_scenes_find(argument);
    if (builtin != NULL) {
        s->text = builtin->text;
        s->text_size = builtin->size;
        return true;
    }
    s->file_text = iso__replay_read_text(argument, ISO_SCENE_SIZE_MAX, &s->text_size);
    s->text = s->file_text;
    const int error = s->text != NULL ? 0 : errno;
    // A recording may well be larger than a scene.
    const bool is_recording = (error == 0 || error == EFBIG) && iso__replay_file_has_magic(argument);
    char near[ISO_NEAREST_TEXT_SIZE] = "";
    if (error == 0 && !is_recording) {
        return true;
    }
    if (error == ENOENT) {
        iso__replay_scenes_ask(argument, near);
    }
    *why = is_recording      ? "it is a recording and no scene; isostep-replay verify checks recordings"
           : error == EINVAL ? "it is not a regular file"
                             : strerror(error);
    iso_print(stderr, "isostep-replay: %s: %s%s\n", argument, *why, near);
    if (error == ENOENT) {
        iso__replay_scenes_print();
    }
    return false;
}

/// Reads a file that the scene includes.
static bool read_included(void *user, const char *path, char **text, size_t *size, const char **why) {
    const replay_scene *s = user;
    const char *slash = strrchr(s->argument, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - s->argument) : 0;
    char *whole = malloc(folder + strlen(path) + 1);
    if (whole == NULL) {
        *why = iso_status_text(ISO_ERR_MEMORY);
        return false;
    }
    memcpy(whole, s->argument, folder);
    memcpy(whole + folder, path, strlen(path) + 1);
    *text = iso__replay_read_text(whole, ISO_SCENE_SIZE_MAX, size);
    if (*text == NULL) {
        *why = errno == EINVAL ? "it is not a regular file" : strerror(errno);
    }
    free(whole);
    return *text != NULL;
}

static iso_status include(replay_scene *s, iso_scene_error *error) {
    if (s->file_text == NULL) {
        return ISO_OK;
    }
    const char *slash = strrchr(s->argument, '/');
    const iso_scene_files files = {slash != NULL ? slash + 1 : s->argument, s, read_included};
    const iso_status status = iso_scene_source_make(s->text, s->text_size, &files, &s->source, error);
    if (status == ISO_OK) {
        s->text = iso_scene_source_text(s->source, &s->text_size);
    }
    return status;
}

static iso_status build(replay_scene *s, iso_scene_error *error) {
    if (iso_world_size(iso_scene_def(s->scene), s->scene->game) > REPLAY_WORLD_SIZE_MAX) {
        return ISO_ERR_MEMORY;
    }
    const iso_allocator allocator = iso_heap_allocator();
    const iso_status status = iso_scene_create_world(s->scene, NULL, &allocator, &s->memory, &s->world, error);
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(error, s->text, s->text_size);
    }
    return status == ISO_OK ? iso_world_set_simd(s->world, iso_environment_simd()) : status;
}

iso_status iso__replay_scene_make(replay_scene *s, iso_scene_error *errors, uint32_t capacity, uint32_t *count) {
    uint32_t game_count;
    const iso_game *const *games = iso__replay_games(&game_count);
    *count = 1;
    iso_status status = include(s, errors);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_scene_check(s->text, s->text_size, games, game_count, &s->scene, errors, capacity, count);
    if (status == ISO_OK) {
        *count = 1;
        status = build(s, errors);
    }
    for (uint32_t i = 0; status == ISO_ERR_SCENE_INVALID && s->source != NULL && i < *count; ++i) {
        iso_scene_source_locate(s->source, &errors[i]);
    }
    return status;
}

/// A world in the state that the recording begins with, whatever tick that is of.
static iso_status load_state(replay_scene *s, const iso_recording *recording) {
    replay_world world;
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, recording->header.first_tick, &keyframe);
    iso_status status = iso__replay_world_make(&world, recording);
    if (status == ISO_OK) {
        status = iso__replay_world_load(&world, recording, &keyframe);
        s->memory = world.memory;
        s->world = world.world;
        world.memory = NULL;
    }
    iso__replay_world_free(&world);
    return status;
}

static bool load_recording(replay_scene *s, const char *argument) {
    *s = (replay_scene){.argument = argument};
    if (iso__replay_file_open(&s->recording, argument, false) != ISO_OK) {
        return false;
    }
    const iso_recording *recording = &s->recording.recording;
    uint32_t game_count;
    const iso_game *const *games = iso__replay_games(&game_count);
    s->text = recording->header.scene;
    s->text_size = recording->header.scene_size;
    iso_status status = load_state(s, recording);
    if (status == ISO_OK) {
        status = iso_scene_parse(s->text, s->text_size, games, game_count, &s->scene, NULL);
    }
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", argument,
                  status == ISO_ERR_SCENE_INVALID ? "this build cannot read the scene in it" : iso_status_text(status));
    }
    return status == ISO_OK;
}

bool iso__replay_scene_load(replay_scene *s, const char *argument) {
    const char *why;
    if (iso__replay_scenes_find(argument) == NULL && iso__replay_file_is_recording(argument)) {
        return load_recording(s, argument);
    }
    if (!iso__replay_scene_read(s, argument, &why)) {
        return false;
    }
    iso_scene_error error = {0};
    uint32_t count;
    const iso_status status = iso__replay_scene_make(s, &error, 1, &count);
    if (status == ISO_ERR_SCENE_INVALID) {
        char line[1200];
        iso_scene_error_format(&error, line, sizeof line);
        iso_print(stderr, "isostep-replay: %s: %s\n", argument, line);
    } else if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", argument, iso_status_text(status));
    }
    return status == ISO_OK;
}

void iso__replay_scene_free(replay_scene *scene) {
    iso_scene_free(scene->scene);
    free(scene->memory);
    iso_scene_source_free(scene->source);
    free(scene->file_text);
    iso__replay_file_close(&scene->recording);
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
