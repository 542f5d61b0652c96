/// The scenes that this replay tool knows by their names: those that the program brings, and the built-in ones.
#include <string.h>

#include "isostep/scenes.h"
#include "scene.h"

static const iso_builtin_scene *brought;
static size_t brought_count;

bool iso__replay_scenes_bring(const iso_builtin_scene *scenes, size_t count) {
    brought = scenes;
    brought_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const char *name = scenes[i].name, *wrong = NULL;
        if (name == NULL || scenes[i].text == NULL || name[0] == '\0' ||
            strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name)) {
            wrong = "expected a name of a-z, 0-9 and -, and a text";
        } else if (iso__replay_scenes_find(name) != NULL) {
            wrong = "there is a scene of this name already";
        }
        if (wrong != NULL) {
            iso_print(stderr, "isostep-replay: the program's scene %zu, '%s': %s\n", i, name != NULL ? name : "",
                      wrong);
            return false;
        }
        brought_count = i + 1;
    }
    return true;
}

const iso_builtin_scene *iso__replay_scenes_find(const char *name) {
    for (size_t i = 0; i < brought_count; ++i) {
        if (strcmp(brought[i].name, name) == 0) {
            return &brought[i];
        }
    }
    return iso_builtin_scene_find(name);
}

void iso__replay_scenes_ask(const char *name, char text[ISO_NEAREST_TEXT_SIZE]) {
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    iso_nearest nearest = {0};
    for (size_t i = 0; i < brought_count; ++i) {
        iso_nearest_look(&nearest, name, brought[i].name, strlen(brought[i].name));
    }
    for (size_t i = 0; i < count; ++i) {
        iso_nearest_look(&nearest, name, list[i].name, strlen(list[i].name));
    }
    iso_nearest_ask(&nearest, text);
}

void iso__replay_scenes_print(void) {
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    iso_print(stderr, "Built-in scenes:");
    for (size_t i = 0; i < brought_count; ++i) {
        iso_print(stderr, " %s", brought[i].name);
    }
    for (size_t i = 0; i < count; ++i) {
        iso_print(stderr, " %s", list[i].name);
    }
    iso_print(stderr, "\n");
}
