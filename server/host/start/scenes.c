#include "host/start/scenes.h"

#include <string.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

static const iso_server_scene *brought;
static size_t brought_count;

bool iso__scenes_bring(const iso_server_scene *scenes, size_t count) {
    ISO_ASSERT(count == 0 || scenes != NULL);
    brought_count = 0;
    brought = scenes;
    for (size_t i = 0; i < count; ++i) {
        iso_builtin_scene other;
        const char *name = scenes[i].name, *wrong = NULL;
        if (name == NULL || scenes[i].text == NULL || name[0] == '\0' ||
            strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name)) {
            wrong = "expected a name of a-z, 0-9 and -, and a text";
        } else if (iso__scenes_find(name, &other)) {
            wrong = "there is a scene of this name already";
        }
        if (wrong != NULL) {
            iso__log_error("the program's scene %zu, '%s': %s", i, name != NULL ? name : "", wrong);
            return false;
        }
        brought_count = i + 1;
    }
    return true;
}

const char *iso__scenes_default(void) {
    return brought_count > 0 ? brought[0].name : "sandbox";
}

bool iso__scenes_at(size_t index, iso_builtin_scene *scene) {
    ISO_ASSERT(brought_count == 0 || brought != NULL);
    size_t count = 0;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    if (index < brought_count) {
        *scene = brought[index];
    } else if (index - brought_count < count) {
        *scene = list[index - brought_count];
    }
    return index < brought_count + count;
}

bool iso__scenes_find(const char *name, iso_builtin_scene *scene) {
    for (size_t i = 0; iso__scenes_at(i, scene); ++i) {
        if (strcmp(scene->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void iso__scenes_ask(const char *name, char text[ISO_NEAREST_TEXT_SIZE]) {
    iso_builtin_scene scene;
    iso_nearest nearest = {0};
    ISO_ASSERT(!iso__scenes_find(name, &scene));
    for (size_t i = 0; iso__scenes_at(i, &scene); ++i) {
        iso_nearest_look(&nearest, name, scene.name, strlen(scene.name));
    }
    iso_nearest_ask(&nearest, text);
}
