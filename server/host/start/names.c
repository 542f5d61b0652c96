#include "host/start/names.h"

#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"

typedef struct block {
    iso_name names[ISO_NAMES_MAX];
    char text[ISO_NAMES_TEXT_MAX + ISO_NAMES_MAX]; // with their zeros
    size_t text_size;
} block;

_Static_assert(ISO_SCENE_BODY_NAME_MAX <= ISO_NAME_MAX, "every name of a scene may be sent");

/// Takes a name in, if there is room for it. Behind one that was left out there is none.
static void add(iso__names *names, uint8_t of, uint32_t index, const char *name) {
    block *to = names->block;
    size_t size = strlen(name);
    size_t text_left = ISO_NAMES_TEXT_MAX - (to->text_size - names->message.count);
    if (names->message.left_out > 0 || names->message.count == ISO_NAMES_MAX || size > text_left) {
        names->message.left_out += 1;
        return;
    }
    memcpy(to->text + to->text_size, name, size + 1);
    to->names[names->message.count++] = (iso_name){of, index, to->text + to->text_size};
    to->text_size += size + 1;
}

/// Takes the names in that generators have made, or the others.
static void add_all(iso__names *names, const iso_scene *scene, bool are_generated) {
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const char *name = iso_scene_body_name(scene, i);
        if ((strchr(name, '[') != NULL) == are_generated) {
            add(names, ISO_NAMED_BODY, i, name);
        }
    }
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        const char *name = iso_scene_joint_name(scene, i);
        if (name[0] != '\0' && (strchr(name, '[') != NULL) == are_generated) {
            add(names, ISO_NAMED_JOINT, i, name);
        }
    }
}

static int compare(const void *a, const void *b) {
    const iso_name *x = a, *y = b;
    return x->of != y->of ? (x->of > y->of) - (x->of < y->of) : (x->index > y->index) - (x->index < y->index);
}

iso_status iso__names_init(iso__names *names, const iso_scene *scene) {
    *names = (iso__names){.block = malloc(sizeof(block))};
    block *to = names->block;
    if (to == NULL) {
        return ISO_ERR_MEMORY;
    }
    to->text_size = 0;
    add_all(names, scene, false);
    add_all(names, scene, true);
    ISO_ASSERT(to->text_size <= sizeof to->text);
    qsort(to->names, names->message.count, sizeof *to->names, compare);
    names->message.names = to->names;
    return ISO_OK;
}

const char *iso__names_find(const iso__names *names, bool is_joint, uint32_t index, uint32_t generation) {
    ISO_ASSERT(names->message.count == 0 || names->block != NULL);
    const iso_name key = {.of = is_joint ? ISO_NAMED_JOINT : ISO_NAMED_BODY, .index = index};
    const iso_name *found = generation == 1 && names->message.count > 0
                                ? bsearch(&key, names->message.names, names->message.count, sizeof key, compare)
                                : NULL;
    return found != NULL ? found->name : NULL;
}

void iso__names_term(iso__names *names) {
    ISO_ASSERT(names->message.count == 0 || names->block != NULL);
    free(names->block);
    *names = (iso__names){0};
}

const iso_message_names *iso__names_get(const iso__names *names) {
    return names->message.count > 0 ? &names->message : NULL;
}
