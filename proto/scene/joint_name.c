/// The names of a scene's joints.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

uint32_t iso__scene_read_joint_name(iso__scene_reader *reader, const iso__scene_node *node) {
    iso_scene *scene = reader->scene;
    const uint32_t room = ISO_SCENE_BODY_NAME_MAX + 1;
    const iso__scene_node member = iso__scene_member(node, "name");
    if (!member.is_present) {
        return UINT32_MAX;
    }
    const char *name = iso__scene_name(reader, &member);
    if (reader->status != ISO_OK ||
        !iso__scene_reserve(reader, (void **)&scene->names, &reader->names_capacity, reader->names_size, room, 1)) {
        return UINT32_MAX;
    }
    const uint32_t offset = reader->names_size;
    reader->names_size += (uint32_t)snprintf(scene->names + offset, room, "%s%s", reader->copy_prefix, name) + 1;
    return offset;
}

// ---- each only once ------------------------------------------------------------------------------

typedef struct named_joint {
    const char *name;
    size_t index; // in the array
} named_joint;

static int named_compare(const void *a, const void *b) {
    const named_joint *x = a;
    const named_joint *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

void iso__scene_check_joint_names(iso__scene_reader *reader, const iso__scene_node *joints) {
    const size_t count = json_object_array_length(joints->json);
    named_joint *named = calloc(count, sizeof *named);
    if (named == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    size_t named_count = 0;
    for (size_t i = 0; i < count; ++i) {
        json_object *name = NULL;
        json_object *item = json_object_array_get_idx(joints->json, i);
        if (json_object_is_type(item, json_type_object) && json_object_object_get_ex(item, "name", &name) &&
            json_object_is_type(name, json_type_string)) {
            named[named_count++] = (named_joint){json_object_get_string(name), i};
        }
    }
    qsort(named, named_count, sizeof *named, named_compare);
    size_t repeated = SIZE_MAX;
    for (size_t i = 1; i < named_count; ++i) {
        const bool is_same = strcmp(named[i].name, named[i - 1].name) == 0;
        repeated = is_same && named[i].index < repeated ? named[i].index : repeated;
    }
    free(named);
    if (repeated != SIZE_MAX) {
        const iso__scene_node item = iso__scene_item(joints, repeated);
        const iso__scene_node name = iso__scene_member(&item, "name");
        iso__scene_invalid(reader, &name, "a name that no other joint has");
    }
}
